//! Reviews of products (`/api/products/{slug}/reviews`).

use std::time::Duration;

use shop_core::catalog::{NewReview, Review, ReviewList};

use crate::routes::prelude::*;

const REVIEWS: &str = "/api/products/{slug}/reviews";

/// Staff reads each of them.
const REVIEW: Rate = Rate { name: "review", max: 60, window: Duration::from_secs(60 * 60) };

pub(super) fn rows() -> Vec<Route> {
    vec![
        public(Method::GET, REVIEWS, "listReviews", list)
            .about("The latest approved reviews of a product, and all of them in a few numbers")
            .fails(&[Code::ProductNotFound])
            .cached(),
        customer(Method::POST, REVIEWS, "createReview", create)
            .about("Write a review; staff approves it before it is shown")
            .fails(&[Code::ProductNotFound, Code::AlreadyReviewed])
            .rate(REVIEW),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ReviewsPath {
    /// The product's slug.
    slug: String,
}

async fn list(
    call: Call<Public>,
    Path(ReviewsPath { slug }): Path<ReviewsPath>,
) -> Result<ReviewList> {
    call.shop().reviews().list_for_product(&slug).await
}

async fn create(
    call: Call<Customer>,
    Path(ReviewsPath { slug }): Path<ReviewsPath>,
    Json(new): Json<NewReview>,
) -> Result<Created<Review>> {
    call.shop().reviews().create(&call.caller.0.id, &slug, new).await.map(Created)
}
