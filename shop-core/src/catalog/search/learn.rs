//! Adds the words of products to the vocabulary that searches use.

use std::collections::HashSet;

use super::{fuzzy, vocabulary};
use crate::error::Result;
use crate::storage::Tx;
use crate::value::words::words;

/// Longer words are not kept: no engine's index takes words of any length. They are found by their
/// beginning as long as no word that is kept begins so. The check `search-words` has the same
/// bound.
const MAX_LENGTH: usize = 200;

/// Words that are kept for sure, so that adding many products at once asks about each only once.
/// Only good within one transaction.
pub(crate) type LearnedWords = HashSet<String>;

/// Keeps the words of a text. Whatever changes the name or the description of an active product,
/// or makes it active, has to do this in the same transaction.
pub(crate) fn learn(tx: &mut dyn Tx, text: &str, learned: &mut LearnedWords) -> Result<()> {
    for word in words(text).map(|word| word.folded) {
        if word.is_empty() || word.chars().count() > MAX_LENGTH || learned.contains(&word) {
            continue;
        }
        if vocabulary::keep(tx, &word)? {
            fuzzy::keep(tx, &word)?;
        }
        learned.insert(word);
    }
    Ok(())
}
