//! Which city an address lies in, by the code that IBGE gives it.
//!
//! `cities.tsv` has every municipality: its code, the postal codes that begin and end its ranges,
//! and its name. One that is new, as Boa Esperança do Norte of 2025, goes by its name alone. Codes
//! and names are IBGE's list of municipalities, ranges those of Correios. The first two digits of a
//! code are its state.

use unicode_normalization::UnicodeNormalization;

use crate::value::{Cep, Uf};

const CITIES: &str = include_str!("cities.tsv");

/// The states in the order of their codes.
const STATES: [(&str, &str); 27] = [
    ("11", "RO"),
    ("12", "AC"),
    ("13", "AM"),
    ("14", "RR"),
    ("15", "PA"),
    ("16", "AP"),
    ("17", "TO"),
    ("21", "MA"),
    ("22", "PI"),
    ("23", "CE"),
    ("24", "RN"),
    ("25", "PB"),
    ("26", "PE"),
    ("27", "AL"),
    ("28", "SE"),
    ("29", "BA"),
    ("31", "MG"),
    ("32", "ES"),
    ("33", "RJ"),
    ("35", "SP"),
    ("41", "PR"),
    ("42", "SC"),
    ("43", "RS"),
    ("50", "MS"),
    ("51", "MT"),
    ("52", "GO"),
    ("53", "DF"),
];

/// A municipality.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct City {
    /// Its code, seven digits.
    pub code: &'static str,
    /// Its name as IBGE writes it.
    pub name: &'static str,
    /// The ranges of its postal codes.
    ranges: &'static str,
}

impl City {
    /// The city of an address: the one of this name in the state, else the one whose postal codes
    /// have this one among them. Names are compared without case, accents and punctuation.
    pub fn of_address(state: &Uf, name: &str, cep: &Cep) -> Option<Self> {
        let state = state_code(state)?;
        let wanted = folded(name);
        let mut by_cep = None;
        for city in all().filter(|city| city.code.starts_with(state)) {
            if folded(city.name) == wanted {
                return Some(city);
            }
            if by_cep.is_none() && city.has(cep.as_str()) {
                by_cep = Some(city);
            }
        }
        by_cep
    }

    /// The city with this code.
    pub fn of_code(code: &str) -> Option<Self> {
        all().find(|city| city.code == code)
    }

    fn has(&self, cep: &str) -> bool {
        let mut ranges = self.ranges.split(',').filter_map(|range| range.split_once('-'));
        ranges.any(|(first, last)| (first..=last).contains(&cep))
    }
}

/// The code that IBGE gives a state: 35 is São Paulo.
pub fn state_code(state: &Uf) -> Option<&'static str> {
    STATES.iter().find(|(_, letters)| *letters == state.as_str()).map(|(code, _)| *code)
}

fn all() -> impl Iterator<Item = City> {
    CITIES.lines().filter_map(|line| {
        let mut columns = line.split('\t');
        Some(City { code: columns.next()?, ranges: columns.next()?, name: columns.next()? })
    })
}

/// Letters and digits without case and accents, to compare names by.
fn folded(text: &str) -> String {
    let plain = text.nfd().filter(char::is_ascii_alphanumeric);
    plain.map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(state: &str, name: &str, cep: &str) -> Option<&'static str> {
        let state = state.parse().expect("a state");
        City::of_address(&state, name, &cep.parse().expect("a CEP")).map(|city| city.code)
    }

    #[test]
    fn the_table_is_whole() {
        assert_eq!(all().count(), 5571);
        let whole = |city: City| {
            city.code.len() == 7
                && STATES.iter().any(|(state, _)| city.code.starts_with(state))
                && (city.ranges.is_empty() || city.ranges.split(',').all(|range| range.len() == 17))
        };
        assert!(all().all(whole));
    }

    #[test]
    fn a_city_is_found_by_its_name_else_by_its_postal_code() {
        assert_eq!(code("SP", "sao paulo", "01001000"), Some("3550308"));
        assert_eq!(code("SP", "Sampa", "01001000"), Some("3550308"));
        assert_eq!(code("RJ", "Rio de Janeiro", "20010020"), Some("3304557"));
        assert_eq!(code("SP", "Santa Barbara D´Oeste", "13450000"), Some("3545803"));
        // A name counts within its state only.
        assert_eq!(code("PB", "Santa Rita", "58300000"), Some("2513703"));
        assert_eq!(code("SP", "Nenhures", "20010020"), None);
        assert_eq!(code("MT", "Boa Esperança do Norte", "78000000"), Some("5101837"));
    }

    #[test]
    fn names_compare_without_case_and_accents() {
        assert_eq!(folded("Santa Bárbara d'Oeste"), folded("SANTA BARBARA D´OESTE"));
    }
}
