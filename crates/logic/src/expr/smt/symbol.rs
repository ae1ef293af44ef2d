//! Symbols: names of inputs as SMT-LIB accepts them.

use std::collections::HashSet;

/// The symbol for an input called `name`, other than those that are taken.
pub(super) fn symbol(name: &str, taken: &HashSet<String>) -> String {
    let is_allowed = |c: char| c.is_ascii() && !c.is_control() && c != '|' && c != '\\';
    let mut name: String = name.chars().map(|c| if is_allowed(c) { c } else { '_' }).collect();
    if name.is_empty() {
        name.push_str("input");
    }
    while is_reserved(&name) || taken.contains(&quoted(&name)) {
        name.push('$');
    }
    quoted(&name)
}

fn quoted(name: &str) -> String {
    let is_simple = !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c));
    if is_simple { name.into() } else { format!("|{name}|") }
}

/// Whether a name means something in the language, in a theory, or in the scripts we write.
fn is_reserved(name: &str) -> bool {
    const WORDS: &str = "true false not and or xor ite distinct let forall exists match par as assert push pop \
        exit echo reset concat extract repeat rotate_left rotate_right zero_extend sign_extend select store \
        const fp to_fp to_fp_unsigned NaN RNE RNA RTP RTN RTZ Bool Int Real Array BitVec FloatingPoint String \
        abs div mod divisible to_real to_int is_int seq set bag implies if iff sin cos tan exp pi euler sqrt \
        BINARY DECIMAL HEXADECIMAL NUMERAL STRING + - * / = < > <= >= => _ !";
    const PREFIXES: &str = "bv fp. round str. re. int2 nat2 sbv_to ubv_to declare- define- get- set- check- \
        Float libm_ table_ ctpop_ ctlz_ cttz_ bswap_ bitreverse_ saddo_ uaddo_ ssubo_ smulo_ umulo_";
    let is_ours = name.strip_prefix('e').is_some_and(|rest| {
        let number = rest.strip_suffix("_bits").unwrap_or(rest);
        !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
    });
    let has_prefix = PREFIXES.split(' ').any(|prefix| name.starts_with(prefix)) && !name.ends_with('$');
    is_ours || has_prefix || WORDS.split(' ').any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, taken: &[&str], expected: &str) {
        let taken = taken.iter().map(|&symbol| symbol.to_owned()).collect();
        assert_eq!(symbol(name, &taken), expected);
    }

    #[test]
    fn c_names_stay_as_they_are() {
        check("x", &[], "x");
        check("_count2", &["x"], "_count2");
        check("e", &[], "e");
        check("element", &[], "element");
    }

    #[test]
    fn places_in_memory_are_quoted() {
        check("a[3]", &[], "|a[3]|");
        check("p->next", &[], "p->next");
        check("s.x y", &[], "|s.x y|");
        check("2nd", &[], "|2nd|");
        check("odd|\\\n", &[], "odd___");
        check("", &[], "input");
    }

    #[test]
    fn names_that_mean_something_else_are_changed() {
        check("and", &[], "and$");
        check("bvadd", &[], "bvadd$");
        check("e12", &[], "e12$");
        check("e12_bits", &[], "e12_bits$");
        check("libm_sin", &[], "libm_sin$");
        check("x", &["x", "x$"], "x$$");
        check("a[1]", &["|a[1]|"], "|a[1]$|");
    }
}
