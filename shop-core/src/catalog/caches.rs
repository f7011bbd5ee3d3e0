//! What is kept of the catalogue as a whole.

use std::sync::Arc;

use super::listing::admin_filter::AdminCriteria;
use super::listing::filter::Criteria;
use super::listing::record_filter::RecordCriteria;
use super::query_cache::QueryCache;

/// Answers about all products, for each kind of list.
#[derive(Debug, Default)]
pub(crate) struct CatalogCaches {
    /// How many products a shopper's filter finds.
    pub(super) totals: QueryCache<Criteria, i64>,
    /// The same for the back office.
    pub(super) admin_totals: QueryCache<AdminCriteria, i64>,
    /// The same for programs.
    pub(super) record_totals: QueryCache<RecordCriteria, i64>,
    /// The `pk`s of all products on sale, the most units sold first.
    pub(super) best_sellers: QueryCache<(), Arc<[i64]>>,
}
