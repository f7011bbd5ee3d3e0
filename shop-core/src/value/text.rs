use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use super::InvalidValue;

/// A text of `MIN` to `MAX` characters after trimming ([`trim`]), without control characters other
/// than line breaks and tabs (no engine takes all of them, and no person types them).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Text<const MIN: usize, const MAX: usize>(String);

/// A text that may be left empty.
pub type OptionalText<const MAX: usize> = Text<0, MAX>;

impl<const MIN: usize, const MAX: usize> Text<MIN, MAX> {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A text of the library's own, which is known to fit.
    pub(crate) fn known(text: &'static str) -> Self {
        Self(text.to_owned())
    }
}

impl<const MIN: usize, const MAX: usize> FromStr for Text<MIN, MAX> {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = trim(text);
        check_length(text, MIN, MAX)?;
        check_characters(text)?;
        Ok(Self(text.to_owned()))
    }
}

/// A text without what nobody sees at its ends: blanks, and what messengers and telephones wrap
/// around what is copied there.
pub fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || is_invisible(c))
}

/// Refuses what no person types: control characters other than line breaks and tabs.
///
/// # Errors
/// [`InvalidValue::Characters`].
pub fn check_characters(text: &str) -> Result<(), InvalidValue> {
    let is_refused = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    if text.contains(is_refused) { Err(InvalidValue::Characters) } else { Ok(()) }
}

/// The soft hyphen, fillers, joiners, marks of direction and the byte order mark.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
    )
}

/// Whether a text has so many characters, counted as people count them.
pub(crate) fn check_length(text: &str, min: usize, max: usize) -> Result<(), InvalidValue> {
    let length = text.chars().count();
    match (length, min) {
        (0, 1) => Err(InvalidValue::Required),
        _ if length < min => Err(InvalidValue::MinCharacters { least: min as u64 }),
        _ if length > max => Err(InvalidValue::MaxCharacters { most: max as u64 }),
        _ => Ok(()),
    }
}

impl<const MIN: usize, const MAX: usize> fmt::Display for Text<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de, const MIN: usize, const MAX: usize> Deserialize<'de> for Text<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl<const MIN: usize, const MAX: usize> schemars::JsonSchema for Text<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Text{MIN}To{MAX}").into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "minLength": MIN, "maxLength": MAX })
    }
}
