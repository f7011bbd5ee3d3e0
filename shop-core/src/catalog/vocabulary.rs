//! The words of the catalogue.
//!
//! A full-text index finds the products of a whole word as it goes, newest first, and can stop
//! early; those of a long beginning it has to collect and sort first. So beginnings are replaced
//! by the whole words that the catalogue has for them.

use std::collections::HashSet;

use super::fuzzy;
use crate::error::Result;
use crate::storage::{SearchWord, Tx};
use crate::value::words::words;

/// Beginnings up to this many letters have an index of their own.
const SHORT: usize = 3;
/// A beginning of more words than this stays one.
const MAX_WORDS: usize = 50;

/// Longer words are not kept: no engine's index takes words of any length. They are found by their
/// beginning as long as no word that is kept begins so.
const MAX_LENGTH: usize = 200;

/// Words that are kept for sure, so that adding many products at once asks about each only once.
/// Only good within one transaction.
pub(crate) type Known = HashSet<String>;

/// Keeps the words of a text. Whatever changes the name or the description of an active product,
/// or makes it active, has to do this in the same transaction.
pub(crate) fn learn(tx: &mut dyn Tx, text: &str, known: &mut Known) -> Result<()> {
    for word in words(text).map(|word| word.folded) {
        if word.is_empty() || word.chars().count() > MAX_LENGTH || known.contains(&word) {
            continue;
        }
        if keep(tx, &word)? {
            fuzzy::learn(tx, &word)?;
        }
        known.insert(word);
    }
    Ok(())
}

/// What to search for so that every word is found by its beginning.
pub(super) fn search_words(tx: &mut dyn Tx, query: &[String]) -> Result<Vec<SearchWord>> {
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

fn keep(tx: &mut dyn Tx, word: &str) -> Result<bool> {
    let sql = "INSERT INTO search_word (word) VALUES ($1) ON CONFLICT (word) DO NOTHING";
    Ok(tx.execute(sql, &[word.into()])? > 0)
}

/// Up to `limit` words that begin so.
pub(super) fn beginning_with(tx: &mut dyn Tx, prefix: &str, limit: usize) -> Result<Vec<String>> {
    let beyond = format!("{prefix}{}", char::MAX);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.all(
        "SELECT word FROM search_word WHERE word >= $1 AND word < $2 ORDER BY word LIMIT $3",
        &[prefix.into(), (&beyond).into(), limit.into()],
        |row| row.get(0),
    )
}
