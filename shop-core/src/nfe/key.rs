//! The access key of an invoice.

use std::fmt;
use std::str::FromStr;

use crate::clock::Timestamp;
use crate::fiscal::Company;
use crate::value::{Cnpj, InvalidValue, cnpj_check_digit as check_digit};

/// The 44 characters by which the tax office knows an invoice.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccessKey(String);

/// What an access key is made of.
#[derive(Debug, Clone)]
pub struct KeyParts<'a> {
    /// The issuer's state by its IBGE code: 35 is São Paulo.
    pub state_code: &'a str,
    /// Year and month of issue in local time, `2611`.
    pub year_month: &'a str,
    /// The issuer.
    pub cnpj: &'a Cnpj,
    /// The series, 0 to 999.
    pub series: u16,
    /// The number, 1 to 999 999 999.
    pub number: u32,
    /// The random part, eight digits: [`is_random_code`] tells which.
    pub code: u32,
}

impl AccessKey {
    /// The key of a model 55 invoice issued in the ordinary way, with its check digit.
    pub fn new(parts: &KeyParts<'_>) -> Self {
        let KeyParts { state_code, year_month, cnpj, series, number, code } = parts;
        let mut key = format!("{state_code}{year_month}{cnpj}55{series:03}{number:09}1{code:08}");
        key.push(char::from(check_digit(key.as_bytes())));
        Self(key)
    }

    /// The key of what a company issues at an instant, with a number and a random part.
    pub(super) fn issued(
        company: &Company,
        at: Timestamp,
        (series, number): (u16, u32),
        code: u32,
    ) -> Self {
        let at = at.local_seconds();
        Self::new(&KeyParts {
            state_code: company.address.state_code(),
            year_month: &format!("{}{}", &at[2..4], &at[5..7]),
            cnpj: &company.cnpj,
            series,
            number,
            code,
        })
    }

    /// The 44 characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last character, which follows from the others.
    pub fn check_digit(&self) -> &str {
        &self.0[43..]
    }

    /// The issuer's state by its IBGE code.
    pub fn state_code(&self) -> &str {
        &self.0[..2]
    }

    /// The issuer.
    pub fn cnpj(&self) -> &str {
        &self.0[6..20]
    }
}

/// Whether a number may be the random part of the key of invoice `number`: the tax office refuses
/// those that anybody would guess (rejection 897).
pub fn is_random_code(code: u32, number: u32) -> bool {
    let one_digit_only = code.is_multiple_of(11_111_111);
    (1..100_000_000).contains(&code)
        && code != number
        && !one_digit_only
        && !matches!(
            code,
            12_345_678
                | 23_456_789
                | 34_567_890
                | 45_678_901
                | 56_789_012
                | 67_890_123
                | 78_901_234
                | 89_012_345
                | 90_123_456
                | 1_234_567
        )
}

impl fmt::Display for AccessKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for AccessKey {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bytes = text.as_bytes();
        let is_key = bytes.len() == 44
            && bytes.iter().enumerate().all(|(place, byte)| {
                byte.is_ascii_digit() || (6..18).contains(&place) && byte.is_ascii_uppercase()
            })
            && check_digit(&bytes[..43]) == bytes[43];
        if is_key { Ok(Self(text.to_owned())) } else { Err(InvalidValue::InvoiceKey) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_others_have_the_check_digit_that_is_worked_out_here() {
        for (key, digit) in [
            ("3526111122233300018155001000000001148271936", b'8'),
            ("35261112ABC34501DE3555001000000005170418263", b'2'),
            ("3518083412874500015255001000047428192000749", b'8'),
        ] {
            assert_eq!(check_digit(key.as_bytes()), digit, "{key}");
        }
        assert!("35180834128745000152550010000474281920007498".parse::<AccessKey>().is_ok());
        assert!("35180834128745000152550010000474281920007499".parse::<AccessKey>().is_err());
    }

    #[test]
    fn a_key_is_put_together_in_the_order_of_the_layout() {
        let cnpj: Cnpj = "11.222.333/0001-81".parse().expect("valid");
        let key = AccessKey::new(&KeyParts {
            state_code: "35",
            year_month: "2611",
            cnpj: &cnpj,
            series: 1,
            number: 1,
            code: 48_271_936,
        });
        assert_eq!(key.as_str(), "35261111222333000181550010000000011482719368");
        assert_eq!(
            (key.state_code(), key.cnpj(), key.check_digit()),
            ("35", "11222333000181", "8")
        );
        assert!(key.as_str().parse::<AccessKey>().is_ok());
    }

    #[test]
    fn company_numbers_may_have_letters() {
        assert!("12.ABC.345/01DE-35".parse::<Cnpj>().is_ok());
        assert!("12ABC34501DE36".parse::<Cnpj>().is_err());
        assert!("11222333000180".parse::<Cnpj>().is_err());
        assert!("00000000000000".parse::<Cnpj>().is_err());
    }

    #[test]
    fn codes_that_anybody_would_guess_are_not_random() {
        for code in [0, 11_111_111, 99_999_999, 12_345_678, 7, 100_000_000] {
            assert!(!is_random_code(code, 7), "{code}");
        }
        assert!(is_random_code(48_271_936, 7));
    }
}
