//! What an erasure leaves to the background, and what it leaves alone.

use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::area;
use shop_core::order::OrderStatus;

use super::fixture::{Buyer, TestShop, input, order_of};
use crate::fakes::smtp::{SmtpBehaviour, SmtpServer};

async fn erase(test: &TestShop, buyer: &Buyer) {
    test.shop.customers().erase_person(&Actor::System, &buyer.id).await.expect("erased");
}

#[tokio::test]
async fn mails_that_wait_go_with_the_account_and_those_that_were_sent_soon_after() {
    let smtp = SmtpServer::start(SmtpBehaviour::Takes).await;
    let url = shop_core::config::Secret::new(smtp.url());
    let test = TestShop::with(|config| config.mail.smtp_url = Some(url)).await;
    let (ana, bia) = (test.buyer("ana").await, test.buyer("bia").await);
    let vela = test.product("vela", 9, 1000).await;
    test.shop.run_due().await.expect("sent");
    let order = test.buy(&ana, &vela, 1).await.expect("an order");
    test.shop.orders().set_status(&order.id, OrderStatus::Cancelled, None).await.expect("off");
    // More than one look covers, and all of them are younger.
    test.raw_sql(&format!(
        "WITH RECURSIVE n(n) AS (SELECT 10000 UNION ALL SELECT n + 1 FROM n WHERE n < 14500)
         INSERT INTO mail (id, kind, recipient, letter, created_at, sent_at, account_id)
         SELECT 'x' || n, 'welcome', 'x@example.com', '{{}}', {now}, {now},
           CASE WHEN n % 1500 = 0 THEN '{}' ELSE '{}' END
         FROM n",
        ana.id,
        bia.id,
        now = test.shop.now().millis(),
    ));
    let of = |buyer: &Buyer, which: &str| {
        test.count(&format!("SELECT count(*) FROM mail WHERE account_id = '{}' {which}", buyer.id))
    };
    assert!(of(&ana, "AND sent_at IS NULL") > 0);
    let (others, sent) = (of(&bia, ""), of(&ana, "AND sent_at IS NOT NULL"));
    assert!(sent >= 4, "{sent}");
    erase(&test, &ana).await;
    assert_eq!((of(&ana, "AND sent_at IS NULL"), of(&ana, "")), (0, sent));
    let erased = test.shop.run_due().await.expect("done").mails_erased;
    assert_eq!(i64::try_from(erased), Ok(sent));
    assert_eq!((of(&ana, ""), of(&bia, "")), (0, others));
    assert_eq!(test.count("SELECT count(*) FROM mail_erasure"), 0);
    assert_eq!(test.shop.run_due().await.expect("done").mails_erased, 0);
}

#[tokio::test]
async fn what_the_shop_shows_is_made_anew_only_where_the_erased_wrote_a_review() {
    let test = TestShop::open().await;
    let (ana, bia) = (test.buyer("ana").await, test.buyer("bia").await);
    test.product("vela", 9, 1000).await;
    let review = input(json!({ "rating": 5, "title": "Boa", "body": "Perfuma a casa." }));
    test.shop.reviews().create(&bia.id, "vela", review).await.expect("written");
    let now = || test.shop.generations().of(area::CATALOG);
    let before = now();
    erase(&test, &ana).await;
    assert_eq!(now(), before);
    erase(&test, &bia).await;
    assert!(now() > before);
}

#[tokio::test]
async fn answers_that_were_kept_before_the_migration_are_those_of_repeats_after_it() {
    let test = TestShop::open().await;
    let (ana, vela) = (test.buyer("ana").await, test.product("vela", 9, 1000).await);
    let order = || order_of(&ana, json!([{ "productId": vela, "quantity": 1 }]));
    let key = || Some("k".parse().expect("a key"));
    let new = || input(json!({ "name": "Nova", "slug": "nova", "price": 1, "stock": 1 }));
    let staff = Actor::Admin(ana.id.clone());
    let place = async || {
        let orders = test.shop.orders();
        let own = test.place_order(&ana, order(), Some("k")).await.expect("placed");
        let by_staff = orders.place_for(&staff, &ana.id, order(), key()).await.expect("placed");
        let products = test.shop.products();
        let made = products.create(&Actor::System, new(), key()).await.expect("made");
        [own.replayed, by_staff.replayed, made.replayed]
    };
    assert_eq!(place().await, [false; 3]);
    for row in test.data.rows("SELECT scope FROM idempotency") {
        let scope = row[0].as_deref().expect("a scope");
        let (actor, operation) = scope.split_once(':').expect("who, and what");
        test.raw_sql(&format!(
            "UPDATE idempotency SET scope = '{operation}:{actor}' WHERE scope = '{scope}'"
        ));
    }
    let migration = include_str!("../../../shop-core/migrations/0085_forgetting.sql");
    let updates = migration.split(';').filter(|part| part.contains("UPDATE idempotency"));
    test.raw_sql(&updates.collect::<Vec<_>>().join(";"));
    assert_eq!(place().await, [true; 3]);
}

#[tokio::test]
async fn what_is_kept_of_the_requests_of_others_stays() {
    let test = TestShop::open().await;
    let (ana, bia) = (test.buyer("ana").await, test.buyer("bia").await);
    let vela = test.product("vela", 9, 1000).await;
    for buyer in [&ana, &bia] {
        let order = order_of(buyer, json!([{ "productId": vela, "quantity": 1 }]));
        let placed = test.place_order(buyer, order, Some("k")).await.expect("placed").order;
        test.shop.orders().set_status(&placed.id, OrderStatus::Cancelled, None).await.expect("off");
    }
    erase(&test, &ana).await;
    let kept: Vec<Value> = test
        .data
        .rows("SELECT answer FROM idempotency")
        .into_iter()
        .map(|row| serde_json::from_str(row[0].as_deref().expect("an answer")).expect("JSON"))
        .collect();
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0]["userId"], bia.id.as_str());
}
