//! Enums whose values have one word each, on the wire and in storage.

use std::fmt::{self, Write};

/// A word that no value of an enum has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownWord {
    pub(crate) kind: &'static str,
    pub(crate) word: String,
}

impl std::error::Error for UnknownWord {}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no")?;
        for c in self.kind.chars() {
            if c.is_ascii_uppercase() {
                f.write_char(' ')?;
            }
            f.write_char(c.to_ascii_lowercase())?;
        }
        write!(f, " {:?}", self.word)
    }
}

/// An enum of words, for statements that look for some of them: which those are is said once, by a
/// method of the enum.
pub(crate) trait Words: Copy + fmt::Display + 'static {
    /// Every value there is.
    const EVERY: &'static [Self];

    /// Those of which something holds.
    fn which(holds: fn(Self) -> bool) -> Vec<Self> {
        Self::EVERY.iter().copied().filter(|value| holds(*value)).collect()
    }

    /// Those of which something holds as a list of SQL, for texts without parameters.
    fn listed(holds: fn(Self) -> bool) -> String {
        let words = Self::which(holds).into_iter().map(|value| format!("'{value}'"));
        words.collect::<Vec<_>>().join(", ")
    }
}

/// Defines an enum with the word of each value, which serde, the schema, `Display`, `FromStr` and
/// columns of the database use.
macro_rules! wire_enum {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)+
        }
    ) => {
        $crate::value::words! {
            #[derive(serde::Serialize, serde::Deserialize)]
            #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
            $(#[$meta])*
            $vis enum $name {
                $($(#[$variant_meta])* #[serde(rename = $word)] $variant = $word,)+
            }
        }
    };
}

/// Defines an enum with the word of each value, which `Display`, `FromStr` and columns of the
/// database use.
macro_rules! words {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)+
        }
    ) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $(#[$meta])*
        $vis enum $name {
            $($(#[$variant_meta])* $variant,)+
        }

        impl $name {
            /// Every value there is.
            $vis const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// The value's word.
            $vis const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl $crate::value::Words for $name {
            const EVERY: &'static [Self] = &Self::ALL;
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::value::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                let found = Self::ALL.into_iter().find(|value| value.as_str() == word);
                found.ok_or_else(|| $crate::value::UnknownWord {
                    kind: stringify!($name),
                    word: word.to_owned(),
                })
            }
        }

        impl From<$name> for $crate::storage::Param<'_> {
            fn from(value: $name) -> Self {
                Self::Text(value.as_str())
            }
        }

        impl From<&$name> for $crate::storage::Param<'_> {
            fn from(value: &$name) -> Self {
                Self::Text(value.as_str())
            }
        }

        impl $crate::storage::FromColumn for $name {
            fn from_column(
                row: &dyn $crate::storage::Row,
                column: usize,
            ) -> $crate::error::Result<Self> {
                let word = row.text(column)?.unwrap_or_default();
                word.parse().map_err($crate::error::Error::from_source)
            }
        }
    };
}

pub(crate) use {wire_enum, words};

#[cfg(test)]
mod tests {
    use super::Words;
    use crate::order::OrderStatus;

    #[test]
    fn a_word_is_read_back_and_an_unknown_one_is_an_error_that_names_it() {
        for status in OrderStatus::ALL {
            assert_eq!(status.to_string().parse(), Ok(status));
            let json = serde_json::to_string(&status).expect("JSON");
            assert_eq!(json, format!("\"{status}\""));
        }
        assert_eq!(
            OrderStatus::listed(|status| !status.is_revenue()),
            "'PENDING', 'CANCELLED', 'REFUNDED'"
        );
        let error = "pending".parse::<OrderStatus>().expect_err("case matters");
        assert_eq!(error.to_string(), "there is no order status \"pending\"");
    }
}
