//! What staff do with reviews.

use serde::Serialize;

use super::rating::RatingCounts;
use super::{ModeratedReview, Review, ReviewFilter, ReviewStatus, Reviews, store};
use crate::actor::Actor;
use crate::audit;
use crate::context::Work;
use crate::error::{Conflict, Entity, Error, Result};
use crate::id::{ProductId, ReviewId};
use crate::lane;
use crate::page::Page;
use crate::revision::Revision;
use crate::storage::Tx;

impl Reviews<'_> {
    /// Reviews of all products, for staff. No more than 10,000 are counted.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self, filter: ReviewFilter) -> Result<Page<ModeratedReview>> {
        self.cx.db().read("review.list_all", move |tx| store::list(tx, &filter)).await
    }

    /// A review, whatever its status.
    ///
    /// # Errors
    /// [`Entity::Review`].
    ///
    /// Cancel safe: reads only.
    pub async fn get(&self, id: &ReviewId) -> Result<Review> {
        let id = id.clone();
        let job = move |tx: &mut dyn Tx| find(tx, &id).map(|(_, review)| review);
        self.cx.db().lookup("review.get", job).await
    }

    /// Shows a review to shoppers, or hides it.
    ///
    /// # Errors
    /// [`Entity::Review`]; [`Conflict::Review`] when its author has written another one since it
    /// was rejected; [`Conflict::Changed`] where it is not `expected`.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn moderate(
        &self,
        by: &Actor,
        id: &ReviewId,
        approved: bool,
        expected: Option<Revision>,
    ) -> Result<Review> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let to = if approved { ReviewStatus::Approved } else { ReviewStatus::Rejected };
        let job = move |tx: &mut dyn Tx| {
            let (product, review) = find(tx, &id)?;
            review.revision()?.check(expected.as_ref())?;
            set_status(tx, &at, &by, &product, review, to)
        };
        self.cx.db().write(lane::CATALOG, "review.moderate", job).await
    }

    /// Deletes a review for good, in the state that the caller saw, where one is given.
    ///
    /// # Errors
    /// [`Entity::Review`]; [`Conflict::Changed`] where it is not `expected`.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn delete(
        &self,
        by: &Actor,
        id: &ReviewId,
        expected: Option<Revision>,
    ) -> Result<()> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| remove(tx, &at, &by, &id, expected.as_ref());
        self.cx.db().write(lane::CATALOG, "review.delete", job).await
    }
}

revised! {
    /// The state that staff see and change.
    Review |it| &(&it.id, it.status);
}

/// What the audit log keeps of a review: its status and its rating. The text is left out, for its
/// author may want it erased.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Noted<'a> {
    product_id: &'a ProductId,
    rating: i64,
    status: ReviewStatus,
}

fn find(tx: &mut dyn Tx, id: &ReviewId) -> Result<(ProductId, Review)> {
    store::find(tx, id)?.ok_or(Error::NotFound(Entity::Review))
}

fn set_status(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    product: &ProductId,
    review: Review,
    to: ReviewStatus,
) -> Result<Review> {
    if review.status == to {
        return Ok(review);
    }
    Conflict::Review.unless(store::update_status(tx, &review.id, review.status, to)?)?;
    let shown = |status| i64::from(status == ReviewStatus::Approved);
    count(tx, product, review.rating, shown(to) - shown(review.status))?;
    let noted = |status| Noted { product_id: product, rating: review.rating, status };
    let (before, after) = (noted(review.status), noted(to));
    audit::record(tx, at, by, "review.moderate", review.id.as_str(), &before, &after)?;
    Ok(Review { status: to, ..review })
}

fn remove(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    id: &ReviewId,
    expected: Option<&Revision>,
) -> Result<()> {
    let (product, review) = find(tx, id)?;
    review.revision()?.check(expected)?;
    store::delete(tx, id)?;
    count(tx, &product, review.rating, -i64::from(review.status == ReviewStatus::Approved))?;
    let noted = Noted { product_id: &product, rating: review.rating, status: review.status };
    audit::record(tx, at, by, "review.delete", id.as_str(), &noted, &())
}

fn count(tx: &mut dyn Tx, product: &ProductId, rating: i64, reviews: i64) -> Result<()> {
    if reviews == 0 {
        return Ok(());
    }
    let mut more = RatingCounts::default();
    more.add(rating, reviews);
    store::add_ratings(tx, product, more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::explain;

    #[tokio::test]
    async fn the_list_looks_at_no_review_that_it_does_not_show() {
        for approved in [None, Some(true), Some(false)] {
            let wanted = ReviewFilter { approved, ..ReviewFilter::default() };
            let job = move |tx: &mut dyn Tx| store::list(tx, &wanted).map(drop);
            let plan = explain::plan(job).await;
            assert!(plan.len() > 3, "{plan:?}");
            assert_eq!(explain::costly(&plan, &["hit", "counted"]), [""; 0], "{plan:#?}");
        }
    }
}
