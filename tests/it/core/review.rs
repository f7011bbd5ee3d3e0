use std::time::Duration;

use futures_util::future::join_all;
use proptest::prelude::*;
use serde_json::json;
use shop_core::actor::Actor;
use shop_core::catalog::{RatingCounts, Review, ReviewList, ReviewStatus};
use shop_core::error::{Conflict, Entity};
use shop_core::id::{AccountId, ReviewId};
use shop_core::order::OrderStatus;
use shop_core::{Error, Result};
use shop_tests::repeats;

use super::coupon::{coupon, order};
use super::fixture::{TestShop, input};
use crate::database;

async fn write(test: &TestShop, author: &AccountId, slug: &str, rating: i64) -> Result<Review> {
    let new = json!({ "rating": rating, "title": "Boa", "body": "Perfuma a casa." });
    test.shop.reviews().create(author, slug, input(new)).await
}

async fn list(test: &TestShop, slug: &str) -> ReviewList {
    test.shop.reviews().list_for_product(slug).await.expect("a list")
}

/// How many give 5, 4, 3, 2 and 1.
fn by_rating(counts: RatingCounts) -> [i64; 5] {
    [counts.five, counts.four, counts.three, counts.two, counts.one]
}

async fn approve(test: &TestShop, review: &Review) {
    test.shop.reviews().moderate(&Actor::System, &review.id, true, None).await.expect("approved");
}

/// So many more accounts, without a password each to be hashed.
fn crowd(test: &TestShop, count: usize) -> Vec<AccountId> {
    test.raw_sql(&format!(
        "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {count})
         INSERT INTO account (id, name, email, email_key, role, active, password_hash,
           sessions_from, created_at, updated_at)
         SELECT 'a' || n, 'Maria Silva', n || '@x.co', n || '@x.co', 'CUSTOMER', 1, '', 0, 0, 0
         FROM n"
    ));
    (1..=count).map(|n| AccountId::from(format!("a{n}"))).collect()
}

#[tokio::test]
async fn a_review_is_shown_once_it_is_approved_and_no_longer_when_it_is_rejected() {
    let test = TestShop::open().await;
    test.product("vela", 5, 4990).await;
    let maria = &crowd(&test, 1)[0];
    let review = write(&test, maria, "vela", 4).await.expect("written");
    assert_eq!((review.status, review.author.as_str()), (ReviewStatus::Pending, "Maria S."));
    let nothing = list(&test, "vela").await;
    assert_eq!((nothing.data.len(), nothing.summary.total), (0, 0));
    assert!(nothing.summary.average.abs() < f64::EPSILON);
    for _ in 0..2 {
        let approved = test
            .shop
            .reviews()
            .moderate(&Actor::System, &review.id, true, None)
            .await
            .expect("approved");
        let mut expected = review.clone();
        expected.status = ReviewStatus::Approved;
        assert_eq!(approved, expected);
        let shown = list(&test, "vela").await;
        assert_eq!((&shown.data[0].id, shown.data[0].rating), (&review.id, 4));
        assert_eq!(by_rating(shown.summary.distribution), [0, 1, 0, 0, 0]);
        let product = test.shop.products().get_by_slug("vela").await.expect("there");
        assert_eq!(product.reviews, shown.data);
        assert_eq!(product.review_count, 1);
    }
    test.shop.reviews().moderate(&Actor::System, &review.id, false, None).await.expect("rejected");
    assert_eq!(list(&test, "vela").await, nothing);
    assert_eq!(test.shop.products().get_by_slug("vela").await.expect("there").review_count, 0);
}

#[tokio::test]
async fn what_is_not_there_cannot_be_reviewed_moderated_or_deleted() {
    let test = TestShop::open().await;
    test.product("vela", 5, 4990).await;
    let maria = &crowd(&test, 1)[0];
    test.raw_sql("UPDATE product SET active = 0");
    for slug in ["vela", "none"] {
        let lost = write(&test, maria, slug, 5).await;
        assert!(matches!(lost, Err(Error::NotFound(Entity::Product))), "{lost:?}");
        let lost = test.shop.reviews().list_for_product(slug).await;
        assert!(matches!(lost, Err(Error::NotFound(Entity::Product))), "{lost:?}");
    }
    let none = ReviewId::from("none");
    let lost = test.shop.reviews().moderate(&Actor::System, &none, true, None).await;
    assert!(matches!(lost, Err(Error::NotFound(Entity::Review))), "{lost:?}");
    let lost = test.shop.reviews().delete(&Actor::System, &none, None).await;
    assert!(matches!(lost, Err(Error::NotFound(Entity::Review))), "{lost:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_customer_has_one_review_of_a_product_that_waits_or_is_shown() {
    let test = TestShop::open().await;
    test.product("vela", 5, 4990).await;
    test.product("difusor", 5, 8990).await;
    let crowd = crowd(&test, 2);
    let (maria, other) = (&crowd[0], &crowd[1]);
    let twice = |result: Result<Review>| {
        assert!(matches!(result, Err(Error::Conflict(Conflict::Review))), "{result:?}");
    };
    let at_once = join_all((0..10).map(|_| write(&test, maria, "vela", 5))).await;
    let (mut written, refused): (Vec<_>, Vec<_>) = at_once.into_iter().partition(Result::is_ok);
    assert_eq!((written.len(), refused.len()), (1, 9));
    refused.into_iter().for_each(twice);
    let first = written.remove(0).expect("written");
    write(&test, maria, "difusor", 5).await.expect("of another product");
    write(&test, other, "vela", 5).await.expect("by another customer");
    approve(&test, &first).await;
    twice(write(&test, maria, "vela", 1).await);
    test.shop.reviews().moderate(&Actor::System, &first.id, false, None).await.expect("rejected");
    let second = write(&test, maria, "vela", 2).await.expect("the first is rejected");
    // Of the two, the first stays out while the second is there.
    twice(test.shop.reviews().moderate(&Actor::System, &first.id, true, None).await);
    test.shop.reviews().delete(&Actor::System, &second.id, None).await.expect("deleted");
    approve(&test, &first).await;
}

#[tokio::test]
async fn who_has_paid_for_a_product_is_a_verified_purchaser() {
    let test = TestShop::open().await;
    let (ana, bia) = (test.buyer("ana").await, test.buyer("bia").await);
    let vela = test.product("vela", 9, 4990).await;
    test.product("difusor", 9, 4990).await;
    let order = test.buy(&ana, &vela, 1).await.expect("placed");
    let before = write(&test, &ana.id, "vela", 5).await.expect("written");
    assert!(!before.verified_purchase, "ordered is not paid");
    let elsewhere = write(&test, &ana.id, "difusor", 5).await.expect("written");
    let stranger = write(&test, &bia.id, "vela", 5).await.expect("written");
    for review in [&before, &elsewhere, &stranger] {
        approve(&test, review).await;
    }
    test.shop.payments().create_pix(&ana.id, &order.id, None).await.expect("a code");
    test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    let shown = list(&test, "vela").await.data;
    let verified: Vec<_> =
        shown.iter().filter(|one| one.verified_purchase).map(|one| &one.id).collect();
    assert_eq!(verified, [&before.id]);
    assert!(!list(&test, "difusor").await.data[0].verified_purchase);
    // And whoever writes after paying, also when the order was called off since.
    test.shop.orders().set_status(&order.id, OrderStatus::Refunded, None).await.expect("set");
    test.shop.reviews().delete(&Actor::System, &before.id, None).await.expect("deleted");
    assert!(write(&test, &ana.id, "vela", 5).await.expect("written").verified_purchase);
}

#[tokio::test]
async fn an_order_of_nothing_makes_a_verified_purchaser() {
    let test = TestShop::open().await;
    let ana = test.buyer("ana").await;
    let vela = test.product("vela", 9, 20_000).await;
    let before = write(&test, &ana.id, "vela", 5).await.expect("written");
    assert!(!before.verified_purchase, "nothing is ordered");
    let whole = coupon(&test, json!({ "value": 100 })).await;
    let placed = order(&test, &ana, &vela, &whole).await.expect("placed");
    assert!(placed.total.cents() == 0 && placed.is_paid(), "{placed:?}");
    approve(&test, &before).await;
    assert!(list(&test, "vela").await.data[0].verified_purchase);
    test.shop.reviews().delete(&Actor::System, &before.id, None).await.expect("deleted");
    assert!(write(&test, &ana.id, "vela", 5).await.expect("written").verified_purchase);
}

#[tokio::test]
async fn a_list_shows_the_latest_hundred_and_counts_all() {
    let test = TestShop::open().await;
    test.product("vela", 5, 4990).await;
    let mut last = None;
    for author in crowd(&test, 103) {
        let review = write(&test, &author, "vela", 5).await.expect("written");
        approve(&test, &review).await;
        test.clock.advance(Duration::from_secs(1));
        last = Some(review.id);
    }
    let shown = list(&test, "vela").await;
    assert_eq!((shown.data.len(), shown.summary.total), (100, 103));
    assert_eq!(shown.summary.distribution.five, 103);
    assert_eq!(Some(&shown.data[0].id), last.as_ref());
    assert!(shown.data.windows(2).all(|pair| pair[0].created_at > pair[1].created_at));
    assert_eq!(test.shop.products().get_by_slug("vela").await.expect("there").reviews.len(), 50);
}

#[tokio::test]
async fn a_page_of_reviews_is_read_by_its_index_and_no_further() {
    if !database::is_file("a page of reviews is read by its index") {
        return;
    }
    let test = TestShop::open().await;
    let plan = rusqlite::Connection::open(test.database()).expect("the file");
    let mut plan = plan
        .prepare(
            "EXPLAIN QUERY PLAN SELECT id, body FROM review
             WHERE product_id = 'p' AND status = 'approved'
             ORDER BY created_at DESC, id DESC LIMIT 100",
        )
        .expect("a statement");
    let steps: Vec<String> = plan
        .query_map([], |row| row.get("detail"))
        .expect("a plan")
        .collect::<rusqlite::Result<_>>()
        .expect("steps");
    let expected = "SEARCH review USING INDEX review_product (product_id=? AND status=?)";
    assert_eq!(steps, [expected]);
}

/// One step of the model test below.
#[derive(Debug, Clone)]
enum Step {
    Write { author: usize, product: usize, rating: i64 },
    Moderate { review: usize, approved: bool },
    Delete { review: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let write = (0..4_usize, 0..2_usize, 1..=5_i64)
        .prop_map(|(author, product, rating)| Step::Write { author, product, rating });
    let moderate = (0..8_usize, any::<bool>())
        .prop_map(|(review, approved)| Step::Moderate { review, approved });
    let delete = (0..8_usize).prop_map(|review| Step::Delete { review });
    proptest::collection::vec(prop_oneof![3 => write, 4 => moderate, 1 => delete], 1..40)
}

/// What the model knows of a review.
struct Written {
    id: ReviewId,
    author: usize,
    product: usize,
    rating: i64,
    status: ReviewStatus,
}

const SLUGS: [&str; 2] = ["vela", "difusor"];

/// Does a step, and says whether the model allows it.
async fn step(test: &TestShop, crowd: &[AccountId], model: &mut Vec<Written>, step: Step) {
    let reviews = test.shop.reviews();
    match step {
        Step::Write { author, product, rating } => {
            let free = model.iter().all(|one| {
                (one.author, one.product) != (author, product)
                    || one.status == ReviewStatus::Rejected
            });
            let written = write(test, &crowd[author], SLUGS[product], rating).await;
            assert_eq!(written.is_ok(), free);
            if let Ok(Review { id, status, .. }) = written {
                model.push(Written { id, author, product, rating, status });
            }
        }
        Step::Moderate { review, approved } if !model.is_empty() => {
            let n = review % model.len();
            let taken = model.iter().enumerate().any(|(other, one)| {
                other != n
                    && (one.author, one.product) == (model[n].author, model[n].product)
                    && one.status != ReviewStatus::Rejected
            });
            let comes_back = approved && model[n].status == ReviewStatus::Rejected;
            let moderated = reviews.moderate(&Actor::System, &model[n].id, approved, None).await;
            assert_eq!(moderated.is_ok(), !(comes_back && taken));
            if let Ok(moderated) = moderated {
                model[n].status = moderated.status;
            }
        }
        Step::Delete { review } if !model.is_empty() => {
            let deleted = model.swap_remove(review % model.len());
            reviews.delete(&Actor::System, &deleted.id, None).await.expect("deleted");
        }
        Step::Moderate { .. } | Step::Delete { .. } => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(repeats(8, 24)))]

    /// Whatever customers and staff do, count, mean and distribution are those of the approved.
    #[test]
    fn a_products_numbers_are_those_of_its_approved_reviews(steps in steps()) {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let test = TestShop::open().await;
            for slug in SLUGS {
                test.product(slug, 5, 1000).await;
            }
            let crowd = crowd(&test, 4);
            let mut model = Vec::new();
            for one in steps {
                step(&test, &crowd, &mut model, one).await;
            }
            for (n, slug) in SLUGS.into_iter().enumerate() {
                let shown: Vec<i64> = model
                    .iter()
                    .filter(|one| one.product == n && one.status == ReviewStatus::Approved)
                    .map(|one| one.rating)
                    .collect();
                let total = i64::try_from(shown.len()).expect("few");
                let of = |rating| i64::try_from(shown.iter().filter(|one| **one == rating).count()).expect("few");
                let list = list(&test, slug).await;
                let product = test.shop.products().get_by_slug(slug).await.expect("there");
                assert_eq!((list.summary.total, product.review_count), (total, total));
                assert_eq!(list.data.len(), shown.len());
                let counts = [of(5), of(4), of(3), of(2), of(1)];
                assert_eq!(by_rating(list.summary.distribution), counts);
                #[expect(clippy::cast_precision_loss, reason = "a handful")]
                let mean = shown.iter().sum::<i64>() as f64 / (total.max(1)) as f64;
                assert!((list.summary.average - mean).abs() <= 0.005 + f64::EPSILON);
                assert!((product.average_rating - mean).abs() <= 0.005 + f64::EPSILON);
            }
        });
    }
}
