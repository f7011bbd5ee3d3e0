//! How numbers, dates and identities are written in Brazil.

use unicode_normalization::UnicodeNormalization;

/// A decimal number as XML has it, with its thousands apart and at least so many decimals.
pub(crate) fn decimal(text: &str, decimals: usize) -> String {
    if text.is_empty() {
        return String::new();
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut fraction = fraction.trim_end_matches('0').to_owned();
    while fraction.len() < decimals {
        fraction.push('0');
    }
    let whole = thousands(whole);
    if fraction.is_empty() { whole } else { format!("{whole},{fraction}") }
}

/// Digits in groups of three.
pub(crate) fn thousands(digits: &str) -> String {
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push('.');
        }
        grouped.push(digit);
    }
    grouped
}

/// An amount of money.
pub(crate) fn money(text: &str) -> String {
    decimal(text, 2)
}

/// A rate, with its sign.
pub(crate) fn rate(text: &str) -> String {
    if text.is_empty() { String::new() } else { decimal(text, 2) + "%" }
}

/// The invoice's number, as people read it.
pub(crate) fn number(text: &str) -> String {
    thousands(&format!("{text:0>9}"))
}

/// The day of an XML date, with or without a time.
pub(crate) fn date(text: &str) -> String {
    let parts: Vec<&str> = text.split('T').next().unwrap_or("").split('-').collect();
    match parts[..] {
        [year, month, day] => format!("{day}/{month}/{year}"),
        _ => text.to_owned(),
    }
}

/// The time of day that an XML date says, where it is.
pub(crate) fn time(text: &str) -> String {
    let time = text.split_once('T').map_or("", |(_, time)| time);
    time.get(..8).unwrap_or("").to_owned()
}

/// A CNPJ or a CPF with its punctuation. A CNPJ may have letters.
pub(crate) fn identity(text: &str) -> String {
    match text.len() {
        14 => mask(text, "##.###.###/####-##"),
        11 => mask(text, "###.###.###-##"),
        _ => text.to_owned(),
    }
}

/// A postal code.
pub(crate) fn cep(text: &str) -> String {
    if text.len() == 8 { mask(text, "#####-###") } else { text.to_owned() }
}

/// A telephone number.
pub(crate) fn phone(text: &str) -> String {
    match text.len() {
        10 => mask(text, "(##) ####-####"),
        11 => mask(text, "(##) #####-####"),
        _ => text.to_owned(),
    }
}

/// The key in groups of four.
pub(crate) fn key(text: &str) -> String {
    mask(text, &["####"; 11].join(" "))
}

/// A text in the letters that the PDF's own typeface has. Another letter becomes a question mark,
/// and a sign, such as an emoji, is left out. Accents that stand behind their letters, as some
/// systems write them, are put on them, and several blanks are one.
pub(crate) fn printable(text: &str) -> String {
    let letter = |letter: char| match letter {
        '\u{2010}'..='\u{2015}' => Some('-'),
        '\u{2018}' | '\u{2019}' => Some('\''),
        '\u{201C}' | '\u{201D}' => Some('"'),
        letter if letter.is_control() || letter.is_whitespace() => Some(' '),
        ' '..='~' | '\u{A1}'..='\u{FF}' => Some(letter),
        letter if letter.is_alphanumeric() => Some('?'),
        _ => None,
    };
    let printed: String = text.nfc().filter_map(letter).collect();
    let words: Vec<_> = printed.split_whitespace().collect();
    if words.is_empty() && !text.is_empty() { "?".to_owned() } else { words.join(" ") }
}

fn mask(text: &str, mask: &str) -> String {
    let mut letters = text.chars();
    mask.chars().filter_map(|c| if c == '#' { letters.next() } else { Some(c) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_typeface_lacks_becomes_a_question_mark_or_is_left_out_and_accents_stay() {
        assert_eq!(printable("Ac\u{327}ai\u{301} – да"), "Açaí - ??");
        assert_eq!(printable("Ana 🕯\u{FE0F} Souza ✨"), "Ana Souza");
        assert_eq!(printable("🕯🕯"), "?");
        assert_eq!(printable(""), "");
    }

    #[test]
    fn numbers_dates_and_identities_are_written_as_people_read_them() {
        assert_eq!(money("1234567.5"), "1.234.567,50");
        assert_eq!(money("0.00"), "0,00");
        assert_eq!(decimal("29.9000000000", 2), "29,90");
        assert_eq!(decimal("0.3333333333", 2), "0,3333333333");
        assert_eq!(decimal("2.0000", 4), "2,0000");
        assert_eq!((money(""), rate("")), (String::new(), String::new()));
        assert_eq!(rate("0.1000"), "0,10%");
        assert_eq!(number("1234"), "000.001.234");
        assert_eq!(date("2026-12-02T09:00:00-03:00"), "02/12/2026");
        assert_eq!(time("2026-12-02T09:00:00-03:00"), "09:00:00");
        assert_eq!((date("2026-12-31"), time("2026-12-31")), ("31/12/2026".into(), String::new()));
        assert_eq!(identity("12ABC34501DE35"), "12.ABC.345/01DE-35");
        assert_eq!(identity("52998224725"), "529.982.247-25");
        assert_eq!(
            (cep("01310200"), phone("1133334444")),
            ("01310-200".into(), "(11) 3333-4444".into())
        );
        assert_eq!(phone("11999998888"), "(11) 99999-8888");
    }
}
