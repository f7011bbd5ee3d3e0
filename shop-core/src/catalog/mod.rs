//! What is sold: products with their pictures and variants, the categories they stand in, and how
//! shoppers find them.

mod category;
mod create;
mod filter;
mod fuzzy;
mod highlight;
mod image;
mod list;
mod memo;
mod product;
mod records;
mod review;
pub(crate) mod review_author;
mod search;
mod variant;
mod vocabulary;
mod words;

pub(crate) use category::insert as add_category;
pub use category::{Categories, Category, CategoryRef, NewCategory};
pub use create::NewProduct;
pub(crate) use create::add;
pub use filter::{ProductFilter, ProductSort};
pub use image::{Image, Images, NewImage};
pub(crate) use list::Memos;
pub use list::ProductSummary;
pub use product::{Product, Products};
pub use records::{ProductRecord, RecordFilter, VariantRecord};
pub use review::{
    NewReview, PublicReview, RatingCounts, Review, ReviewList, ReviewStatus, ReviewSummary, Reviews,
};
pub(crate) use review::{add_ratings, verify_purchases};
pub use review_author::ExportedReview;
pub use search::{SearchHit, SearchPage, SearchQuery};
pub use variant::{
    NewVariant, NewVariantOption, NewVariantType, NewVariantValue, Variant, VariantOption,
    VariantType, VariantTypes, VariantValue,
};
pub(crate) use variant::{
    insert as add_variant, insert_option as add_option, insert_type as add_variant_type,
};
pub(crate) use vocabulary::Known;
