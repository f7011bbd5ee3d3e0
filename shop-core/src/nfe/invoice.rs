//! What an invoice says, before it is XML.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::city::City;
use super::key::Cnpj;
use crate::clock::Timestamp;
use crate::money::Money;
use crate::value::{Cep, Cpf, InvalidValue, Uf, inline_schema};

/// An invoice of a sale to a consumer over the internet.
#[derive(Debug, Clone)]
pub struct Invoice {
    /// Whether it counts.
    pub environment: TaxEnvironment,
    /// The series, 0 to 999.
    pub series: u16,
    /// The number, 1 to 999 999 999.
    pub number: u32,
    /// The random part of the key; [`super::is_random_code`] must hold.
    pub code: u32,
    /// When it is issued.
    pub issued_at: Timestamp,
    /// Who sells.
    pub company: Company,
    /// Who buys.
    pub recipient: Recipient,
    /// What is sold, 1 to 990 lines.
    pub lines: Vec<Line>,
    /// What the buyer pays for the shipping.
    pub freight: Money,
    /// What is taken off; not above all lines together.
    pub discount: Money,
    /// What the parcel weighs, in grams.
    pub weight_grams: i64,
    /// How it was paid.
    pub means: PaymentMeans,
    /// The shop's own number of the sale.
    pub order_number: String,
    /// The taxes of the reform, from when on they are to be shown.
    pub ibs_cbs: Option<IbsCbs>,
}

/// Whether invoices count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum TaxEnvironment {
    /// They do (`tpAmb` 1).
    #[serde(rename = "producao", alias = "production")]
    Production,
    /// They do not: for tests with the tax office (`tpAmb` 2).
    #[serde(rename = "homologacao", alias = "homologation")]
    Homologation,
}

/// The company that issues.
#[derive(Debug, Clone)]
pub struct Company {
    /// Its number.
    pub cnpj: Cnpj,
    /// Its registered name.
    pub name: String,
    /// What it is known as.
    pub trade_name: Option<String>,
    /// Its registration with the state (IE), or `ISENTO`.
    pub state_registration: String,
    /// How it is taxed.
    pub regime: TaxRegime,
    /// Where it is.
    pub address: Place,
    /// Its telephone number.
    pub phone: Option<String>,
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

/// The person who buys.
#[derive(Debug, Clone)]
pub struct Recipient {
    /// The taxpayer number.
    pub cpf: Cpf,
    /// The name.
    pub name: String,
    /// Where the goods go.
    pub address: Place,
    /// Where the invoice may be sent to.
    pub email: Option<String>,
    /// The telephone number.
    pub phone: Option<String>,
}

/// An address with its city.
#[derive(Debug, Clone)]
pub struct Place {
    /// Street.
    pub street: String,
    /// House number.
    pub number: String,
    /// Flat, block and the like.
    pub complement: Option<String>,
    /// District.
    pub district: String,
    /// City.
    pub city: City,
    /// State.
    pub state: Uf,
    /// Postal code.
    pub zip_code: Cep,
}

/// A line of an invoice.
#[derive(Debug, Clone)]
pub struct Line {
    /// The shop's code of the article.
    pub code: String,
    /// What it is called.
    pub name: String,
    /// How many.
    pub quantity: i64,
    /// Of one unit.
    pub price: Money,
    /// How it is taxed.
    pub fiscal: Fiscal,
    /// The code of operation, which begins with 5 in the company's state and with 6 elsewhere.
    pub cfop: Digits<4>,
}

/// What the tax office wants to know of an article.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fiscal {
    /// Its place in the nomenclature of goods: 34060000 are candles.
    pub ncm: Digits<8>,
    /// Its code for tax substitution, where it has one.
    pub cest: Option<Digits<7>>,
    /// The number of its bar code, where it has one.
    pub gtin: Option<Gtin>,
    /// Where it comes from.
    pub origin: Origin,
    /// How Simples Nacional taxes it.
    pub csosn: Csosn,
    /// What it is counted in.
    pub unit: Unit,
}

/// How an invoice was paid, as far as the shop knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaymentMeans {
    /// A PIX code made for the sale (17).
    Pix,
    /// A card (03).
    Card,
    /// Cash (01).
    Cash,
    /// A bank transfer (18).
    Transfer,
    /// Any other means (99).
    Other,
    /// There was nothing to pay (90).
    Nothing,
}

/// The taxes of the reform (IBS and CBS), in percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IbsCbs {
    /// The state's part of IBS.
    pub ibs_state: Decimal,
    /// The city's part of IBS.
    pub ibs_city: Decimal,
    /// CBS.
    pub cbs: Decimal,
}

/// A code of exactly so many digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Digits<const N: usize>(String);

/// A number of a bar code: 8, 12, 13 or 14 digits, the last of which follows from the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Gtin(String);

/// What goods are counted in: one to six letters or digits, `UN`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Unit(String);

/// Where goods come from, 0 (the country) to 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Origin(u8);

/// The situation under Simples Nacional: 102, 103, 300 or 400, those without tax of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Csosn(String);

/// Gives the codes of this file their text forms and what a form says of a wrong one.
macro_rules! codes {
    ($($name:ident $([$n:ident])?, $format:expr, $wrong:ident, $holds:expr;)+) => {$(
        impl$(<const $n: usize>)? $name$(<$n>)? {
            #[cfg(feature = "schema")]
            const FORMAT: &'static str = $format;

            /// The code as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl$(<const $n: usize>)? std::str::FromStr for $name$(<$n>)? {
            type Err = InvalidValue;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let text = text.trim();
                let holds: fn(&str) -> bool = $holds;
                if holds(text) { Ok(Self(text.to_owned())) } else { Err(InvalidValue::$wrong) }
            }
        }

        impl$(<const $n: usize>)? crate::storage::FromColumn for $name$(<$n>)? {
            fn from_column(row: &dyn crate::storage::Row, column: usize) -> crate::Result<Self> {
                let text: String = row.get(column)?;
                text.parse().map_err(crate::Error::from_source)
            }
        }

        impl<'de $(, const $n: usize)?> Deserialize<'de> for $name$(<$n>)? {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        #[cfg(feature = "schema")]
        impl$(<const $n: usize>)? schemars::JsonSchema for $name$(<$n>)? {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                Self::FORMAT.into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "format": Self::FORMAT })
            }
        }
    )+};
}

codes! {
    Digits[N],
    match N {
        4 => "cfop",
        7 => "cest",
        _ => "ncm",
    },
    DigitCount, |text| is_digits(text, N);
    Gtin, "gtin", Gtin, is_gtin;
    Unit, "fiscal-unit", FiscalUnit, |text| {
        (1..=6).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    Csosn, "csosn", Csosn, |text| {
        matches!(text, "102" | "103" | "300" | "400")
    };
}

fn is_digits(text: &str, count: usize) -> bool {
    text.len() == count && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_gtin(text: &str) -> bool {
    if !matches!(text.len(), 8 | 12 | 13 | 14) || !text.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let weighted = text.bytes().rev().map(|b| u32::from(b - b'0')).zip([1, 3].into_iter().cycle());
    weighted.map(|(digit, weight)| digit * weight).sum::<u32>() % 10 == 0
}

/// Codes of this program's own, known to be ones.
impl<const N: usize> Digits<N> {
    pub(crate) fn known(text: &'static str) -> Self {
        Self(text.to_owned())
    }
}

impl Csosn {
    pub(crate) fn known(text: &'static str) -> Self {
        Self(text.to_owned())
    }
}

impl Unit {
    pub(crate) fn known(text: &'static str) -> Self {
        Self(text.to_owned())
    }
}

impl Origin {
    /// The country itself.
    pub const NATIONAL: Self = Self(0);

    /// The code.
    pub fn get(self) -> u8 {
        self.0
    }
}

impl TryFrom<i64> for Origin {
    type Error = InvalidValue;

    fn try_from(code: i64) -> Result<Self, Self::Error> {
        match u8::try_from(code) {
            Ok(code @ 0..=8) => Ok(Self(code)),
            _ => Err(InvalidValue::Between { least: 0, most: 8 }),
        }
    }
}

impl<'de> Deserialize<'de> for Origin {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        i64::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
    }
}

inline_schema!(Origin, { "type": "integer", "minimum": 0, "maximum": 8 });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_checked_where_they_come_in() {
        assert!("34060000".parse::<Digits<8>>().is_ok());
        assert!("3406000".parse::<Digits<8>>().is_err());
        assert!("7891000315507".parse::<Gtin>().is_ok());
        assert!("7891000315508".parse::<Gtin>().is_err());
        assert!("UN".parse::<Unit>().is_ok());
        assert!("UNIDADES".parse::<Unit>().is_err());
        assert!("101".parse::<Csosn>().is_err());
        assert!(Origin::try_from(9).is_err());
    }
}
