//! Misspelt words: one finds its nearest neighbour in the catalogue by
//! the trigrams that both have (`lavnda` and `lavanda` share ` la`, `lav`, `nda`, ..).

use std::collections::HashSet;

use super::vocabulary;
use crate::error::Result;
use crate::storage::{Tx, params};

/// Longer words are neither compared nor corrected.
const MAX_LENGTH: usize = 32;
/// Words read for one trigram. One that more words have says little, and is passed over unless
/// all are like it.
const MAX_POSTINGS: usize = 500;
/// Words less similar than this are different words: shared trigrams by all trigrams of both.
const THRESHOLD: f64 = 0.3;

/// Keeps the trigrams of a new word.
pub(super) fn keep(tx: &mut dyn Tx, word: &str) -> Result<()> {
    if word.chars().count() > MAX_LENGTH {
        return Ok(());
    }
    trigrams(word).iter().try_for_each(|trigram| keep_trigram(tx, trigram, word))
}

/// The query with each word that begins no word of the catalogue replaced by its neighbour there;
/// `None` where that changes nothing.
pub(super) fn correct(tx: &mut dyn Tx, query: &[String]) -> Result<Option<Vec<String>>> {
    let mut corrected = query.to_vec();
    for word in &mut corrected {
        if word.chars().count() > MAX_LENGTH || !vocabulary::beginning_with(tx, word, 1)?.is_empty()
        {
            continue;
        }
        if let Some(neighbour) = nearest(tx, word)? {
            *word = neighbour;
        }
    }
    Ok((corrected != query).then_some(corrected))
}

/// The trigrams of a word, with two spaces before and one behind it, so that its beginning weighs
/// more than its end.
fn trigrams(word: &str) -> HashSet<String> {
    let padded: Vec<char> = "  ".chars().chain(word.chars()).chain([' ']).collect();
    padded.windows(3).map(|three| three.iter().collect()).collect()
}

fn similarity(shared: usize, a: usize, b: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a word has at most 34 trigrams")]
    let ratio = shared as f64 / (a + b - shared) as f64;
    ratio
}

fn nearest(tx: &mut dyn Tx, word: &str) -> Result<Option<String>> {
    let wanted = trigrams(word);
    let mut postings = Vec::with_capacity(wanted.len());
    for trigram in &wanted {
        postings.push(words_with(tx, trigram)?);
    }
    let telling = |posting: &Vec<String>| posting.len() <= MAX_POSTINGS;
    if postings.iter().any(|posting| telling(posting) && !posting.is_empty()) {
        postings.retain(telling);
    }
    let candidates: HashSet<String> = postings.into_iter().flatten().collect();
    let best = candidates
        .into_iter()
        .map(|candidate| {
            let theirs = trigrams(&candidate);
            let shared = wanted.intersection(&theirs).count();
            (similarity(shared, wanted.len(), theirs.len()), candidate)
        })
        .filter(|(alike, _)| *alike >= THRESHOLD)
        // Of equals the alphabetically first, so that the answer is always the same.
        .max_by(|(a, x), (b, y)| a.total_cmp(b).then_with(|| y.cmp(x)));
    Ok(best.map(|(_, candidate)| candidate))
}

fn keep_trigram(tx: &mut dyn Tx, trigram: &str, word: &str) -> Result<()> {
    let sql = "INSERT INTO search_trigram (trigram, word) VALUES ($1, $2)
               ON CONFLICT (trigram, word) DO NOTHING";
    tx.run(sql, params![trigram, word])
}

/// The words that have a trigram; one more than [`MAX_POSTINGS`] where there are too many.
fn words_with(tx: &mut dyn Tx, trigram: &str) -> Result<Vec<String>> {
    let sql = "SELECT word FROM search_trigram WHERE trigram = $1 ORDER BY word LIMIT 501";
    tx.list(sql, params![trigram])
}
