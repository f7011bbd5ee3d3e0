//! Reviews: what customers say about products. Shoppers see those that staff approved; count, sum
//! and distribution of the ratings are kept in the transaction that changes them, so that no page
//! counts reviews.

mod list;
mod moderate;
mod rating;
mod store;

use serde::Deserialize;

pub(super) use self::rating::average_rating;
pub use self::rating::{RatingCounts, ReviewSummary};
#[cfg(feature = "demo")]
pub(crate) use self::store::add_ratings;
pub(super) use self::store::forget_product;
pub(crate) use self::store::{
    anonymise, find_on_sale, insert, latest, of_account, unverified, verify,
};
use crate::clock::Timestamp;
use crate::context::Context;
use crate::id::{AccountId, ProductId, ReviewId};
use crate::page::{PageLimit, PageNumber};
use crate::value::{OptionalText, Rating, Slug, Text, wire_enum};

wire_enum! {
    /// Whether staff have decided about a review (docs/decisions.md, "Reviews").
    pub enum ReviewStatus {
        /// Staff have not decided yet.
        Pending = "pending",
        /// It is shown.
        Approved = "approved",
        /// It is not shown.
        Rejected = "rejected",
    }
}

/// A review, as its author and staff see it.
#[apply(answer!)]
pub struct Review {
    /// UUID version 7, set by the shop.
    pub id: ReviewId,
    /// 1 to 5.
    pub rating: i64,
    /// A headline.
    pub title: Option<String>,
    /// Plain text, at most 4000 characters.
    pub body: String,
    /// First name and last initial, as the account was called when the review was written.
    pub author: String,
    /// Whether the author had paid for the product.
    pub verified_purchase: bool,
    /// Whether staff have shown it.
    pub status: ReviewStatus,
    /// When it was written.
    pub created_at: Timestamp,
}

/// An approved review, as shoppers see it.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct PublicReview {
    /// UUID version 7, set by the shop.
    pub id: ReviewId,
    /// 1 to 5.
    pub rating: i64,
    /// A headline.
    pub title: Option<String>,
    /// Plain text, at most 4000 characters.
    pub body: String,
    /// First name and last initial, as the account was called when the review was written.
    pub author: String,
    /// Whether the author has paid for the product.
    pub verified_purchase: bool,
    /// When it was written.
    pub created_at: Timestamp,
}

/// A review as its author gets it back.
#[apply(answer!)]
pub struct ExportedReview {
    /// Made by the shop when the review was written.
    pub id: ReviewId,
    /// What it is about.
    pub product_id: ProductId,
    /// 1 to 5.
    pub rating: i64,
    /// A few words, if there are any.
    pub title: Option<String>,
    /// Plain text.
    pub body: String,
    /// The name it is shown under.
    pub author: String,
    /// Whether staff have shown it.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub status: ReviewStatus,
    /// When it was written.
    pub created_at: Timestamp,
}

/// A review to be written.
#[apply(input!)]
pub struct NewReview {
    /// 1 to 5.
    pub rating: Rating,
    /// A headline.
    pub title: Option<OptionalText<150>>,
    /// Plain text, at most 4000 characters.
    pub body: Text<1, 4000>,
}

/// The reviews of a product, as shoppers see them.
#[apply(inexact_answer!)]
#[derive(PartialEq)]
pub struct ReviewList {
    /// The latest approved reviews, at most 100, newest first.
    pub data: Vec<PublicReview>,
    /// Of all approved reviews.
    pub summary: ReviewSummary,
}

/// Which reviews to list, latest first (`GET /api/admin/reviews`).
#[apply(filter!)]
pub struct ReviewFilter {
    /// Which page, from 1.
    pub page: Option<PageNumber>,
    /// Entries a page.
    pub limit: Option<PageLimit>,
    /// True for those that are shown, false for those that wait; all of them, the rejected ones
    /// too, where it is left out.
    pub approved: Option<bool>,
}

/// A review, as staff list it.
#[apply(answer!)]
pub struct ModeratedReview {
    /// The review itself.
    #[serde(flatten)]
    pub review: Review,
    /// The account that wrote it.
    pub user_id: AccountId,
    /// What it is about.
    pub product: ReviewedProduct,
}

/// What staff need to recognise the product of a review.
#[apply(answer!)]
pub struct ReviewedProduct {
    /// UUID version 7, set by the shop.
    pub id: ProductId,
    /// As it is called now.
    pub name: String,
    /// The name in its address.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub slug: Slug,
}

/// Customers' reviews.
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::catalog::NewReview;
///
/// shop.product("Vela de Lavanda", "49.90", 10).await?;
/// let ana = shop.buyer("Ana").await?;
/// let new = NewReview { rating: 5.try_into()?, title: None, body: "Perfumada.".parse()? };
/// shop.reviews().create(&ana.id, "vela-de-lavanda", new).await?;
/// // It is shown once staff have approved it.
/// assert_eq!(shop.reviews().list_for_product("vela-de-lavanda").await?.summary.total, 0);
/// # Ok(())
/// # });
/// ```
#[apply(handle!)]
pub struct Reviews<'a> {
    pub(crate) cx: &'a Context,
}
