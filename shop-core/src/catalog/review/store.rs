//! The SQL of reviews: the only writes of `review` and `product_rating`.

use super::rating::{RatingCounts, ReviewSummary, average_rating};
use super::{
    ExportedReview, ModeratedReview, PublicReview, Review, ReviewFilter, ReviewStatus,
    ReviewedProduct,
};
use crate::area;
use crate::catalog::product;
use crate::error::{Conflict, Result};
use crate::id::{AccountId, ProductId, ReviewId};
use crate::page::{Page, PageRequest, Pagination};
use crate::storage::{Filter, Tx, params, read_columns};

/// More reviews than these are not counted.
const COUNTED: i64 = 10_000;

/// A product on sale, and what its reviews come to.
pub(crate) fn find_on_sale(
    tx: &mut dyn Tx,
    slug: &str,
) -> Result<Option<(ProductId, ReviewSummary)>> {
    tx.find(
        "SELECT p.id, p.review_count, p.rating_sum, coalesce(r.five, 0), coalesce(r.four, 0),
                coalesce(r.three, 0), coalesce(r.two, 0), coalesce(r.one, 0)
         FROM product p LEFT JOIN product_rating r ON r.product_id = p.id
         WHERE p.slug = $1 AND p.active = 1",
        params![slug],
    )
}

read_columns!(RatingCounts: five, four, three, two, one);
read_columns!(
    ReviewSummary: total, [sum], distribution; average: average_rating(sum, total)
);

/// The latest approved reviews of a product, newest first.
pub(crate) fn latest(
    tx: &mut dyn Tx,
    product: &ProductId,
    limit: i64,
) -> Result<Vec<PublicReview>> {
    tx.list(
        "SELECT id, rating, title, body, author, verified_purchase, created_at FROM review
         WHERE product_id = $1 AND status = 'approved'
         ORDER BY created_at DESC, id DESC LIMIT $2",
        params![product, limit],
    )
}

read_columns!(PublicReview: id, rating, title, body, author, verified_purchase, created_at);

/// Throws away what was said about a product that is deleted.
pub(in crate::catalog) fn forget_product(tx: &mut dyn Tx, product: &ProductId) -> Result<()> {
    tx.touch(area::CATALOG);
    tx.execute("DELETE FROM review WHERE product_id = $1", params![product])?;
    tx.run("DELETE FROM product_rating WHERE product_id = $1", params![product])
}

pub(super) fn find(tx: &mut dyn Tx, id: &ReviewId) -> Result<Option<(ProductId, Review)>> {
    tx.find(
        "SELECT product_id, id, rating, title, body, author, verified_purchase, status, created_at
         FROM review WHERE id = $1",
        params![id],
    )
}

/// A page is found by an index before anything is joined to it. `CROSS JOIN`, because the planner
/// would walk through all reviews in the order of the answer otherwise.
pub(super) fn list(tx: &mut dyn Tx, wanted: &ReviewFilter) -> Result<Page<ModeratedReview>> {
    let mut filter = Filter::default();
    let status = wanted.approved.map(|shown| if shown { "approved" } else { "pending" });
    filter.compare("status =", status);
    let total = filter.count(tx, "review", COUNTED)?;
    let request = PageRequest::of(wanted.page, wanted.limit);
    let conditions = filter.sql().to_owned();
    let (limit, offset) = (filter.bind(request.limit), filter.bind(request.offset()));
    let sql = format!(
        "SELECT r.id, r.rating, r.title, r.body, r.author, r.verified_purchase, r.status,
                r.created_at, r.account_id, p.id, p.name, p.slug
         FROM (SELECT id FROM review{conditions}
               ORDER BY created_at DESC, id DESC LIMIT {limit} OFFSET {offset}) hit
         CROSS JOIN review r CROSS JOIN product p
         WHERE r.id = hit.id AND p.id = r.product_id ORDER BY r.created_at DESC, r.id DESC"
    );
    let data = tx.all(&sql, filter.params(), |row| {
        Ok(ModeratedReview {
            review: row.get(0)?,
            user_id: row.get(8)?,
            product: ReviewedProduct { id: row.get(9)?, name: row.get(10)?, slug: row.get(11)? },
        })
    })?;
    Ok(Page { data, pagination: Pagination::new(request, total) })
}

read_columns!(Review: id, rating, title, body, author, verified_purchase, status, created_at);

pub(crate) fn insert(
    tx: &mut dyn Tx,
    product: &ProductId,
    customer: &AccountId,
    review: &Review,
) -> Result<()> {
    tx.touch(area::CATALOG);
    let inserted = tx.exists(
        "INSERT INTO review (id, product_id, account_id, rating, title, body, author,
           verified_purchase, status, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (product_id, account_id) WHERE status <> 'rejected' DO NOTHING RETURNING id",
        params![
            &review.id, product, customer; review: rating, title, body, author, verified_purchase,
            status, created_at
        ],
    )?;
    Conflict::Review.unless(inserted)
}

/// False when the review may not leave `rejected`, because its author has another one by now.
pub(super) fn update_status(
    tx: &mut dyn Tx,
    id: &ReviewId,
    from: ReviewStatus,
    to: ReviewStatus,
) -> Result<bool> {
    tx.touch(area::CATALOG);
    tx.changes(
        "UPDATE review SET status = $1 WHERE id = $2 AND status = $3
           AND ($3 <> 'rejected' OR NOT EXISTS (
             SELECT 1 FROM review o WHERE o.product_id = review.product_id
               AND o.account_id = review.account_id AND o.status <> 'rejected'))",
        params![to.as_str(), id, from.as_str()],
    )
}

/// Counts approved reviews, with their ratings, into a product's numbers.
pub(crate) fn add_ratings(tx: &mut dyn Tx, id: &ProductId, more: RatingCounts) -> Result<()> {
    product::add_ratings(tx, id, more.total(), more.sum())?;
    tx.touch(area::CATALOG);
    tx.execute(
        "INSERT INTO product_rating (product_id) VALUES ($1) ON CONFLICT (product_id) DO NOTHING",
        params![id],
    )?;
    tx.run(
        "UPDATE product_rating SET five = five + $1, four = four + $2, three = three + $3,
           two = two + $4, one = one + $5
         WHERE product_id = $6",
        params![more.five, more.four, more.three, more.two, more.one, id],
    )
}

/// What an account wrote about a product before it had paid for it.
pub(crate) fn unverified(
    tx: &mut dyn Tx,
    customer: &AccountId,
    product: &ProductId,
) -> Result<Vec<ReviewId>> {
    tx.list(
        "SELECT id FROM review
         WHERE account_id = $1 AND product_id = $2 AND verified_purchase = 0",
        params![customer, product],
    )
}

pub(crate) fn verify(tx: &mut dyn Tx, id: &ReviewId) -> Result<()> {
    tx.touch(area::CATALOG);
    tx.run("UPDATE review SET verified_purchase = 1 WHERE id = $1", params![id])
}

pub(super) fn delete(tx: &mut dyn Tx, id: &ReviewId) -> Result<()> {
    tx.touch(area::CATALOG);
    tx.run("DELETE FROM review WHERE id = $1", params![id])
}

/// Every review of an account, oldest first.
pub(crate) fn of_account(tx: &mut dyn Tx, account: &AccountId) -> Result<Vec<ExportedReview>> {
    tx.list(
        "SELECT id, product_id, rating, title, body, author, status, created_at FROM review
         WHERE account_id = $1 ORDER BY created_at, id",
        params![account],
    )
}

read_columns!(ExportedReview: id, product_id, rating, title, body, author, status, created_at);

/// The reviews stay, for they are about the product; their author's name does not.
pub(crate) fn anonymise(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    let anonymous = "UPDATE review SET author = 'Cliente' WHERE account_id = $1";
    // Most wrote none, and the shop's pages need not be made anew.
    if tx.execute(anonymous, params![account])? > 0 {
        tx.touch(area::CATALOG);
    }
    Ok(())
}
