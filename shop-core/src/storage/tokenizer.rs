//! What the tokenizer of SQLite's full-text index has to be told of: it knows Unicode 6.1.

use crate::value::words::begins_word;

/// Blocks that have grown since: signs of currencies, symbols, punctuation and emojis. What the
/// tokenizer does not know it takes for a letter.
const LATER_SYMBOLS: [(char, char); 6] = [
    ('\u{20A0}', '\u{20CF}'),
    ('\u{218A}', '\u{218F}'),
    ('\u{2300}', '\u{243F}'),
    ('\u{2B00}', '\u{2BFF}'),
    ('\u{2E00}', '\u{2E7F}'),
    ('\u{1F000}', '\u{1FAFF}'),
];
/// Letters in circles and squares, which the tokenizer takes for symbols.
const ENCLOSED_LETTERS: [(char, char); 4] = [
    ('\u{24B6}', '\u{24E9}'),
    ('\u{1F130}', '\u{1F149}'),
    ('\u{1F150}', '\u{1F169}'),
    ('\u{1F170}', '\u{1F189}'),
];

/// A migration with the characters for `{symbols}` and `{letters}`, where it has them.
pub(super) fn fill_in_symbols(sql: &str) -> String {
    if !sql.contains("{symbols}") {
        return sql.to_owned();
    }
    let all = |blocks: &[(char, char)]| -> String {
        blocks.iter().flat_map(|(first, last)| *first..=*last).collect()
    };
    let symbols: String = all(&LATER_SYMBOLS).chars().filter(|c| !begins_word(*c)).collect();
    sql.replace("{symbols}", &symbols).replace("{letters}", &all(&ENCLOSED_LETTERS))
}
