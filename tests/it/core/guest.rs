//! Guests: accounts without a password, what is kept of them, and how their orders join an account.

use futures_util::future::join_all;
use futures_util::{StreamExt, TryStreamExt};
use serde_json::json;
use shop_core::account::{GuestCustomer, Session};
use shop_core::actor::Actor;
use shop_core::config::Secret;
use shop_core::error::{Conflict, Credential, Entity, Error};
use shop_core::guest::JoinGuest;
use shop_core::id::OrderId;
use shop_core::order::{Order, OrderStatus, OrderToken};
use shop_core::views::CustomerExportFilter;

use super::fixture::{Buyer, TestShop, input};
use crate::fakes::smtp::{SmtpBehaviour, SmtpServer};

fn person(email: &str) -> GuestCustomer {
    let person = json!({ "name": "Zoraide", "email": email, "phone": "11 98765-4321" });
    input(person)
}

async fn enter(test: &TestShop, email: &str) -> Session {
    test.shop.accounts().register_guest(person(email), None).await.expect("a guest")
}

/// A guest with an address.
async fn guest(test: &TestShop, email: &str) -> Buyer {
    let id = enter(test, email).await.account.id;
    let address = input(json!({
        "label": "Casa", "street": "Rua Quixabeira", "number": "1", "district": "Centro",
        "city": "São Paulo", "state": "SP", "zipCode": "01001000"
    }));
    let address = test.shop.addresses().create(&id, address).await.expect("an address").id;
    Buyer { id, address }
}

async fn deliver(test: &TestShop, order: &Order) {
    test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    let orders = test.shop.orders();
    orders.set_status(&order.id, OrderStatus::Delivered, None).await.expect("delivered");
}

/// A shop whose mails are read.
async fn with_mails() -> (TestShop, SmtpServer) {
    let smtp = SmtpServer::start(SmtpBehaviour::Takes).await;
    let url = Secret::new(smtp.url());
    (TestShop::with(|config| config.mail.smtp_url = Some(url)).await, smtp)
}

/// The token of the link in a mail about an order.
async fn link(test: &TestShop, smtp: &SmtpServer, order: &Order) -> OrderToken {
    test.shop.run_due().await.expect("done");
    let start = format!("/pedido/{}?t=", order.order_number);
    let text = smtp.received().iter().find_map(|mail| {
        let text = mail.text();
        let (_, rest) = text.split_once(&start)?;
        rest.split_whitespace().next().map(str::to_owned)
    });
    OrderToken::from(text.expect("a link").as_str())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_guests_at_once_may_have_one_e_mail_and_none_is_anothers() {
    let test = TestShop::open().await;
    test.buyer("ana").await;
    let other = test.open_again().await;
    let ask = |n: usize| {
        let shop = if n.is_multiple_of(2) { test.shop.clone() } else { other.clone() };
        async move { shop.accounts().register_guest(person("Ana@example.com"), None).await }
    };
    let sessions = join_all((0..12).map(ask)).await;
    let mut ids: Vec<_> =
        sessions.into_iter().map(|it| it.expect("a guest").account.id.to_string()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 12);
    let email = "ana@example.com".parse().expect("an e-mail");
    let ana = test.shop.accounts().get_by_email(&email).await.expect("an account");
    assert!(!ana.guest);
    assert_eq!(test.count("SELECT count(*) FROM event WHERE name = 'customer.created'"), 1);
    assert_eq!(test.count("SELECT count(*) FROM mail"), 1, "the welcome of who registered");
}

#[tokio::test]
async fn a_guest_who_ordered_nothing_is_deleted_after_eight_days_with_all_that_is_kept() {
    let test = TestShop::open().await;
    let (gone, stays) = (guest(&test, "ana@example.com").await, guest(&test, "bia@x.co").await);
    let vela = test.product("vela", 9, 1000).await;
    test.add_to_cart(&gone, &vela, 1).await.expect("added");
    test.shop.wishlists().add(&gone.id, &vela).await.expect("wished");
    test.buy(&stays, &vela, 1).await.expect("an order");
    test.advance_hours(8 * 24 - 1);
    assert_eq!(test.shop.run_due().await.expect("done").guests_purged, 0);
    test.advance_hours(1);
    assert_eq!(test.shop.run_due().await.expect("done").guests_purged, 1);
    assert_eq!(test.shop.run_due().await.expect("done").guests_purged, 0);
    for table in ["address", "cart_item", "wishlist_item", "customer_entry"] {
        let of = format!("SELECT count(*) FROM {table} WHERE account_id = '{}'", gone.id);
        if table == "cart_item" {
            assert_eq!(test.count("SELECT count(*) FROM cart_item"), 0);
        } else {
            assert_eq!(test.count(&of), 0, "{table}");
        }
    }
    let list = test.shop.customers().list(input(json!({}))).await.expect("a list");
    assert_eq!((list.pagination.total, &list.data[0].id), (1, &stays.id));
    let found = test.shop.customers().list(input(json!({ "search": "zoraide" }))).await;
    assert_eq!(found.expect("a list").pagination.total, 1);
    test.check_books().await;
}

#[tokio::test]
async fn staff_tell_guests_from_others_in_lists_orders_and_files() {
    let test = TestShop::open().await;
    let (zoraide, ana) = (guest(&test, "zoraide@example.com").await, test.buyer("ana").await);
    let vela = test.product("vela", 9, 1000).await;
    let order = test.buy(&zoraide, &vela, 1).await.expect("an order");
    for search in [json!(null), json!("zor"), json!("zoraide@ex")] {
        for (guest, expected) in [(json!(true), 1), (json!(false), 0), (json!(null), 1)] {
            let filter = json!({ "search": search, "guest": guest });
            let page = test.shop.customers().list(input(filter)).await.expect("a list");
            let of_guests = page.data.iter().filter(|it| it.guest && it.id == zoraide.id).count();
            assert_eq!(of_guests, expected, "{search} {guest}");
            let all = i64::try_from(page.data.len()).expect("few");
            assert_eq!(page.pagination.total, all, "{search} {guest}");
        }
    }
    let of_others = test.shop.customers().list(input(json!({ "guest": false }))).await;
    assert_eq!(of_others.expect("a list").data[0].id, ana.id);
    assert!(test.shop.customers().get(&zoraide.id).await.expect("a customer").account.guest);
    assert!(test.shop.orders().get_detail(&order.id).await.expect("an order").user.guest);
    let list = test.shop.orders().list(input(json!({}))).await.expect("a list");
    assert!(list.data[0].user.guest);
    let filter: CustomerExportFilter = input(json!({ "guest": true }));
    let file = test.shop.customers().export_csv(&Actor::System, filter).await.expect("a file");
    let pieces: Vec<Vec<u8>> = file.boxed().try_collect().await.expect("whole");
    let text = String::from_utf8(pieces.concat()).expect("text");
    assert!(text.contains(";Conta") && text.contains("Convidado"), "{text}");
    assert!(!text.contains("ana@example.com"), "{text}");
}

#[tokio::test]
async fn a_guests_copy_and_erasure_leave_alone_what_else_belongs_to_the_e_mail() {
    let test = TestShop::open().await;
    let reader = input(json!({ "email": "ana@example.com", "name": "Ana" }));
    test.shop.newsletter().subscribe(reader).await.expect("subscribed");
    let stranger = guest(&test, "ana@example.com").await;
    let copy = test.shop.accounts().export(&stranger.id).await.expect("a copy");
    assert!(copy.newsletter.is_none() && copy.addresses.len() == 1 && copy.account.guest);
    test.shop.accounts().erase(&stranger.id, input(json!({}))).await.expect("erased");
    assert_eq!(test.count("SELECT count(*) FROM newsletter_reader"), 1);
    assert_eq!(test.count("SELECT count(*) FROM mail"), 1, "the newsletter's");
    assert_eq!(test.count("SELECT count(*) FROM account WHERE name = 'Zoraide'"), 0);
    test.advance_hours(8 * 24);
    assert_eq!(test.shop.run_due().await.expect("done").guests_purged, 1);
}

#[tokio::test]
async fn orders_that_were_joined_are_the_accounts_and_are_erased_with_it() {
    let (test, smtp) = with_mails().await;
    let guest = guest(&test, "ANA@example.com").await;
    let vela = test.product("vela", 9, 1000).await;
    let order = test.buy(&guest, &vela, 1).await.expect("an order");
    let token = link(&test, &smtp, &order).await;
    let (ana, bia) = (test.buyer("ana").await, test.buyer("bia").await);
    let accounts = test.shop.accounts();
    let join = || JoinGuest::new(token.clone());
    let other = accounts.join_guest(&bia.id, join()).await;
    assert!(matches!(other, Err(Error::Conflict(Conflict::OtherEmail))), "{other:?}");
    accounts.join_guest(&ana.id, join()).await.expect("joined");
    accounts.join_guest(&ana.id, join()).await.expect("again changes nothing");
    let orders = test.shop.orders().list_for_customer(&ana.id).await.expect("a list");
    assert_eq!(orders.iter().map(|it| &it.id).collect::<Vec<_>>(), [&order.id]);
    let gone = format!("SELECT count(*) FROM account WHERE id = '{}'", guest.id);
    assert_eq!(test.count(&gone), 0);
    // Another tab of the guest's, whose session was looked at before.
    let item = input(json!({ "productId": vela, "quantity": 1 }));
    let late = test.shop.carts().add(&guest.id, item).await;
    assert!(matches!(late, Err(Error::NotFound(Entity::Account))), "{late:?}");
    test.check_books().await;

    deliver(&test, &order).await;
    let password = json!({ "password": "segredo-123" });
    accounts.erase(&ana.id, input(password)).await.expect("erased");
    assert!(test.count("SELECT count(*) FROM event WHERE payload LIKE '%Quixabeira%'") > 0);
    test.shop.run_due().await.expect("done");
    assert_eq!(test.count("SELECT count(*) FROM event WHERE payload LIKE '%Quixabeira%'"), 0);
    assert_eq!(test.count("SELECT count(*) FROM joined_guest"), 0);
    let ended = test.shop.orders().open_link(&token).await;
    assert!(matches!(ended, Err(Error::Unauthenticated(Credential::OrderLink))), "{ended:?}");
    test.check_books().await;
}

#[tokio::test]
async fn who_followed_the_link_of_an_order_has_the_newsletter_of_its_e_mail_in_the_copy() {
    let (test, smtp) = with_mails().await;
    let vela = test.product("vela", 9, 1000).await;
    let accounts = test.shop.accounts();
    for joins in [true, false] {
        let email = if joins { "ana@example.com" } else { "bia@example.com" };
        let reader = input(json!({ "email": email, "name": "Leitora" }));
        test.shop.newsletter().subscribe(reader).await.expect("subscribed");
        let guest = guest(&test, email).await;
        let order = test.buy(&guest, &vela, 1).await.expect("an order");
        let token = link(&test, &smtp, &order).await;
        let id = if joins {
            let ana = test.buyer("ana").await.id;
            let before = accounts.export(&ana).await.expect("a copy");
            assert!(before.newsletter.is_none(), "anybody may type an e-mail");
            accounts.join_guest(&ana, JoinGuest::new(token)).await.expect("joined");
            ana
        } else {
            let password = "segredo-123".parse().expect("a password");
            let input = shop_core::guest::SetGuestPassword::new(token, password);
            accounts.set_guest_password(input).await.expect("set").account.id
        };
        let copy = accounts.export(&id).await.expect("a copy");
        assert!(copy.newsletter.is_some(), "joins: {joins}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_who_set_a_password_by_one_link_one_does() {
    let (test, smtp) = with_mails().await;
    let guest = guest(&test, "ana@example.com").await;
    let vela = test.product("vela", 9, 1000).await;
    let order = test.buy(&guest, &vela, 1).await.expect("an order");
    let token = link(&test, &smtp, &order).await;
    let set = |n: u32| {
        let (shop, token) = (test.shop.clone(), token.clone());
        async move {
            let password = format!("segredo-{n}{n}{n}").parse().expect("a password");
            let input = shop_core::guest::SetGuestPassword::new(token, password);
            shop.accounts().set_guest_password(input).await
        }
    };
    let outcomes = join_all((0..6).map(set)).await;
    assert_eq!(outcomes.iter().filter(|it| it.is_ok()).count(), 1, "{outcomes:?}");
    let account = test.shop.accounts().get(&guest.id).await.expect("an account");
    assert!(!account.guest);
    assert_eq!(test.count("SELECT count(*) FROM event WHERE name = 'customer.created'"), 1);
    let found: OrderId = order.id.clone();
    let mine = test.shop.orders().get_for_customer(&guest.id, &found).await.expect("an order");
    assert_eq!(mine.order_number, order.order_number);
}

#[tokio::test]
async fn a_link_ends_with_a_suspension() {
    let (test, smtp) = with_mails().await;
    let guest = guest(&test, "ana@example.com").await;
    let vela = test.product("vela", 9, 1000).await;
    let order = test.buy(&guest, &vela, 1).await.expect("an order");
    let token = link(&test, &smtp, &order).await;
    let linked = test.shop.orders().open_link(&token).await.expect("opens");
    assert_eq!((&linked.id, &linked.customer), (&order.id, &guest.id));
    let suspend = input(json!({ "active": false }));
    let customers = test.shop.customers();
    customers.set_active(&Actor::System, &guest.id, suspend, None).await.expect("suspended");
    let ended = test.shop.orders().open_link(&token).await;
    assert!(matches!(ended, Err(Error::Unauthenticated(Credential::OrderLink))), "{ended:?}");
}

#[tokio::test]
async fn an_account_that_cannot_be_deleted_does_not_keep_the_others() {
    let test = TestShop::open().await;
    let bad = enter(&test, "ana@example.com").await.account.id;
    test.advance_hours(1);
    enter(&test, "bia@example.com").await;
    test.raw_sql(&format!(
        "INSERT INTO staff_recovery_code (account_id, code_hash) VALUES ('{bad}', 'x')"
    ));
    test.advance_hours(8 * 24);
    let round = async || {
        let done = test.shop.run_due().await.expect("done");
        (done.guests_purged, done.failures)
    };
    assert_eq!(round().await, (1, 1));
    assert_eq!(test.shop.background_failures(), [("purge_guest", 1)]);
    assert_eq!(round().await, (0, 0), "it is put off");
    test.raw_sql("DELETE FROM staff_recovery_code");
    test.advance_hours(1);
    assert_eq!(round().await, (1, 0));
}
