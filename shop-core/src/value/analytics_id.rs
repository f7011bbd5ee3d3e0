use std::str::FromStr;

use super::{InvalidValue, text_value};

/// The id of the shop at a service that counts visitors (`G-1A2B3C`): up to 64 letters, digits,
/// `-`, `_`, `.` and `:`, so that it can stand in a script without ending it. Empty for none.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AnalyticsId(String);

text_value!(AnalyticsId, "analytics-id");

const MAX_LENGTH: usize = 64;

impl FromStr for AnalyticsId {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
        if text.len() <= MAX_LENGTH && text.chars().all(fits) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidValue::AnalyticsId)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_cannot_end_the_script_that_it_stands_in() {
        for good in ["G-1A2B3C", "UA-123-1", "1234567890", "", " GTM-X "] {
            assert!(good.parse::<AnalyticsId>().is_ok(), "{good}");
        }
        for bad in ["');alert(1)//", "</script>", "a b", "é", &"x".repeat(65)] {
            assert!(bad.parse::<AnalyticsId>().is_err(), "{bad}");
        }
    }
}
