//! Moderation of reviews (`/api/admin/reviews`).

use hyper::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use shop_core::Result;
use shop_core::catalog::{ModeratedReview, Review, ReviewFilter};
use shop_core::id::ReviewId;
use shop_core::page::Page;

use crate::caller::Admin;
use crate::input::{IfMatch, Json, Path, Query};
use crate::output::{Message, Ok200, Versioned};
use crate::reply::Code;
use crate::route::{Call, Route, admin};

const REVIEWS: &str = "/api/admin/reviews";
const REVIEW: &str = "/api/admin/reviews/{id}";

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, REVIEWS, "adminListReviews", list)
            .about("Reviews of all products, the latest first"),
        admin(Method::GET, REVIEW, "adminGetReview", get)
            .about("A review")
            .fails(&[Code::ReviewNotFound]),
        admin(Method::PATCH, REVIEW, "adminModerateReview", moderate)
            .about("Approve a review, which shows it in the shop, or reject it")
            .fails(&[Code::ReviewNotFound, Code::AlreadyReviewed]),
        admin(Method::DELETE, REVIEW, "adminDeleteReview", delete)
            .about("Delete a review for good")
            .fails(&[Code::ReviewNotFound]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ReviewPath {
    /// The review's id.
    id: ReviewId,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Moderate {
    /// True shows it, false rejects it.
    approved: bool,
}

async fn list(
    call: Call<Admin>,
    Query(filter): Query<ReviewFilter>,
) -> Result<Ok200<Page<ModeratedReview>>> {
    call.shop().reviews().list(filter).await.map(Ok200)
}

async fn get(
    call: Call<Admin>,
    Path(ReviewPath { id }): Path<ReviewPath>,
) -> Result<Versioned<Ok200<Review>>> {
    versioned(call.shop().reviews().get(&id).await?)
}

async fn moderate(
    call: Call<Admin>,
    (Path(ReviewPath { id }), IfMatch(seen), Json(Moderate { approved })): (
        Path<ReviewPath>,
        IfMatch,
        Json<Moderate>,
    ),
) -> Result<Versioned<Ok200<Review>>> {
    let by = call.caller.actor();
    versioned(call.shop().reviews().moderate(&by, &id, approved, seen).await?)
}

async fn delete(
    call: Call<Admin>,
    Path(ReviewPath { id }): Path<ReviewPath>,
) -> Result<Ok200<Message>> {
    call.shop().reviews().delete(&call.caller.actor(), &id).await?;
    Ok(Message::new("Avaliação excluída"))
}

fn versioned(review: Review) -> Result<Versioned<Ok200<Review>>> {
    let revision = review.revision()?;
    Ok(Versioned(Ok200(review), revision))
}
