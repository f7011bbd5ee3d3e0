use std::str::FromStr;

use unicode_normalization::UnicodeNormalization;

use super::{InvalidValue, text_value};

const MAX_LENGTH: usize = 120;

/// The name of a thing in an address: `a` to `z` and digits, with single hyphens and underscores
/// between them, 2 to 120 characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slug(String);

text_value!(Slug, "slug");

impl Slug {
    /// The slug that a name suggests: `Vela de Maçã & Canela` gives `vela-de-maca-canela`.
    ///
    /// # Errors
    /// When the name has fewer than two letters or digits to make a slug of.
    pub fn from_name(name: &str) -> Result<Self, InvalidValue> {
        let mut slug = String::with_capacity(name.len());
        for c in name.nfd().flat_map(char::to_lowercase) {
            if c.is_ascii_alphanumeric() {
                slug.push(c);
            } else if !unicode_normalization::char::is_combining_mark(c)
                && !slug.is_empty()
                && !slug.ends_with('-')
            {
                slug.push('-');
            }
            if slug.len() == 100 {
                break;
            }
        }
        slug.trim_end_matches('-').parse()
    }

    /// The same slug with a number behind it, for the next free one: `vela-2`. Of one that is too
    /// long for that, the end is cut off.
    #[must_use]
    pub fn numbered(&self, n: u32) -> Self {
        let end = format!("-{n}");
        let room = self.0.len().min(MAX_LENGTH - end.len());
        Self(format!("{}{end}", self.0[..room].trim_end_matches(['-', '_'])))
    }
}

impl PartialEq<str> for Slug {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Slug {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl FromStr for Slug {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let fine = (2..=MAX_LENGTH).contains(&text.len())
            && text.split(['-', '_']).all(|part| {
                !part.is_empty()
                    && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
            });
        if fine { Ok(Self(text.to_owned())) } else { Err(InvalidValue::Slug) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_accents_and_signs() {
        let slug = |name| Slug::from_name(name).map(|s| s.to_string()).ok();
        assert_eq!(slug("Vela de Maçã & Canela").as_deref(), Some("vela-de-maca-canela"));
        assert_eq!(slug("  200 g  ").as_deref(), Some("200-g"));
        assert_eq!(slug("!!"), None);
    }

    #[test]
    fn a_slug_may_have_single_hyphens_and_underscores_inside() {
        for good in ["vela_de_lavanda", "kit-2_pequeno", "a_b"] {
            assert_eq!(good.parse::<Slug>().map(|slug| slug.to_string()).as_deref(), Ok(good));
        }
        for bad in ["_a", "a_", "a__b", "a-_b", "A_b", "a b", "_"] {
            assert!(bad.parse::<Slug>().is_err(), "{bad}");
        }
        let long: Slug = format!("{}_{}", "a".repeat(117), "b").parse().expect("a slug");
        assert_eq!(long.numbered(2).as_str(), format!("{}-2", "a".repeat(117)));
    }

    #[test]
    fn a_numbered_slug_is_one_too() {
        for length in [2, 117, 118, 119, 120] {
            let slug: Slug = "a".repeat(length).parse().unwrap();
            let numbered = slug.numbered(12);
            assert!(numbered.as_str().ends_with("a-12"), "{numbered}");
            assert!(numbered.as_str().parse::<Slug>().is_ok(), "{numbered}");
        }
    }
}
