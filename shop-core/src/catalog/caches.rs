//! What is kept of the catalogue as a whole.

use std::sync::Arc;

use super::listing::admin_filter::AdminCriteria;
use super::listing::record_filter::RecordCriteria;
use super::listing::{IndexCache, PkSet};
use super::query_cache::QueryCache;

/// Answers about all products, for each kind of list.
#[derive(Debug, Default)]
pub(crate) struct CatalogCaches {
    /// What shoppers filter and sort by.
    pub(super) index: Arc<IndexCache>,
    /// The products on sale that have all words of a search: a bit a product each, so that
    /// strangers' searches take some megabytes at most.
    pub(super) hits: QueryCache<Vec<String>, PkSet, 128>,
    /// The same for the back office.
    pub(super) admin_totals: QueryCache<AdminCriteria, i64>,
    /// The same for programs.
    pub(super) record_totals: QueryCache<RecordCriteria, i64>,
}
