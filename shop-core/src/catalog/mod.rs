//! What is sold: products with their pictures and variants, the categories they stand in, and how
//! shoppers find them.

mod category;
mod create;
mod fuzzy;
mod highlight;
mod image;
mod list;
mod product;
mod search;
mod totals;
mod variant;
mod words;

pub use category::{Categories, Category, CategoryRef, NewCategory};
pub use create::NewProduct;
pub use image::{Image, Images, NewImage};
pub use list::{ProductFilter, ProductSort, ProductSummary};
pub use product::{Product, Products, PublicReview};
pub use search::{SearchHit, SearchPage, SearchQuery};
pub(crate) use totals::Totals;
pub use variant::{
    NewVariant, NewVariantOption, NewVariantType, NewVariantValue, Variant, VariantOption,
    VariantType, VariantTypes, VariantValue,
};
