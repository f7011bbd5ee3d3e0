//! What is sold: products with their pictures and variants, the categories they are in, reviews of
//! them, and how shoppers find them.
//!
//! - `product/`: a product in full; creating, changing, copying and deleting it
//! - `listing/`: lists for shoppers, staff and programs, with their filters
//! - `search/`: the search of the shop's page, misspelt words, marks
//! - `category/`, `variant/`, `variant_type/`, `review/`: what belongs to products
//! - `fiscal/`: what the tax office wants to know of products
//! - `file/`: the catalogue as a CSV file, out and in
//! - `feed`, `addresses`: the catalogue as marketplaces and search engines read it
//! - `edit`: changes of the catalogue, none of which falls into an import
//! - `in_stock`: which products are in stock
//! - `sellable`, `item`: what other aggregates read of products
//!
//! Deletion, which carts and wishlists take part in, is in `removal`; writing a review, which asks
//! for orders, is in `reviewing`.

mod addresses;
mod caches;
mod category;
mod edit;
mod feed;
mod file;
mod fiscal;
mod handle;
mod image;
mod in_stock;
mod item;
mod listing;
mod price_range;
mod product;
pub(crate) mod query_cache;
pub(crate) mod review;
mod search;
mod sellable;
mod sku;
mod slug;
mod variant;
mod variant_type;

pub use addresses::ProductAddress;
pub(crate) use caches::CatalogCaches;
#[cfg(feature = "demo")]
pub(crate) use category::insert as add_category;
pub use category::{Categories, Category, CategoryPatch, CategoryRef, NewCategory};
pub(crate) use edit::edit;
pub use feed::FeedItem;
pub(crate) use file::finish_import;
pub use file::{
    BadRow, CellChange, FileFormat, ImportProducts, ImportStep, ImportWatch, ImportedRow,
    OnlyProducts, PictureFiles, ProductExportFilter, ProductImport, RowOutcome,
};
pub use fiscal::ProductFiscal;
#[cfg(feature = "nfe")]
pub use fiscal::{Effective, EffectiveFiscal, FiscalSource, ProductFiscalPatch};
#[cfg(feature = "nfe")]
pub(crate) use fiscal::{
    fallback_of as fiscal_fallback, fallbacks_of as fiscal_fallbacks,
    of_category as fiscal_of_category, of_product as fiscal_of_product,
    of_products as fiscal_of_products, set_category as set_fiscal_of_category,
    set_product as set_fiscal_of_product,
};
pub use handle::Products;
pub use image::{Image, Images, NewImage};
pub(crate) use item::{Item, updated_at};
pub use listing::{
    AdminProduct, AdminProductFilter, CategoryFacet, FacetNames, PriceFacet, PriceRangeFacet,
    ProductCounts, ProductFacets, ProductFilter, ProductPage, ProductRecord, ProductRecordFilter,
    ProductSort, ProductSummary, StockFacet,
};
#[cfg(feature = "demo")]
pub(crate) use product::add;
pub use product::{
    BulkAction, BulkOutcome, BulkProducts, CreatedProduct, NewProduct, Product, ProductPatch,
};
pub(crate) use product::{check as check_product, delete as delete_product, set_active, touch};
#[cfg(feature = "demo")]
pub(crate) use review::add_ratings;
pub use review::{
    ExportedReview, ModeratedReview, NewReview, PublicReview, RatingCounts, Review, ReviewFilter,
    ReviewList, ReviewStatus, ReviewSummary, ReviewedProduct, Reviews,
};
#[cfg(feature = "demo")]
pub(crate) use search::learn::LearnedWords;
pub use search::{SearchHit, SearchPage, SearchQuery};
#[cfg(any(feature = "demo", feature = "nfe"))]
pub(crate) use sellable::Sellable;
#[cfg(feature = "demo")]
pub(crate) use sellable::all_sellable;
#[cfg(feature = "nfe")]
pub(crate) use sellable::sellable_after;
pub(crate) use sellable::{
    Offered, ProductCard, cards, offered, prefetch_offered, sellable, variant_prices,
};
#[cfg(feature = "nfe")]
pub(crate) use sku::skus_of;
pub(crate) use variant::delete as delete_variant;
#[cfg(feature = "demo")]
pub(crate) use variant::insert as add_variant;
pub use variant::{
    AdminVariant, AdminVariantValue, ChosenOption, ChosenType, NamedOption, NewProductVariant,
    NewVariant, NewVariantValue, Variant, VariantPatch, VariantValue,
};
pub use variant_type::{
    NewVariantOption, NewVariantType, VariantOption, VariantOptionPatch, VariantType,
    VariantTypePatch, VariantTypes,
};
#[cfg(feature = "demo")]
pub(crate) use variant_type::{insert_option as add_option, insert_type as add_variant_type};
