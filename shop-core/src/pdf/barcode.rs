//! Digits, and keys of invoices, as bars (CODE-128).

use barcoders::sym::code128::Code128;

/// Starts or continues in the set that puts two digits into one symbol.
const SET_C: char = '\u{0106}';
/// Starts in the set that has all printable ASCII.
const SET_B: char = '\u{0181}';
/// Continues in the set that has capital letters.
const SET_A: char = '\u{00C0}';

/// The bars of an even number of digits or of a key: dark and light modules, without the light
/// margins. Digits alone are CODE-128C; where the company's number has letters, those twelve
/// characters stand in set A.
pub(crate) fn modules(key: &str) -> Option<Vec<bool>> {
    let text = if key.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("{SET_C}{key}")
    } else {
        let (head, rest) = key.split_at_checked(6)?;
        let (company, tail) = rest.split_at_checked(12)?;
        format!("{SET_C}{head}{SET_A}{company}{SET_C}{tail}")
    };
    let bars = Code128::new(text).ok()?.encode();
    Some(bars.into_iter().map(|module| module == 1).collect())
}

/// The bars of any ASCII text, such as the code of a parcel: dark and light modules, without the
/// light margins.
pub(crate) fn text(text: &str) -> Option<Vec<bool>> {
    let bars = Code128::new(format!("{SET_B}{text}")).ok()?.encode();
    Some(bars.into_iter().map(|module| module == 1).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_digits_needs_277_modules_and_one_with_letters_365() {
        let length = |key: &str| modules(key).expect("a key").len();
        assert_eq!(length("35261111222333000181550010000000011482719368"), 277);
        assert_eq!(length("35261112ABC34501DE35550010000000051704182632"), 365);
    }

    #[test]
    fn what_is_no_key_has_no_bars() {
        assert_eq!(modules("ção"), None);
    }
}
