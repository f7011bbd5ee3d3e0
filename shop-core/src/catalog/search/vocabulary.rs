//! The words of the catalogue.
//!
//! A full-text index finds the products of a whole word as it goes, newest first, and can stop
//! early; those of a long beginning it has to collect and sort first. So beginnings are replaced
//! by the whole words that the catalogue has for them.

use crate::error::Result;
use crate::storage::{SearchWord, Tx, params};

/// Beginnings up to this many letters have an index of their own.
const SHORT: usize = 3;
/// A beginning of more words than this stays one.
const MAX_WORDS: usize = 50;

/// What to search for so that every word is found by its beginning.
pub(in crate::catalog) fn search_words(
    tx: &mut dyn Tx,
    query: &[String],
) -> Result<Vec<SearchWord>> {
    query.iter().map(|word| search_word(tx, word)).collect()
}

fn search_word(tx: &mut dyn Tx, word: &str) -> Result<SearchWord> {
    if word.chars().count() > SHORT {
        let whole = beginning_with(tx, word, MAX_WORDS + 1)?;
        if (1..=MAX_WORDS).contains(&whole.len()) {
            return Ok(SearchWord::OneOf(whole));
        }
    }
    Ok(SearchWord::Beginning(word.to_owned()))
}

/// Whether the word is new.
pub(super) fn keep(tx: &mut dyn Tx, word: &str) -> Result<bool> {
    let sql = "INSERT INTO search_word (word) VALUES ($1) ON CONFLICT (word) DO NOTHING";
    Ok(tx.execute(sql, params![word])? > 0)
}

/// Up to `limit` words that begin so.
pub(super) fn beginning_with(tx: &mut dyn Tx, prefix: &str, limit: usize) -> Result<Vec<String>> {
    let beyond = format!("{prefix}{}", char::MAX);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.list(
        "SELECT word FROM search_word WHERE word >= $1 AND word < $2 ORDER BY word LIMIT $3",
        params![prefix, &beyond, limit],
    )
}
