//! Which state a postal code belongs to, and which capital, without asking a service. Codes are
//! given out by ranges, and ranges hardly ever change.

use super::place::Place;
use crate::value::{Cep, Uf};

/// The first and the last code of each state's ranges. 00000-000 to 00999-999 and 78900-000 to
/// 78999-999 belong to no state.
const STATES: [(u32, u32, &str); 30] = [
    (1_000_000, 19_999_999, "SP"),
    (20_000_000, 28_999_999, "RJ"),
    (29_000_000, 29_999_999, "ES"),
    (30_000_000, 39_999_999, "MG"),
    (40_000_000, 48_999_999, "BA"),
    (49_000_000, 49_999_999, "SE"),
    (50_000_000, 56_999_999, "PE"),
    (57_000_000, 57_999_999, "AL"),
    (58_000_000, 58_999_999, "PB"),
    (59_000_000, 59_999_999, "RN"),
    (60_000_000, 63_999_999, "CE"),
    (64_000_000, 64_999_999, "PI"),
    (65_000_000, 65_999_999, "MA"),
    (66_000_000, 68_899_999, "PA"),
    (68_900_000, 68_999_999, "AP"),
    (69_000_000, 69_299_999, "AM"),
    (69_300_000, 69_399_999, "RR"),
    (69_400_000, 69_899_999, "AM"),
    (69_900_000, 69_999_999, "AC"),
    (70_000_000, 72_799_999, "DF"),
    (72_800_000, 72_999_999, "GO"),
    (73_000_000, 73_699_999, "DF"),
    (73_700_000, 76_799_999, "GO"),
    (76_800_000, 76_999_999, "RO"),
    (77_000_000, 77_999_999, "TO"),
    (78_000_000, 78_899_999, "MT"),
    (79_000_000, 79_999_999, "MS"),
    (80_000_000, 87_999_999, "PR"),
    (88_000_000, 89_999_999, "SC"),
    (90_000_000, 99_999_999, "RS"),
];

/// The ranges of the capitals.
const CAPITALS: [(u32, u32, &str); 29] = [
    (1_000_000, 5_999_999, "São Paulo"),
    (8_000_000, 8_499_999, "São Paulo"),
    (20_000_000, 23_799_999, "Rio de Janeiro"),
    (29_000_000, 29_099_999, "Vitória"),
    (30_000_000, 31_999_999, "Belo Horizonte"),
    (40_000_000, 42_599_999, "Salvador"),
    (49_000_000, 49_098_999, "Aracaju"),
    (50_000_000, 52_999_999, "Recife"),
    (57_000_000, 57_099_999, "Maceió"),
    (58_000_000, 58_099_999, "João Pessoa"),
    (59_000_000, 59_139_999, "Natal"),
    (60_000_000, 61_599_999, "Fortaleza"),
    (64_000_000, 64_099_999, "Teresina"),
    (65_000_000, 65_109_999, "São Luís"),
    (66_000_000, 66_999_999, "Belém"),
    (68_900_000, 68_911_999, "Macapá"),
    (69_000_000, 69_099_999, "Manaus"),
    (69_300_000, 69_339_999, "Boa Vista"),
    (69_900_000, 69_923_999, "Rio Branco"),
    (70_000_000, 72_799_999, "Brasília"),
    (73_000_000, 73_699_999, "Brasília"),
    (74_000_000, 74_899_999, "Goiânia"),
    (76_800_000, 76_834_999, "Porto Velho"),
    (77_000_000, 77_249_999, "Palmas"),
    (78_000_000, 78_099_999, "Cuiabá"),
    (79_000_000, 79_124_999, "Campo Grande"),
    (80_000_000, 82_999_999, "Curitiba"),
    (88_000_000, 88_099_999, "Florianópolis"),
    (90_000_000, 91_999_999, "Porto Alegre"),
];

/// The state of a postal code, and its city where that is a capital.
pub(super) fn find(cep: &Cep) -> Option<Place> {
    let number: u32 = cep.as_str().parse().ok()?;
    let state = within(&STATES, number)?;
    let city = within(&CAPITALS, number).unwrap_or_default();
    Some(Place::new(state.parse().ok()?, city.to_owned()))
}

/// The state of a postal code.
pub(crate) fn state_of(cep: &Cep) -> Option<Uf> {
    find(cep).map(|place| place.state)
}

fn within(ranges: &[(u32, u32, &'static str)], number: u32) -> Option<&'static str> {
    ranges.iter().find(|(first, last, _)| (*first..=*last).contains(&number)).map(|row| row.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(cep: &str) -> Option<(String, String)> {
        let place = find(&cep.parse().expect("a code"))?;
        Some((place.state.to_string(), place.city))
    }

    #[test]
    fn ranges_rise_and_never_overlap() {
        for ranges in [&STATES[..], &CAPITALS[..]] {
            assert!(ranges.iter().all(|(first, last, _)| first < last));
            assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
        for (first, last, uf) in STATES {
            for cep in [first, last] {
                let found = place(&format!("{cep:08}")).expect("a place");
                assert_eq!(found.0, uf);
            }
        }
    }

    #[test]
    fn capitals_have_their_name_and_other_places_none() {
        let is = |uf: &str, city: &str| Some((uf.to_owned(), city.to_owned()));
        assert_eq!(place("01001000"), is("SP", "São Paulo"));
        assert_eq!(place("13010000"), is("SP", ""));
        assert_eq!(place("72800000"), is("GO", ""));
        assert_eq!(place("89010000"), is("SC", ""));
        assert_eq!(place("69900000"), is("AC", "Rio Branco"));
        assert_eq!(place("00999999"), None);
        assert_eq!(place("78950000"), None);
    }
}
