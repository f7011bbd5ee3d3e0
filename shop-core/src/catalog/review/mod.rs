//! What customers say about products. Everybody sees what staff approved; count, sum and
//! distribution of the ratings are kept in the transaction that changes them, so that no page
//! counts reviews.

mod moderate;
mod store;

use serde::{Deserialize, Serialize};

pub use self::moderate::{ModeratedReview, ReviewFilter, ReviewedProduct};
pub(crate) use self::store::add_ratings;
pub(super) use self::store::{forget_product, latest};
use crate::account;
use crate::clock::Timestamp;
use crate::context::{Context, Work};
use crate::error::{Entity, Error, Result};
use crate::id::{AccountId, OrderId, ProductId, ReviewId};
use crate::lane;
use crate::storage::Tx;
use crate::value::{OptionalText, Rating, Text, wire_enum};

/// How many of the latest reviews a list shows; its summary counts all.
const LIST_LENGTH: i64 = 100;

wire_enum! {
    /// How far a review is (decision 24).
    pub enum ReviewStatus {
        /// Staff has not looked at it.
        Pending = "pending",
        /// Everybody sees it.
        Approved = "approved",
        /// Nobody sees it.
        Rejected = "rejected",
    }
}

/// A review, as its author and staff see it (section "Resources", Review).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Review {
    /// Its own id.
    pub id: ReviewId,
    /// 1 to 5.
    pub rating: i64,
    /// A headline.
    pub title: Option<String>,
    /// The opinion.
    pub body: String,
    /// First name and last initial (decision 24).
    pub author: String,
    /// Whether the author had paid for the product.
    pub verified_purchase: bool,
    /// How far it is.
    pub status: ReviewStatus,
    /// When it was written.
    pub created_at: Timestamp,
}

/// An approved review, as everybody sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PublicReview {
    /// Its own id.
    pub id: ReviewId,
    /// 1 to 5.
    pub rating: i64,
    /// A headline.
    pub title: Option<String>,
    /// The opinion.
    pub body: String,
    /// First name and last initial (decision 24).
    pub author: String,
    /// Whether the author has paid for the product.
    pub verified_purchase: bool,
    /// When it was written.
    pub created_at: Timestamp,
}

/// A review to be written.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewReview {
    /// 1 to 5.
    pub rating: Rating,
    /// A headline.
    pub title: Option<OptionalText<150>>,
    /// The opinion.
    pub body: Text<1, 4000>,
}

/// What everybody says about a product.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewList {
    /// The latest approved reviews, at most 100, newest first.
    pub data: Vec<PublicReview>,
    /// Of all approved reviews.
    pub summary: ReviewSummary,
}

/// All approved reviews of a product in a few numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewSummary {
    /// The mean rating with two decimals; 0 without any.
    pub average: f64,
    /// How many there are.
    pub total: i64,
    /// How many give each rating.
    pub distribution: RatingCounts,
}

/// How many reviews give each rating.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RatingCounts {
    /// The best.
    #[serde(rename = "5")]
    pub five: i64,
    /// Good.
    #[serde(rename = "4")]
    pub four: i64,
    /// Middling.
    #[serde(rename = "3")]
    pub three: i64,
    /// Poor.
    #[serde(rename = "2")]
    pub two: i64,
    /// The worst.
    #[serde(rename = "1")]
    pub one: i64,
}

impl RatingCounts {
    /// `reviews` more of one rating; none of what is no rating.
    pub(crate) fn add(&mut self, rating: i64, reviews: i64) {
        let Self { five, four, three, two, one } = self;
        match rating {
            5 => *five += reviews,
            4 => *four += reviews,
            3 => *three += reviews,
            2 => *two += reviews,
            1 => *one += reviews,
            _ => {}
        }
    }

    fn total(self) -> i64 {
        self.five + self.four + self.three + self.two + self.one
    }

    fn sum(self) -> i64 {
        5 * self.five + 4 * self.four + 3 * self.three + 2 * self.two + self.one
    }
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
/// assert_eq!(shop.reviews().list("vela-de-lavanda").await?.summary.total, 0);
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Reviews<'a> {
    cx: &'a Context,
}

impl<'a> Reviews<'a> {
    pub(crate) fn new(cx: &'a Context) -> Self {
        Self { cx }
    }

    /// Writes a review of the product with this slug. Nobody sees it before staff approves it.
    ///
    /// # Errors
    /// [`Entity::Product`] when there is none on sale; [`crate::error::Conflict::Review`] when the
    /// customer has a review of it that waits or is shown.
    pub async fn create(&self, customer: &AccountId, slug: &str, new: NewReview) -> Result<Review> {
        let (customer, slug, at) = (customer.clone(), slug.to_owned(), self.cx.work());
        let job = move |tx: &mut dyn Tx| write(tx, &at, &customer, &slug, &new);
        self.cx.db().write(lane::CATALOG, "review.create", job).await
    }

    /// The approved reviews of the product with this slug.
    ///
    /// # Errors
    /// [`Entity::Product`] when there is none on sale.
    pub async fn list(&self, slug: &str) -> Result<ReviewList> {
        let slug = slug.to_owned();
        self.cx.db().read_public("review.list", move |tx| load(tx, &slug)).await
    }
}

/// First name and last initial: `Maria S.`
fn display_name(name: &str) -> String {
    let mut words = name.split_whitespace();
    let first = words.next().unwrap_or_default();
    match words.next_back().and_then(|last| last.chars().next()) {
        Some(initial) => format!("{first} {}.", initial.to_uppercase()),
        None => first.to_owned(),
    }
}

fn write(
    tx: &mut dyn Tx,
    at: &Work,
    customer: &AccountId,
    slug: &str,
    new: &NewReview,
) -> Result<Review> {
    let (product, _) = store::on_sale(tx, slug)?.ok_or(Error::NotFound(Entity::Product))?;
    let name = account::name_of(tx, customer)?.ok_or(Error::NotFound(Entity::Account))?;
    let review = Review {
        id: at.id(),
        rating: new.rating.get(),
        title: new.title.as_ref().map(ToString::to_string).filter(|title| !title.is_empty()),
        body: new.body.to_string(),
        author: display_name(&name),
        verified_purchase: store::has_paid_for(tx, customer, &product)?,
        status: ReviewStatus::Pending,
        created_at: at.now(),
    };
    store::insert(tx, &product, customer, &review)?;
    Ok(review)
}

fn load(tx: &mut dyn Tx, slug: &str) -> Result<ReviewList> {
    let (product, summary) = store::on_sale(tx, slug)?.ok_or(Error::NotFound(Entity::Product))?;
    Ok(ReviewList { data: latest(tx, &product, LIST_LENGTH)?, summary })
}

fn count(tx: &mut dyn Tx, product: &ProductId, rating: i64, reviews: i64) -> Result<()> {
    if reviews == 0 {
        return Ok(());
    }
    let mut more = RatingCounts::default();
    more.add(rating, reviews);
    add_ratings(tx, product, more)
}

/// Marks what the order's customer said about its products as said by someone who paid for them.
/// To be called when an order is paid.
pub(crate) fn verify_purchases(tx: &mut dyn Tx, order: &OrderId) -> Result<()> {
    for review in store::unverified_of(tx, order)? {
        store::verify(tx, &review)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authors_are_shown_by_first_name_and_last_initial() {
        for (name, shown) in [
            ("Maria Silva", "Maria S."),
            ("  João Pedro da  Costa ", "João C."),
            ("Ana", "Ana"),
            ("Ana émile", "Ana É."),
            ("", ""),
        ] {
            assert_eq!(display_name(name), shown);
        }
    }
}
