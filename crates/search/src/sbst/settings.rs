//! The settings of search-based generation: every constant of METHODS.md 3, with its limits.

use std::fmt::Write as _;

macro_rules! settings {
    ($($(#[doc = $doc:literal])* $field:ident: $type:ident = $default:literal, $name:literal, $low:literal ..= $high:literal;)*) => {
        /// How searches go. The defaults are the constants of the paper.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Settings { $($(#[doc = $doc])* pub $field: $type,)* }

        impl Default for Settings {
            fn default() -> Settings {
                Settings { $($field: $default,)* }
            }
        }

        /// All settings, in the order of the manual.
        pub const SETTINGS: &[Setting] = &[$(Setting {
            name: $name,
            about: concat!($($doc),*),
            low: $low as f64,
            high: $high as f64,
            default: $default as f64,
            whole: stringify!($type).as_bytes()[0] == b'u',
        },)*];

        impl Settings {
            fn put(&mut self, name: &str, value: f64) {
                match name {
                    $($name => self.$field = value as $type,)*
                    _ => {}
                }
            }
        }
    };
}

/// What is known about a setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The smallest value allowed.
    pub low: f64,
    /// The largest value allowed.
    pub high: f64,
    /// The value if nobody says otherwise.
    pub default: f64,
    /// Whether it is a whole number.
    pub whole: bool,
}

settings! {
    /// Digits behind the point of the smallest step of a float.
    precision: u32 = 3, "avm.precision", 0 ..= 15;
    /// Individuals in all sub-populations together.
    population: u32 = 300, "ga.population", 12 ..= 100000;
    /// Sub-populations that compete; the n-th mutates in steps of `ga.step` to the power n.
    subpopulations: u32 = 6, "ga.subpopulations", 1 ..= 15;
    /// Selection pressure of linear ranking: how many offspring the best expects.
    pressure: f64 = 1.7, "ga.pressure", 1.0 ..= 2.0;
    /// The share of the fittest that survive.
    elite: f64 = 0.1, "ga.elite", 0.0 ..= 0.9;
    /// Base of the mutation step sizes.
    step: f64 = 0.1, "ga.step", 0.0001 ..= 1.0;
    /// Terms of the random factor eta of a mutation.
    digits: u32 = 16, "ga.digits", 1 ..= 52;
    /// How much of a sub-population's progress is kept from one generation to the next.
    memory: f64 = 0.9, "ga.memory", 0.0 ..= 1.0;
    /// Generations between competitions for individuals.
    competition: u32 = 4, "ga.competition", 1 ..= 10000;
    /// Individuals that a sub-population cannot lose.
    least: u32 = 5, "ga.least", 2 ..= 1000;
    /// Generations between migrations.
    migration_interval: u32 = 20, "ga.migration-interval", 1 ..= 10000;
    /// The share of individuals that migrate.
    migration: f64 = 0.1, "ga.migration", 0.0 ..= 0.9;
    /// Evaluations for one target.
    evaluations: u64 = 100000, "search.evaluations", 1 ..= 1000000000000u64;
    /// Elements and characters that buffers and texts have room for.
    room: u32 = 16, "search.room", 1 ..= 1024;
    /// How often loops are unrolled before their variables are given up.
    unroll: u32 = 1, "fitness.unroll", 1 ..= 8;
    /// Paths from one node to a target; with more, the target has the standard fitness.
    paths: u32 = 256, "fitness.paths", 1 ..= 4096;
}

impl Settings {
    /// Changes a setting, given as `name=value`.
    ///
    /// # Errors
    /// In words, if there is no such setting, or the value is not allowed.
    pub fn set(&mut self, text: &str) -> Result<(), String> {
        let Some((name, value)) = text.split_once('=') else {
            return Err(format!("a setting is written NAME=VALUE, as in {}; not `{text}`", example()));
        };
        let (name, value) = (name.trim(), value.trim());
        let Some(setting) = SETTINGS.iter().find(|setting| setting.name == name) else {
            let names: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
            return Err(format!("there is no setting `{name}`; there are {}", names.join(", ")));
        };
        let number = value.parse::<f64>().unwrap_or(f64::NAN);
        let is_allowed =
            (setting.low..=setting.high).contains(&number) && (!setting.whole || number.fract() == 0.0);
        if !is_allowed {
            return Err(format!("{name} takes {}; not `{value}`", setting.range()));
        }
        self.put(name, number);
        Ok(())
    }

    /// Whether the settings go together, when all of them are known.
    ///
    /// # Errors
    /// In words, if they do not.
    pub fn check(&self) -> Result<(), String> {
        if self.population >= self.subpopulations * self.least {
            return Ok(());
        }
        Err(format!(
            "{} individuals are too few for {} sub-populations of at least {}: see ga.population, ga.subpopulations, ga.least",
            self.population, self.subpopulations, self.least
        ))
    }
}

impl Setting {
    /// `a whole number from 1 to 8`
    #[must_use]
    pub fn range(&self) -> String {
        format!("a {}number from {} to {}", if self.whole { "whole " } else { "" }, self.low, self.high)
    }
}

fn example() -> String {
    format!("{}={}", SETTINGS[0].name, SETTINGS[0].default)
}

/// A line per setting, for help.
#[must_use]
pub fn table() -> String {
    let mut text = String::new();
    for setting in SETTINGS {
        let limits = format!("{}..{}", setting.low, setting.high);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "  {:<22} {:>7}  {limits:<16} {}",
            setting.name,
            setting.default,
            setting.about.trim().trim_end_matches('.')
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_refused(text: &str, expected: &str) {
        assert_eq!(Settings::default().set(text).unwrap_err(), expected);
    }

    #[test]
    fn a_setting_is_changed_by_its_name() {
        let mut settings = Settings::default();
        settings.set("ga.pressure = 1.5").unwrap();
        settings.set("fitness.unroll=2").unwrap();
        assert_eq!((settings.pressure, settings.unroll), (1.5, 2));
    }

    #[test]
    fn values_out_of_range_are_refused_with_the_range() {
        check_refused("ga.pressure=0", "ga.pressure takes a number from 1 to 2; not `0`");
        check_refused("ga.population=-5", "ga.population takes a whole number from 12 to 100000; not `-5`");
        check_refused("fitness.unroll=1.5", "fitness.unroll takes a whole number from 1 to 8; not `1.5`");
        check_refused("fitness.paths=0", "fitness.paths takes a whole number from 1 to 4096; not `0`");
        check_refused("avm.precision=x", "avm.precision takes a whole number from 0 to 15; not `x`");
        check_refused("precision", "a setting is written NAME=VALUE, as in avm.precision=3; not `precision`");
        assert!(
            Settings::default()
                .set("ga.x=1")
                .unwrap_err()
                .starts_with("there is no setting `ga.x`; there are avm")
        );
    }

    #[test]
    fn settings_that_do_not_go_together_are_refused_in_whatever_order_they_come() {
        let mut settings = Settings::default();
        settings.set("ga.least=60").unwrap();
        assert!(
            settings.check().unwrap_err().starts_with("300 individuals are too few for 6 sub-populations")
        );
        settings.set("ga.population=360").unwrap();
        assert_eq!(settings.check(), Ok(()));
    }

    #[test]
    fn every_setting_takes_its_default_and_its_limits() {
        for setting in SETTINGS {
            assert!((setting.low..=setting.high).contains(&setting.default), "{}", setting.name);
            Settings::default().set(&format!("{}={}", setting.name, setting.default)).unwrap();
        }
    }
}
