//! The nearest name: what somebody may have meant who wrote a name that does not exist.

/// The candidate nearest to `name`, if one is near enough to be worth a suggestion.
///
/// ```
/// use testwright_base::nearest::nearest;
/// assert_eq!(nearest("lenght", ["length", "width"]), Some("length"));
/// assert_eq!(nearest("colour", ["length", "width"]), None);
/// ```
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance =
        |candidate: &str| strsim::damerau_levenshtein(&name.to_lowercase(), &candidate.to_lowercase());
    // A third of the letters may be wrong; for very short names one.
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(candidate), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}
