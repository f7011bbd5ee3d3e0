//! The words of the catalogue.
//!
//! A full-text index finds the products of a whole word as it goes, newest first, and can stop
//! early; those of a long beginning it has to collect and sort first. So beginnings are replaced
//! by the whole words that the catalogue has for them.

use crate::error::Result;
use crate::storage::{Param, SearchWord, Tx, params};

/// Beginnings up to this many letters have an index of their own.
const SHORT: usize = 3;
/// A beginning of more words than this stays one.
const MAX_WORDS: usize = 50;

/// What to search for so that every word is found by its beginning.
pub(in crate::catalog) fn search_words(
    tx: &mut dyn Tx,
    query: &[String],
) -> Result<Vec<SearchWord>> {
    let is_long = |word: &&String| word.chars().count() > SHORT;
    let long: Vec<&str> = query.iter().filter(is_long).map(String::as_str).collect();
    let mut whole = beginning_with(tx, &long, MAX_WORDS + 1)?.into_iter();
    let search_word = |word: &String| {
        let whole = if is_long(&word) { whole.next().unwrap_or_default() } else { Vec::new() };
        if (1..=MAX_WORDS).contains(&whole.len()) {
            return SearchWord::OneOf(whole);
        }
        SearchWord::Beginning(word.clone())
    };
    Ok(query.iter().map(search_word).collect())
}

/// Whether the word is new.
pub(super) fn keep(tx: &mut dyn Tx, word: &str) -> Result<bool> {
    let sql = "INSERT INTO search_word (word) VALUES ($1) ON CONFLICT (word) DO NOTHING";
    Ok(tx.execute(sql, params![word])? > 0)
}

/// Up to `limit` words that begin with each of these, all asked for at once.
pub(super) fn beginning_with(
    tx: &mut dyn Tx,
    beginnings: &[&str],
    limit: usize,
) -> Result<Vec<Vec<String>>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let beyond: Vec<String> = beginnings.iter().map(|it| format!("{it}{}", char::MAX)).collect();
    let lists = beginnings.iter().zip(&beyond);
    let lists: Vec<[Param<'_>; 3]> =
        lists.map(|(from, to)| [(*from).into(), to.into(), limit.into()]).collect();
    words_of_each(
        tx,
        "SELECT word FROM search_word WHERE word >= $1 AND word < $2 ORDER BY word LIMIT $3",
        &lists,
    )
}

/// The words that a statement finds for each list of parameters, in one round trip.
pub(super) fn words_of_each<const N: usize>(
    tx: &mut dyn Tx,
    sql: &str,
    lists: &[[Param<'_>; N]],
) -> Result<Vec<Vec<String>>> {
    let mut words = vec![Vec::new(); lists.len()];
    if lists.is_empty() {
        return Ok(words);
    }
    let lists: Vec<&[Param<'_>]> = lists.iter().map(<[_; N]>::as_slice).collect();
    tx.query_each(sql, &lists, &mut |place, row| {
        words[place].push(row.get(0)?);
        Ok(())
    })?;
    Ok(words)
}
