//! Numbers as people write them, without what only helps the eye.

/// The digits of a telephone number: whatever else people write beside it (`11 99999-0000 zap`) is
/// no part of it.
pub(crate) fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// A CPF or a CNPJ without its punctuation; a CNPJ may have letters.
pub(crate) fn without_punctuation(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_telephone_has_digits_only_and_a_cnpj_its_letters_too() {
        assert_eq!(digits("11 99999-0000 zap"), "11999990000");
        assert_eq!(without_punctuation("12.ABC.345/01DE-35"), "12ABC34501DE35");
    }
}
