//! The public catalogue's answers, ready to be sent.
//!
//! Valid for one pair of generations (catalogue, stock): the writer raises them after its commit
//! and before it answers, so no caller gets an answer from before a change that the caller knows of. A hit costs a look
//! into a map and two reference counts; it is answered before anything is allocated for the
//! request.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use hyper::Uri;
use prometheus_client::metrics::counter::Counter;
use shop_core::area;
use shop_core::storage::Generations;

use crate::etag::Tagged;

/// Answers in each half of the cache.
const HALF_ENTRIES: usize = 4096;
/// What the answers of each half may weigh.
const HALF_BYTES: usize = 16 * 1024 * 1024;

/// The state of the data that an answer was made from. Read it before the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    catalog: u64,
    stock: u64,
}

impl Stamp {
    pub(crate) fn now(generations: &Generations) -> Self {
        Self { catalog: generations.of(area::CATALOG), stock: generations.of(area::STOCK) }
    }
}

/// Answers by path and normalised query.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    halves: RwLock<Halves>,
    pub(crate) hits: Counter,
    pub(crate) misses: Counter,
}

/// New answers go into the young half. When it is full it becomes the old one, and what was in that
/// is forgotten: bounded without keeping an order of use, and what is asked for often is back at
/// once.
#[derive(Debug, Default)]
struct Halves {
    young: HashMap<Box<str>, (Stamp, Tagged)>,
    young_bytes: usize,
    old: HashMap<Box<str>, (Stamp, Tagged)>,
}

impl Cache {
    /// Hands the answer to `use_it`, if there is one made from the present data.
    pub(crate) fn get<T>(
        &self,
        key: &str,
        now: Stamp,
        use_it: impl FnOnce(&Tagged) -> T,
    ) -> Option<T> {
        let halves = self.halves.read().unwrap_or_else(PoisonError::into_inner);
        let found = halves.young.get(key).or_else(|| halves.old.get(key));
        match found {
            Some((stamp, tagged)) if *stamp == now => {
                self.hits.inc();
                Some(use_it(tagged))
            }
            _ => {
                self.misses.inc();
                None
            }
        }
    }

    /// Keeps an answer that was made from data read after `stamp`.
    pub(crate) fn put(&self, key: &str, stamp: Stamp, tagged: Tagged) {
        let bytes = key.len() + tagged.body.len();
        if bytes > HALF_BYTES / 8 {
            return;
        }
        let mut halves = self.halves.write().unwrap_or_else(PoisonError::into_inner);
        if halves.young.len() >= HALF_ENTRIES || halves.young_bytes + bytes > HALF_BYTES {
            halves.old = std::mem::take(&mut halves.young);
            halves.young_bytes = 0;
        }
        let replaced = halves.young.insert(key.into(), (stamp, tagged));
        let freed = replaced.map_or(0, |(_, tagged)| key.len() + tagged.body.len());
        halves.young_bytes = halves.young_bytes + bytes - freed;
    }
}

/// What an answer is kept under: the path and its query, parameters in the order of their names and
/// without those that the row does not know. A query that is so already, as almost all are, is
/// used as it stands.
pub(crate) fn key<'u>(uri: &'u Uri, known: &[String]) -> Cow<'u, str> {
    let query = uri.query().unwrap_or_default();
    if is_normal(query, known) {
        return match uri.path_and_query() {
            Some(whole) if !query.is_empty() => whole.as_str().into(),
            _ => uri.path().into(),
        };
    }
    let mut pairs: Vec<&str> = query.split('&').filter(|pair| is_known(pair, known)).collect();
    pairs.sort_by_key(|pair| name(pair));
    if pairs.is_empty() {
        return uri.path().into();
    }
    format!("{}?{}", uri.path(), pairs.join("&")).into()
}

fn is_normal(query: &str, known: &[String]) -> bool {
    let mut last = "";
    query.is_empty()
        || query.split('&').all(|pair| {
            let in_order = last < name(pair);
            last = name(pair);
            in_order && is_known(pair, known)
        })
}

fn name(pair: &str) -> &str {
    pair.split('=').next().unwrap_or_default()
}

/// A name with escapes is kept: it may be a known one.
fn is_known(pair: &str, known: &[String]) -> bool {
    let name = name(pair);
    name.contains(['%', '+']) || known.iter().any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use hyper::header::HeaderValue;

    use super::*;

    fn key_of(uri: &'static str) -> String {
        let known = ["limit", "page", "search"].map(str::to_owned);
        key(&Uri::from_static(uri), &known).into_owned()
    }

    #[test]
    fn queries_that_ask_for_the_same_have_one_key() {
        let one = "/p?limit=5&page=2";
        for query in ["/p?limit=5&page=2", "/p?page=2&limit=5", "/p?utm=x&page=2&limit=5&y"] {
            assert_eq!(key_of(query), one, "{query}");
        }
        assert_eq!(key_of("/p"), "/p");
        assert_eq!(key_of("/p?"), "/p");
        assert_eq!(key_of("/p?utm=x"), "/p");
    }

    #[test]
    fn queries_that_may_ask_for_something_else_have_another_key() {
        assert_ne!(key_of("/p?page=1&page=2"), key_of("/p?page=1"));
        assert_ne!(key_of("/p?page=1&page=2"), key_of("/p?page=2&page=1"));
        assert_ne!(key_of("/p?p%61ge=2"), key_of("/p"));
        assert_ne!(key_of("/p?page"), key_of("/p"));
    }

    fn tagged(bytes: usize) -> Tagged {
        let header = HeaderValue::from_static("x");
        Tagged::new(Bytes::from(vec![b'x'; bytes]), header.clone(), header)
    }

    const NOW: Stamp = Stamp { catalog: 1, stock: 1 };

    fn has(cache: &Cache, key: &str, at: Stamp) -> bool {
        cache.get(key, at, |_| ()).is_some()
    }

    #[test]
    fn an_answer_holds_for_its_generations_only() {
        let cache = Cache::default();
        cache.put("/p", NOW, tagged(1));
        assert!(has(&cache, "/p", NOW));
        assert!(!has(&cache, "/p", Stamp { catalog: 2, ..NOW }));
        assert!(!has(&cache, "/p", Stamp { stock: 2, ..NOW }));
        assert!(!has(&cache, "/q", NOW));
    }

    #[test]
    fn entries_and_bytes_are_bounded() {
        let cache = Cache::default();
        for n in 0..3 * HALF_ENTRIES {
            cache.put(&n.to_string(), NOW, tagged(1));
        }
        let kept = (0..3 * HALF_ENTRIES).filter(|n| has(&cache, &n.to_string(), NOW)).count();
        assert!((HALF_ENTRIES..=2 * HALF_ENTRIES).contains(&kept), "{kept}");
        for n in 0..100 {
            cache.put(&format!("large {n}"), NOW, tagged(HALF_BYTES / 10));
        }
        let kept = (0..100).filter(|n| has(&cache, &format!("large {n}"), NOW)).count();
        assert!((9..=20).contains(&kept), "{kept}");
        cache.put("huge", NOW, tagged(HALF_BYTES));
        assert!(!has(&cache, "huge", NOW));
    }
}
