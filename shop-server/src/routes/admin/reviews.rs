//! Moderation of reviews (`/api/admin/reviews`).

use shop_core::catalog::{ModeratedReview, Review, ReviewFilter};
use shop_core::id::ReviewId;
use shop_core::page::Page;

use crate::routes::prelude::*;

const REVIEWS: &str = "/api/admin/reviews";
const REVIEW: &str = "/api/admin/reviews/{id}";

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, REVIEWS, "adminListReviews", list)
            .about("Reviews of all products, the latest first"),
        admin(Method::GET, REVIEW, "adminGetReview", get).about("A review"),
        admin(Method::PATCH, REVIEW, "adminModerateReview", moderate)
            .about("Approve a review, which shows it in the shop, or reject it")
            .fails(&[Code::AlreadyReviewed]),
        admin(Method::DELETE, REVIEW, "adminDeleteReview", delete)
            .about("Delete a review for good"),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Moderate {
    /// True shows it, false rejects it.
    approved: bool,
}

async fn list(
    call: Call<Admin>,
    Query(filter): Query<ReviewFilter>,
) -> Result<Page<ModeratedReview>> {
    call.shop().reviews().list(filter).await
}

async fn get(call: Call<Admin>, Id(id): Id<ReviewId>) -> Result<Versioned<Review>> {
    call.shop().reviews().get(&id).await.and_then(Versioned::of)
}

async fn moderate(
    call: Call<Admin>,
    Id(id): Id<ReviewId>,
    IfMatch(expected): IfMatch,
    Json(Moderate { approved }): Json<Moderate>,
) -> Result<Versioned<Review>> {
    let reviews = call.shop().reviews();
    reviews.moderate(&call.actor(), &id, approved, expected).await.and_then(Versioned::of)
}

async fn delete(
    call: Call<Admin>,
    Id(id): Id<ReviewId>,
    IfMatch(expected): IfMatch,
) -> Result<Message> {
    call.shop().reviews().delete(&call.actor(), &id, expected).await?;
    Ok(Message::new("Avaliação excluída"))
}
