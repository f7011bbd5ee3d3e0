//! The situation of goods under Simples Nacional (CSOSN), and what depends on it.

use std::str::FromStr;

use serde::{Deserialize, Serialize, Serializer};

use super::code::Digits;
use crate::storage::{FromColumn, Row};
use crate::value::InvalidValue;

/// The situation of goods under Simples Nacional, as far as a sale to a consumer has one. Those
/// with a credit for the buyer (101, 201) and those of a shop that retains the tax of the following
/// sellers (202, 203) are not among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Csosn {
    /// 102: taxed, without a credit for the buyer.
    Taxed,
    /// 103: exempt by the range of gross revenue.
    Exempt,
    /// 300: immune.
    Immune,
    /// 400: not taxed under Simples Nacional.
    Untaxed,
    /// 500: the tax was retained from an earlier seller (substituição tributária).
    RetainedBefore,
    /// 900: anything else.
    Other,
}

impl Csosn {
    /// All codes.
    pub const ALL: [Self; 6] =
        [Self::Taxed, Self::Exempt, Self::Immune, Self::Untaxed, Self::RetainedBefore, Self::Other];

    /// The code as text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Taxed => "102",
            Self::Exempt => "103",
            Self::Immune => "300",
            Self::Untaxed => "400",
            Self::RetainedBefore => "500",
            Self::Other => "900",
        }
    }

    /// Whether goods in this situation need a CEST (rejection 806).
    pub const fn needs_cest(self) -> bool {
        matches!(self, Self::RetainedBefore)
    }
}

impl std::fmt::Display for Csosn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Csosn {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        Self::ALL.into_iter().find(|code| code.as_str() == text).ok_or(InvalidValue::Csosn)
    }
}

impl Serialize for Csosn {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Csosn {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl FromColumn for Csosn {
    fn from_column(row: &dyn Row, column: usize) -> crate::Result<Self> {
        let text: String = row.get(column)?;
        text.parse().map_err(crate::Error::from_source)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Csosn {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "csosn".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "csosn" })
    }
}

/// How a company is taxed; others than these are not issued for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaxRegime {
    /// Simples Nacional (CRT 1).
    Simples,
    /// An individual micro-entrepreneur (CRT 4).
    Mei,
}

/// The codes of operation that CSOSN 900 goes with in the NF-e of a MEI.
const MEI_900: &str = "1202 1904 2202 2904 5202 5904 6202 6904 1501 1503 1504 1505 1506 1553 2501 \
                       2503 2504 2505 2506 2553 5501 5502 5504 5505 5551 5933 6501 6502 6504 6505 \
                       6551 6933";

impl TaxRegime {
    /// `CRT`.
    #[cfg(feature = "nfe")]
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Simples => 1,
            Self::Mei => 4,
        }
    }

    /// Whether an NF-e may have this situation (NT 2024.001, rule N12a-80, rejection 782).
    pub fn takes_csosn(self, csosn: Csosn) -> bool {
        match self {
            Self::Simples => true,
            Self::Mei => !matches!(csosn, Csosn::Exempt | Csosn::RetainedBefore),
        }
    }

    /// Whether an NF-e may have this code of operation with that situation. A MEI sells as 5102 or
    /// 6102, also what it made itself (NT 2024.001, rule N12a-90, rejection 337).
    pub fn takes_cfop(self, csosn: Csosn, cfop: &Digits<4>) -> bool {
        match (self, csosn) {
            (Self::Mei, Csosn::Taxed) => matches!(cfop.as_str(), "5102" | "6102"),
            (Self::Mei, Csosn::Other) => MEI_900.split(' ').any(|code| code == cfop.as_str()),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_situation_is_read_as_it_is_written_and_others_are_none() {
        for code in Csosn::ALL {
            assert_eq!(code.as_str().parse(), Ok(code));
        }
        for other in ["101", "201", "202", "203", "10", ""] {
            assert_eq!(other.parse::<Csosn>(), Err(InvalidValue::Csosn));
        }
    }

    #[test]
    fn a_mei_sells_with_102_as_5102_or_6102_only() {
        let takes = |csosn: &str, cfop: &str| {
            let csosn: Csosn = csosn.parse().expect("a CSOSN");
            let cfop = cfop.parse().expect("a CFOP");
            TaxRegime::Mei.takes_csosn(csosn) && TaxRegime::Mei.takes_cfop(csosn, &cfop)
        };
        assert!(takes("102", "5102") && takes("102", "6102"));
        for cfop in ["5101", "6101", "6107", "6108", "5405"] {
            assert!(!takes("102", cfop), "{cfop}");
        }
        assert!(takes("900", "1202") && takes("900", "2202") && takes("900", "6933"));
        assert!(!takes("900", "5102") && !takes("103", "5102") && !takes("500", "5405"));
        assert!(takes("300", "5101") && takes("400", "6107"), "300 and 400 have no list");
    }
}
