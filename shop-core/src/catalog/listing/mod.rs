//! Lists of products: what shoppers see, what staff see, and what programs read page by page.

pub(super) mod admin_filter;
mod admin_list;
pub(super) mod filter;
mod list;
pub(super) mod record_filter;
mod records;

pub use self::admin_filter::AdminProductFilter;
pub use self::admin_list::{AdminProduct, ProductCounts};
pub use self::filter::{ProductFilter, ProductSort};
pub use self::list::ProductSummary;
pub use self::record_filter::ProductRecordFilter;
pub use self::records::{ProductRecord, VariantRecord};
