//! Text as the layout takes it: Latin-1, one line, no blanks at its ends.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A text in the characters that the layout knows, at most `max` of them. What it does not know is
/// replaced where something stands for it (`–` by `-`, curly quotes by straight ones, `ő` by `o`)
/// and left out otherwise.
pub(crate) fn fit(text: &str, max: usize) -> String {
    let plain: String = text.nfc().flat_map(|c| replaced(c).chars().collect::<Vec<_>>()).collect();
    let words: Vec<&str> = plain.split([' ', '\u{a0}']).filter(|word| !word.is_empty()).collect();
    let cut: String = words.join(" ").chars().take(max).collect();
    cut.trim_end().to_owned()
}

fn replaced(c: char) -> String {
    match c {
        '\u{ad}' => String::new(),
        ' '..='~' | '\u{a0}'..='ÿ' => c.to_string(),
        '‐'..='―' | '−' | '•' => "-".to_owned(),
        '‘' | '’' | '‚' | '′' => "'".to_owned(),
        '“' | '”' | '„' | '″' => "\"".to_owned(),
        '…' => "...".to_owned(),
        '€' => "EUR".to_owned(),
        // Letters of names that are no other letter with a mark.
        'ł' => "l".to_owned(),
        'Ł' => "L".to_owned(),
        'đ' => "d".to_owned(),
        'Đ' => "D".to_owned(),
        'ħ' => "h".to_owned(),
        'Ħ' => "H".to_owned(),
        'ı' => "i".to_owned(),
        'œ' => "oe".to_owned(),
        'Œ' => "OE".to_owned(),
        c if c.is_whitespace() => " ".to_owned(),
        c => std::iter::once(c)
            .nfd()
            .filter(|c| !is_combining_mark(*c) && matches!(c, ' '..='ÿ'))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_layout_does_not_know_is_replaced_or_left_out() {
        assert_eq!(fit("  Vela “Noite”\u{a0}–  200\ng 🕯 ", 120), "Vela \"Noite\" - 200 g");
        assert_eq!(fit("Joa\u{303}o Erdős 中文", 120), "João Erdos");
        assert_eq!(fit("Łukasz Wałęsa Đorđević Œuvre", 60), "Lukasz Walesa Dordevic OEuvre");
        assert_eq!(fit("\u{1}\u{85}a\u{ad}b", 120), "ab");
        assert_eq!(fit("", 5), "");
    }

    #[test]
    fn cutting_leaves_no_blank_at_the_end() {
        assert_eq!(fit("abc def", 4), "abc");
        assert_eq!(fit("ééé", 2), "éé");
    }
}
