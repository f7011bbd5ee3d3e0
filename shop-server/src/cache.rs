//! The public catalogue's answers, ready to be sent.
//!
//! Valid for one pair of generations (catalogue, stock): the writer raises them after its commit
//! and before it answers, so no caller gets an answer from before a change that the caller knows
//! of. A hit costs a look into a map and two reference counts; it is answered before anything is
//! allocated for the request.

use std::borrow::Cow;
use std::sync::Arc;

use hyper::Uri;
use prometheus_client::metrics::counter::Counter;
use quick_cache::sync::DefaultLifecycle;
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter, sync};
use shop_core::area;
use shop_core::storage::Generations;

use crate::etag::Tagged;

/// Answers kept at most.
const ENTRIES: usize = 8192;
/// What all answers may weigh, in bytes: some 900 lists of 20 products, or 6,000 products.
const BYTES: usize = 12 * 1024 * 1024;
/// Parts with a lock and a share of the bytes each.
const SHARDS: usize = 8;

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

/// Answers by path and normalised query. A full cache forgets those that are asked for least.
#[derive(Debug)]
pub(crate) struct Cache {
    answers: sync::Cache<Box<str>, Arc<(Stamp, Tagged)>, Bytes>,
    pub(crate) hits: Counter,
    pub(crate) misses: Counter,
}

/// Weighs answers by their bytes; the smallest ones weigh so much that their number is bounded too.
#[derive(Debug, Clone)]
struct Bytes;

impl Weighter<Box<str>, Arc<(Stamp, Tagged)>> for Bytes {
    fn weight(&self, key: &Box<str>, answer: &Arc<(Stamp, Tagged)>) -> u64 {
        (key.len() + answer.1.body.len()).max(BYTES / ENTRIES) as u64
    }
}

impl Default for Cache {
    fn default() -> Self {
        let options = OptionsBuilder::new()
            .shards(SHARDS)
            .estimated_items_capacity(ENTRIES)
            .weight_capacity(BYTES as u64)
            .build()
            .expect("both capacities are set");
        let (hash, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
        let answers = sync::Cache::with_options(options, Bytes, hash, lifecycle);
        Self { answers, hits: Counter::default(), misses: Counter::default() }
    }
}

impl Cache {
    /// Hands the answer to `use_it`, if there is one made from the present data.
    pub(crate) fn get<T>(
        &self,
        key: &str,
        now: Stamp,
        use_it: impl FnOnce(&Tagged) -> T,
    ) -> Option<T> {
        let found = self.answers.get(key).filter(|answer| answer.0 == now);
        if found.is_some() { &self.hits } else { &self.misses }.inc();
        found.map(|answer| use_it(&answer.1))
    }

    /// Keeps an answer that was made from data read after `stamp`.
    pub(crate) fn put(&self, key: &str, stamp: Stamp, tagged: Tagged) {
        self.answers.insert(key.into(), Arc::new((stamp, tagged)));
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
        Tagged::new(bytes::Bytes::from(vec![b'x'; bytes]), header.clone(), header)
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
        for n in 0..2 * ENTRIES {
            cache.put(&n.to_string(), NOW, tagged(1));
        }
        let kept = (0..2 * ENTRIES).filter(|n| has(&cache, &n.to_string(), NOW)).count();
        assert!((ENTRIES / 2..=ENTRIES).contains(&kept), "{kept}");
        for n in 0..100 {
            cache.put(&format!("large {n}"), NOW, tagged(BYTES / 20));
        }
        let kept = (0..100).filter(|n| has(&cache, &format!("large {n}"), NOW)).count();
        assert!((SHARDS / 2..=20).contains(&kept), "{kept}");
        cache.put("huge", NOW, tagged(BYTES / 2));
        assert!(!has(&cache, "huge", NOW));
    }

    #[test]
    fn what_is_asked_for_often_outlives_a_flood_of_other_questions() {
        let cache = Cache::default();
        cache.put("/p", NOW, tagged(1));
        for n in 0..2 * ENTRIES {
            assert!(has(&cache, "/p", NOW), "forgotten after {n}");
            cache.put(&n.to_string(), NOW, tagged(1));
        }
    }
}
