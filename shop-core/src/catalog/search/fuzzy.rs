//! Misspelt words: one finds its nearest neighbour in the catalogue by
//! the trigrams that both have (`lavnda` and `lavanda` share ` la`, `lav`, `nda`, ..).

use std::collections::{HashMap, HashSet};

use super::vocabulary;
use crate::error::Result;
use crate::storage::{Param, Tx, params};

/// Longer words are neither compared nor corrected.
const MAX_LENGTH: usize = 32;
/// Where more words than this are unknown, none is corrected: every word must be found, and each
/// one that is looked for reads some 10 lists of words.
const MAX_UNKNOWN: usize = 5;
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
/// `None` where that changes nothing, and where more words than [`MAX_UNKNOWN`] are like that.
pub(super) fn correct(tx: &mut dyn Tx, query: &[String]) -> Result<Option<Vec<String>>> {
    let is_short = |word: &&str| word.chars().count() <= MAX_LENGTH;
    let words: Vec<&str> = query.iter().map(String::as_str).filter(is_short).collect();
    let known = vocabulary::beginning_with(tx, &words, 1)?;
    let unknown = words.into_iter().zip(known).filter(|(_, known)| known.is_empty());
    let unknown: Vec<&str> = unknown.map(|(word, _)| word).collect();
    if unknown.len() > MAX_UNKNOWN {
        return Ok(None);
    }
    let neighbours: HashMap<&str, String> = neighbours(tx, &unknown)?;
    let corrected = query.iter().map(|word| neighbours.get(word.as_str()).unwrap_or(word).clone());
    Ok((!neighbours.is_empty()).then(|| corrected.collect()))
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

/// The neighbours of those words that have one, whose trigrams are looked up at once.
fn neighbours<'w>(tx: &mut dyn Tx, words: &[&'w str]) -> Result<HashMap<&'w str, String>> {
    let wanted: Vec<HashSet<String>> = words.iter().map(|word| trigrams(word)).collect();
    let trigrams: Vec<&String> = wanted.iter().flatten().collect();
    let mut postings = postings(tx, &trigrams)?.into_iter();
    let found = words.iter().zip(&wanted).filter_map(|(word, wanted)| {
        let postings = postings.by_ref().take(wanted.len()).collect();
        Some((*word, nearest(wanted, postings)?))
    });
    Ok(found.collect())
}

/// The word that is most alike, of those that have a trigram in common.
fn nearest(wanted: &HashSet<String>, mut postings: Vec<Vec<String>>) -> Option<String> {
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
    best.map(|(_, candidate)| candidate)
}

fn keep_trigram(tx: &mut dyn Tx, trigram: &str, word: &str) -> Result<()> {
    let sql = "INSERT INTO search_trigram (trigram, word) VALUES ($1, $2)
               ON CONFLICT (trigram, word) DO NOTHING";
    tx.run(sql, params![trigram, word])
}

/// The words that have each of these trigrams; one more than [`MAX_POSTINGS`] where there are too
/// many.
fn postings(tx: &mut dyn Tx, trigrams: &[&String]) -> Result<Vec<Vec<String>>> {
    let lists: Vec<[Param<'_>; 1]> = trigrams.iter().map(|it| [(*it).into()]).collect();
    let most = MAX_POSTINGS + 1;
    let sql =
        format!("SELECT word FROM search_trigram WHERE trigram = $1 ORDER BY word LIMIT {most}");
    vocabulary::words_of_each(tx, &sql, &lists)
}
