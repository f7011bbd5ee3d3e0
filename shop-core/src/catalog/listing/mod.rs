//! Lists of products: what shoppers see, what staff see, and what programs read page by page.

pub(super) mod admin_filter;
mod admin_list;
mod facets;
mod filter;
mod index;
mod index_cache;
mod list;
pub(super) mod record_filter;
mod records;
mod slots;

pub use self::admin_filter::AdminProductFilter;
pub use self::admin_list::{AdminProduct, ProductCounts};
pub use self::facets::{
    CategoryFacet, FacetNames, PriceFacet, PriceRangeFacet, ProductFacets, StockFacet,
};
pub use self::filter::{ProductFilter, ProductSort};
pub(super) use self::index_cache::IndexCache;
pub use self::list::{ProductPage, ProductSummary};
pub use self::record_filter::ProductRecordFilter;
pub use self::records::ProductRecord;
pub(super) use self::slots::PkSet;
