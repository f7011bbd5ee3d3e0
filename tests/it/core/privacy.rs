//! What a person may ask of the shop by law (LGPD): a copy of his data, and its deletion.

use serde_json::{Value, json};
use shop_core::account::SetActive;
use shop_core::actor::Actor;
use shop_core::cart::GuestToken;
use shop_core::error::{Conflict, Credential};
use shop_core::id::OrderId;
use shop_core::order::{Order, OrderStatus};
use shop_core::{Error, Result};

use super::fixture::{Buyer, TestShop, input, order_of};

/// Texts that stand nowhere but in what Zoraide and the shop wrote about her.
const MARKS: [&str; 15] = [
    "zoraide",
    "98765-4321",
    "52998224725",
    "Rua das Flores",
    "Sala 77",
    "01310123",
    "deixar na portaria",
    "liga depois das seis",
    "cliente simpática",
    "perfume forte demais",
    "devolveu com um bilhete",
    "Quixabeira",
    "12ABC34501DE35",
    "110042490114",
    "QB123456789BR",
];

async fn erase(test: &TestShop, buyer: &Buyer, password: &str) -> Result<()> {
    test.shop.accounts().erase(&buyer.id, input(json!({ "password": password }))).await
}

/// Zoraide, who left traces everywhere, and her order, which was paid and has arrived.
async fn zoraide(test: &TestShop) -> (Buyer, Order) {
    let zoraide = test.buyer("zoraide").await;
    let profile = json!({
        "name": "Zoraide Quixabeira", "phone": "11 98765-4321", "cpf": "529.982.247-25",
        "cnpj": "12.ABC.345/01DE-35", "companyName": "Quixabeira Velas",
        "stateRegistration": "110.042.490.114"
    });
    test.shop.accounts().update(&zoraide.id, input(profile)).await.expect("updated");
    let complement = input(json!({ "complement": "Sala 77", "zipCode": "01310-123" }));
    let addresses = test.shop.addresses();
    addresses.update(&zoraide.id, &zoraide.address, complement).await.expect("updated");
    let vela = test.product("vela", 9, 1000).await;
    let items = json!([{ "productId": vela, "quantity": 2 }]);
    let mut order = order_of(&zoraide, items);
    order.notes = Some("deixar na portaria".parse().expect("a note"));
    let order = test.place_order(&zoraide, order, Some("key")).await.expect("an order").order;
    test.shop.payments().create_pix(&zoraide.id, &order.id, None).await.expect("a code");
    test.shop.sandbox().pay(&order.order_number).await.expect("pays");
    let sent = input(json!({ "status": "SHIPPED", "trackingCode": "QB123456789BR" }));
    test.shop.orders().update(&Actor::System, &order.id, sent, None).await.expect("sent");
    set(test, &order.id, OrderStatus::Delivered).await;
    returned(test, &zoraide, &order.id).await;
    test.add_to_cart(&zoraide, &vela, 1).await.expect("added");
    test.shop.wishlists().add(&zoraide.id, &vela).await.expect("wished");
    let reader = input(json!({ "email": "zoraide@example.com", "name": "Zoraide" }));
    test.shop.newsletter().subscribe(reader).await.expect("subscribed");
    test.raw_sql(&format!(
        "UPDATE account SET email_proved_at = 1;
         INSERT INTO order_note (order_id, author, body, created_at)
         VALUES ('{order}', 'Sistema', 'cliente simpática', 0);
         INSERT INTO review (id, product_id, account_id, rating, body, author, status, created_at)
         VALUES ('r1', '{vela}', '{}', 5, 'Perfume ótimo', 'Zoraide Q.', 'approved', 0)",
        zoraide.id,
        order = order.id,
    ));
    let order =
        test.shop.orders().get_for_customer(&zoraide.id, &order.id).await.expect("an order");
    (zoraide, order)
}

/// A return, with what was written about it.
async fn returned(test: &TestShop, buyer: &Buyer, order: &OrderId) {
    let (returns, key) = (test.shop.returns(), || Some("key".parse().expect("a key")));
    let asked = input(json!({ "reason": "perfume forte demais" }));
    let asked = returns.request(&buyer.id, order, asked, key()).await.expect("asked");
    let note = input(json!({ "note": "devolveu com um bilhete" }));
    let staff = Actor::System;
    returns.receive(&staff, &asked.id, note, None, key()).await.expect("received");
    let part = input(json!({ "amount": 1, "note": "devolveu com um bilhete" }));
    returns.refund(&staff, &asked.id, part, None, key()).await.expect("back");
}

async fn set(test: &TestShop, order: &OrderId, status: OrderStatus) {
    let note = Some("liga depois das seis".parse().expect("a note"));
    test.shop.orders().set_status(order, status, note).await.expect("set");
}

/// Where in the database these texts stand, in whatever case: each with a column.
fn places(test: &TestShop) -> Vec<(&'static str, String)> {
    let mut places = Vec::new();
    for (table, columns) in test.data.tables() {
        let asked: Vec<_> =
            columns.iter().flat_map(|column| MARKS.map(|mark| (mark, column))).collect();
        let counts: Vec<String> = asked
            .iter()
            .map(|(mark, column)| {
                let mark = mark.to_lowercase();
                let text = format!("lower(CAST(\"{column}\" AS TEXT))");
                format!("count(*) FILTER (WHERE {text} LIKE '%{mark}%')")
            })
            .collect();
        let rows = test.data.rows(&format!("SELECT {} FROM \"{table}\"", counts.join(", ")));
        let found = asked.iter().zip(&rows[0]).filter(|(_, count)| count.as_deref() != Some("0"));
        places.extend(found.map(|((mark, column), _)| (*mark, format!("{table}.{column}"))));
    }
    places
}

#[tokio::test]
async fn who_is_erased_stands_nowhere_any_more() {
    let test = TestShop::open().await;
    let (zoraide, _) = zoraide(&test).await;
    let known = places(&test);
    for mark in MARKS {
        let stands = |(found, place): &(_, String)| *found == mark && place != "event.payload";
        assert!(known.iter().any(stands), "{mark}: {known:?}");
    }
    erase(&test, &zoraide, "segredo-123").await.expect("erased");
    // The log of events and the mails that were sent are gone through in the background.
    assert!(test.shop.run_due().await.expect("done").events_erased > 0);
    assert_eq!(places(&test), []);
    for table in ["event_erasure", "mail_erasure"] {
        assert_eq!(test.count(&format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
    for table in ["address", "cart_item", "notification", "idempotency", "wishlist_item"] {
        assert_eq!(test.count(&format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
}

#[tokio::test]
async fn a_migration_takes_codes_from_the_orders_of_who_was_erased_before() {
    let test = TestShop::open().await;
    let (zoraide, _) = zoraide(&test).await;
    let (ana, vela) = (test.buyer("ana").await, test.product("outra", 9, 1000).await);
    test.buy(&ana, &vela, 1).await.expect("an order");
    erase(&test, &zoraide, "segredo-123").await.expect("erased");
    test.raw_sql("UPDATE orders SET tracking_code = 'QB123456789BR'");
    test.raw_sql(include_str!("../../../shop-core/migrations/0070_erased_codes.sql"));
    let left = "SELECT count(*) FROM orders WHERE tracking_code IS NOT NULL";
    assert_eq!(test.count(left), 1);
    assert_eq!(test.count(&format!("{left} AND account_id = '{}'", ana.id)), 1);
}

/// A table that knows people has to be thought of here and in `erasure/mod.rs`.
#[tokio::test]
async fn every_table_that_knows_people_is_thought_of() {
    let test = TestShop::open().await;
    let personal = ["account_id", "user_id", "customer_id", "owner", "email", "recipient"];
    let mut found: Vec<String> = test
        .data
        .tables()
        .into_iter()
        .filter(|(_, columns)| columns.iter().any(|column| personal.contains(&column.as_str())))
        .map(|(table, _)| table)
        .collect();
    found.sort_unstable();
    let thought_of = [
        "account",
        "address",
        "cart_item",
        "customer_entry",
        "event_erasure",
        "external_account",
        "guest_cart",
        "joined_guest",
        "mail",
        "mail_allowance",
        "mail_erasure",
        "newsletter_reader",
        "notification",
        "order_return",
        "orders",
        "password_reset",
        "review",
        // Of staff, whose accounts are not erased.
        "staff_recovery_code",
        "staff_session",
        "staff_two_factor",
        "wishlist_item",
    ];
    assert_eq!(found, thought_of);
}

#[tokio::test]
async fn the_books_keep_orders_and_payments_and_roughly_where_they_went() {
    let test = TestShop::open().await;
    let (zoraide, before) = zoraide(&test).await;
    erase(&test, &zoraide, "segredo-123").await.expect("erased");
    let after = test.shop.orders().get_by_number(&before.order_number).await.expect("kept");
    let rough = json!({
        "street": "", "number": "", "complement": null, "district": "",
        "city": "São Paulo", "state": "SP", "zipCode": "01310000"
    });
    assert_eq!(serde_json::to_value(&after.address).expect("JSON"), rough);
    let mut kept = before;
    (kept.notes, kept.buyer, kept.tracking_code) = (None, None, None);
    kept.address = after.address.clone();
    assert_eq!(after, kept);
    assert_eq!(test.count("SELECT count(*) FROM payment WHERE status = 'PAID'"), 1);
    let review = "SELECT count(*) FROM review WHERE author = 'Cliente' AND body = 'Perfume ótimo'";
    assert_eq!(test.count(review), 1);
    test.check_ledger();
}

#[tokio::test]
async fn nobody_is_erased_without_his_password_or_with_an_order_under_way() {
    let test = TestShop::open().await;
    let (zoraide, order) = zoraide(&test).await;
    let wrong = erase(&test, &zoraide, "segredo-124").await;
    let is_wrong = matches!(wrong, Err(Error::Unauthenticated(Credential::CurrentPassword)));
    assert!(is_wrong, "{wrong:?}");
    for status in [OrderStatus::Pending, OrderStatus::Processing, OrderStatus::Shipped] {
        set(&test, &order.id, status).await;
        let open = erase(&test, &zoraide, "segredo-123").await;
        assert!(matches!(open, Err(Error::Conflict(Conflict::OpenOrders))), "{open:?}");
    }
    let account = test.shop.accounts().get(&zoraide.id).await.expect("still there");
    assert_eq!(account.name, "Zoraide Quixabeira");
    set(&test, &order.id, OrderStatus::Refunded).await;
    erase(&test, &zoraide, "segredo-123").await.expect("erased");
    let again = erase(&test, &zoraide, "segredo-123").await;
    assert!(matches!(again, Err(Error::Unauthenticated(_))), "{again:?}");
}

#[tokio::test]
async fn calls_that_were_under_way_when_somebody_was_erased_or_suspended_change_nothing() {
    let test = TestShop::open().await;
    let (zoraide, ana) = (zoraide(&test).await.0, test.buyer("ana").await);
    let vela = test.product("outra", 9, 1000).await;
    let order = order_of(&ana, json!([{ "productId": vela, "quantity": 1 }]));
    erase(&test, &zoraide, "segredo-123").await.expect("erased");
    let off = SetActive { active: false };
    let customers = test.shop.customers();
    customers.set_active(&Actor::System, &ana.id, off, None).await.expect("suspended");
    for id in [&zoraide.id, &ana.id] {
        let profile = input(json!({ "name": "Zoraide Quixabeira", "cpf": "529.982.247-25" }));
        let profile = test.shop.accounts().update(id, profile).await.map(drop);
        let address = input(json!({
            "label": "Casa", "street": "Rua das Flores", "number": "123", "district": "Centro",
            "city": "São Paulo", "state": "SP", "zipCode": "01001000"
        }));
        let address = test.shop.addresses().create(id, address).await.map(drop);
        let review = input(json!({ "rating": 5, "body": "Ótima" }));
        let review = test.shop.reviews().create(id, "outra", review).await.map(drop);
        let item = input(json!({ "productId": vela, "quantity": 1 }));
        let line = test.shop.carts().add(id, item).await.map(drop);
        let wish = test.shop.wishlists().add(id, &vela).await.map(drop);
        for change in [profile, address, review, line, wish] {
            let ended = matches!(change, Err(Error::Unauthenticated(Credential::Session)));
            assert!(ended, "{change:?}");
        }
    }
    let placed = test.place_order(&ana, order, None).await;
    assert!(matches!(placed, Err(Error::Unauthenticated(Credential::Session))), "{placed:?}");
    assert_eq!(test.stock(vela.as_str()), 9);
}

#[tokio::test]
async fn nothing_is_mailed_to_who_was_erased() {
    let test = TestShop::open().await;
    let (zoraide, order) = zoraide(&test).await;
    erase(&test, &zoraide, "segredo-123").await.expect("erased");
    let mails = || test.count("SELECT count(*) FROM mail");
    let before = mails();
    let all = input(json!({}));
    test.shop.payments().refund(&Actor::System, &order.id, all, None).await.expect("back");
    assert_eq!(mails(), before);
}

#[tokio::test]
async fn who_runs_the_shop_is_not_erased() {
    let test = TestShop::open().await;
    let eva = json!({ "name": "Eva", "email": "eva@example.com", "password": "segredo-123" });
    let eva = test.shop.accounts().create_admin(input(eva)).await.expect("an admin");
    let password = input(json!({ "password": "segredo-123" }));
    let refused = test.shop.accounts().erase(&eva.id, password).await;
    assert!(matches!(refused, Err(Error::Conflict(Conflict::AdminAccount))), "{refused:?}");
}

#[tokio::test]
async fn the_sessions_are_over_and_the_e_mail_is_free() {
    let test = TestShop::open().await;
    let (zoraide, _) = zoraide(&test).await;
    let token = test.log_in("zoraide").await;
    erase(&test, &zoraide, "segredo-123").await.expect("erased");
    let login = || input(json!({ "email": "zoraide@example.com", "password": "segredo-123" }));
    let gone = test.shop.sessions().log_in(login()).await.map(drop);
    assert!(matches!(gone, Err(Error::Unauthenticated(Credential::Login))), "{gone:?}");
    // Not even if staff make the empty account active again.
    test.raw_sql("UPDATE account SET active = 1");
    let session = test.shop.sessions().verify(&token).await;
    assert!(matches!(session, Err(Error::Unauthenticated(_))), "{session:?}");
    let nobody = json!({ "email": format!("{}@removido.invalid", zoraide.id), "password": "" });
    let nobody = test.shop.sessions().log_in(input(nobody)).await.map(drop);
    assert!(matches!(nobody, Err(Error::Unauthenticated(Credential::Login))), "{nobody:?}");
    let anew = test.buyer("zoraide").await;
    assert_ne!(anew.id, zoraide.id);
    assert!(test.shop.orders().list_for_customer(&anew.id).await.expect("orders").is_empty());
}

#[tokio::test]
async fn late_money_does_not_revive_an_order_that_is_nobodys() {
    let test = TestShop::open().await;
    let ana = test.buyer("ana").await;
    let vela = test.product("vela", 5, 1000).await;
    let order = test.buy(&ana, &vela, 2).await.expect("an order");
    let code = test.shop.payments().create_pix(&ana.id, &order.id, None).await.expect("a code");
    test.advance_hours(73);
    assert_eq!(test.shop.run_due().await.expect("runs").orders_cancelled, 1);
    erase(&test, &ana, "segredo-123").await.expect("erased");
    let notice = test.shop.sandbox().settle(&code.payment_id).await.expect("settled");
    test.shop.payments().receive_notice(notice).await.expect("taken");
    let order = test.shop.orders().get_by_number(&order.order_number).await.expect("kept");
    assert_eq!(order.status, OrderStatus::Cancelled);
    assert_eq!(test.count("SELECT count(*) FROM payment WHERE status = 'REVIEW'"), 1);
    assert_eq!(test.stock(vela.as_str()), 5);
}

#[tokio::test]
async fn a_copy_has_everything_and_nothing_of_others() {
    let test = TestShop::open().await;
    let (zoraide, order) = zoraide(&test).await;
    let (ana, vela) = (test.buyer("ana").await, test.product("outra", 9, 1000).await);
    test.buy(&ana, &vela, 1).await.expect("an order");
    let guest = GuestToken::generate().expect("a token");
    let item = input(json!({ "productId": vela, "quantity": 1 }));
    test.shop.carts().add(&guest, item).await.expect("added");
    let copy = test.shop.accounts().export(&zoraide.id).await.expect("a copy");
    let copy = serde_json::to_value(&copy).expect("JSON");
    let text = copy.to_string();
    for mark in MARKS.into_iter().filter(|mark| !mark.starts_with("cliente")) {
        // What staff wrote for themselves is not hers.
        let hers = !["liga depois das seis", "devolveu com um bilhete"].contains(&mark);
        assert_eq!(text.to_lowercase().contains(&mark.to_lowercase()), hers, "{mark}");
    }
    assert!(!text.contains(ana.id.as_str()) && !text.contains("argon2"), "{text}");
    let count = |name: &str| copy[name].as_array().map(Vec::len);
    let lists = ["addresses", "orders", "notifications", "reviews", "wishlist"];
    assert_eq!(lists.map(count), [Some(1), Some(1), Some(6), Some(1), Some(1)], "{text}");
    let exported = &copy["orders"][0];
    assert_eq!(exported["orderNumber"], order.order_number);
    assert_eq!(exported["items"][0]["quantity"], 2);
    let paid = &exported["payments"][0];
    assert_eq!((&paid["status"], &paid["amount"]), (&json!("PAID"), &exported["total"]));
    assert_eq!(copy["cart"]["items"][0]["quantity"], 1);
    assert_ne!(copy["exportedAt"], Value::Null);
    let newsletter = &copy["newsletter"];
    assert!(newsletter["email"].as_str().is_some_and(|email| email.contains('@')), "{text}");
    assert_eq!(newsletter["unsubscribedAt"], Value::Null);
}
