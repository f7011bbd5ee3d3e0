//! Where reviews meet orders: a customer writes one, and it is marked as written by a buyer once
//! the customer has paid for the product.

use crate::account;
use crate::catalog::review::{self, NewReview, Review, ReviewStatus, Reviews};
use crate::context::Work;
use crate::error::{Entity, Error, Result};
use crate::id::AccountId;
use crate::lane;
use crate::order::{self, Order};
use crate::storage::Tx;

impl Reviews<'_> {
    /// Writes a review of the product with this slug. It is shown once staff approve it.
    ///
    /// # Errors
    /// [`Entity::Product`] when there is none on sale; [`crate::error::Conflict::Review`] when the
    /// customer has a review of it that waits or is shown;
    /// [`Credential::Session`](crate::error::Credential::Session) when the account was suspended or
    /// erased meanwhile.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn create(&self, customer: &AccountId, slug: &str, new: NewReview) -> Result<Review> {
        let (customer, slug, at) = (customer.clone(), slug.to_owned(), self.cx.work());
        let job = move |tx: &mut dyn Tx| write(tx, &at, &customer, &slug, &new);
        self.cx.db().write(lane::CATALOG, "review.create", job).await
    }
}

fn write(
    tx: &mut dyn Tx,
    at: &Work,
    customer: &AccountId,
    slug: &str,
    new: &NewReview,
) -> Result<Review> {
    let (product, _) = review::find_on_sale(tx, slug)?.ok_or(Error::NotFound(Entity::Product))?;
    let author = account::get(tx, customer)?.ok_or(Error::NotFound(Entity::Account))?;
    author.check_active()?;
    let written = Review {
        id: at.id(),
        rating: new.rating.get(),
        title: new.title.as_ref().map(ToString::to_string).filter(|title| !title.is_empty()),
        body: new.body.to_string(),
        author: display_name(&author.name),
        verified_purchase: order::has_paid_for(tx, customer, &product)?,
        status: ReviewStatus::Pending,
        created_at: at.now(),
    };
    review::insert(tx, &product, customer, &written)?;
    Ok(written)
}

/// Marks what an order's customer wrote about its products as written by a buyer. To be called when
/// the order is paid.
pub(crate) fn verify_purchases(tx: &mut dyn Tx, order: &Order) -> Result<()> {
    for item in &order.items {
        for review in review::unverified(tx, &order.user_id, &item.product_id)? {
            review::verify(tx, &review)?;
        }
    }
    Ok(())
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
