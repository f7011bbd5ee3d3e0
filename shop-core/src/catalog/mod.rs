//! What is sold: products with their pictures and variants, the categories they stand in, and how
//! shoppers find them.

mod admin_list;
mod bulk;
mod category;
mod copy;
mod create;
mod delete;
mod file;
mod filter;
mod fuzzy;
mod highlight;
mod image;
mod list;
mod product;
pub(crate) mod query_cache;
mod records;
mod review;
pub(crate) mod review_author;
mod search;
mod sellable;
mod sheet;
mod sku;
mod update;
mod variant;
mod variant_type;
mod vocabulary;

pub use admin_list::{AdminProduct, AdminProductFilter, ProductCounts};
pub use bulk::{BulkAction, BulkOutcome, BulkProducts};
#[cfg(feature = "demo")]
pub(crate) use category::insert as add_category;
pub use category::{Categories, Category, CategoryRef, NewCategory, PatchCategory};
#[cfg(feature = "demo")]
pub(crate) use create::add;
pub use create::{CreatedProduct, NewProduct};
pub use file::{BadRow, ImportProducts, ImportStep, ImportWatch, ProductExport, ProductImport};
pub use filter::{ProductFilter, ProductSort};
pub use image::{Image, Images, NewImage};
pub(crate) use list::CatalogCaches;
pub use list::ProductSummary;
pub use product::{Product, Products};
pub use records::{ProductRecord, RecordFilter, VariantRecord};
#[cfg(feature = "demo")]
pub(crate) use review::add_ratings;
pub(crate) use review::verify_purchases;
pub use review::{
    ModeratedReview, NewReview, PublicReview, RatingCounts, Review, ReviewFilter, ReviewList,
    ReviewStatus, ReviewSummary, ReviewedProduct, Reviews,
};
pub use review_author::ExportedReview;
pub use search::{SearchHit, SearchPage, SearchQuery};
pub(crate) use sellable::{sellable, sellable_variant};
pub(crate) use sheet::touch;
#[cfg(feature = "nfe")]
pub(crate) use sku::sku_of;
pub use update::PatchProduct;
#[cfg(feature = "demo")]
pub(crate) use variant::insert as add_variant;
pub use variant::{
    AdminVariant, AdminVariantValue, ChosenOption, ChosenType, NewVariant, NewVariantValue,
    PatchVariant, Variant, VariantValue,
};
pub use variant_type::{
    NewVariantOption, NewVariantType, PatchVariantOption, PatchVariantType, VariantOption,
    VariantType, VariantTypes,
};
#[cfg(feature = "demo")]
pub(crate) use variant_type::{insert_option as add_option, insert_type as add_variant_type};
#[cfg(feature = "demo")]
pub(crate) use vocabulary::Known;
