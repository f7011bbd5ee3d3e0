//! A program with users of its own: their accounts, their sessions, and what it does for them.

use futures_util::future::join_all;
use serde_json::json;
use shop_core::account::{ExternalCustomer, ExternalId, SetActive};
use shop_core::actor::{Actor, ActorKind};
use shop_core::api_key::Scope;
use shop_core::audit::{AuditEntry, AuditFilter};
use shop_core::error::{Conflict, Credential, Entity, Error};
use shop_core::order::{NewOrderNote, OrderPatch};

use super::fixture::{TestShop, input, order_of};

fn key(text: &str) -> ExternalId {
    text.parse().expect("a key")
}

fn person(email: &str) -> ExternalCustomer {
    ExternalCustomer::new("Ana Souza".parse().expect("a name"), email.parse().expect("an e-mail"))
}

async fn latest(test: &TestShop, action: &str) -> AuditEntry {
    let filter: AuditFilter = input(json!({ "action": action }));
    let found = test.shop.audit().list(filter).await.expect("a list").data;
    found.into_iter().next().unwrap_or_else(|| panic!("no entry of {action}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_key_is_one_account_however_many_ask_at_once() {
    let test = TestShop::open().await;
    let other = test.open_again().await;
    let ask = |n: usize| {
        let shop = if n.is_multiple_of(2) { test.shop.clone() } else { other.clone() };
        async move { shop.accounts().ensure(&key("erp-1"), person("ana@example.com")).await }
    };
    let accounts = join_all((0..16).map(ask)).await;
    let first = accounts[0].as_ref().expect("an account");
    assert!(accounts.iter().all(|it| it.as_ref().is_ok_and(|it| it.id == first.id)));
    assert_eq!(test.count("SELECT count(*) FROM account"), 1);
    assert_eq!(test.count("SELECT count(*) FROM event WHERE name = 'customer.created'"), 1);
    assert_eq!(test.count("SELECT count(*) FROM mail"), 0, "the program welcomes its own users");
}

#[tokio::test]
async fn an_account_is_not_taken_over_by_its_e_mail() {
    let test = TestShop::open().await;
    let ana = test.buyer("ana").await;
    let accounts = test.shop.accounts();
    let refused = accounts.ensure(&key("erp-1"), person("ANA@example.com")).await;
    assert!(matches!(refused, Err(Error::Conflict(Conflict::Email))), "{refused:?}");

    let by = Actor::host("erp").expect("a name");
    accounts.link(&by, &key("erp-1"), &ana.id).await.expect("linked");
    accounts.link(&by, &key("erp-1"), &ana.id).await.expect("linked already");
    let found = accounts.ensure(&key("erp-1"), person("ANA@example.com")).await;
    assert_eq!(found.expect("an account").id, ana.id);
    assert!(!test.log_in("ana").await.is_empty(), "the password stays");
    let entry = latest(&test, "customer.link").await;
    assert_eq!(
        (entry.resource_id.as_str(), entry.actor.name.as_deref()),
        (ana.id.as_str(), Some("erp"))
    );

    let bia = test.buyer("bia").await;
    for (taken, account) in [("erp-1", &bia.id), ("erp-2", &ana.id)] {
        let refused = accounts.link(&by, &key(taken), account).await;
        assert!(matches!(refused, Err(Error::Conflict(Conflict::ExternalId))), "{refused:?}");
    }
    let refused = accounts.link(&by, &key("erp-3"), &"none".into()).await;
    assert!(matches!(refused, Err(Error::NotFound(Entity::Account))), "{refused:?}");
}

#[tokio::test]
async fn a_session_is_issued_to_an_account_that_may_log_in_and_to_no_other() {
    let test = TestShop::open().await;
    let ana = test.shop.accounts().ensure(&key("1"), person("ana@example.com")).await;
    let ana = ana.expect("an account").id;
    let sessions = test.shop.sessions();
    let session = sessions.issue(&ana).await.expect("a session");
    assert_eq!(sessions.verify(&session.token).await.expect("holds").id, ana);
    let login = json!({ "email": "ana@example.com", "password": "" });
    let refused = sessions.log_in(input(login)).await;
    assert!(matches!(refused, Err(Error::Unauthenticated(Credential::Login))), "{refused:?}");

    let unknown = sessions.issue(&"none".into()).await;
    assert!(matches!(unknown, Err(Error::NotFound(Entity::Account))), "{unknown:?}");
    let suspend = SetActive { active: false };
    let by = Actor::System;
    test.shop.customers().set_active(&by, &ana, suspend, None).await.expect("suspended");
    let refused = sessions.issue(&ana).await;
    assert!(matches!(refused, Err(Error::Suspended)), "{refused:?}");
    let admit = SetActive { active: true };
    test.shop.customers().set_active(&by, &ana, admit, None).await.expect("admitted");
    let session = sessions.issue(&ana).await.expect("in the very second of the suspension");
    assert_eq!(sessions.verify(&session.token).await.expect("holds").id, ana);
}

#[tokio::test]
async fn a_session_of_staff_is_kept_and_can_be_ended() {
    let test = TestShop::open().await;
    let register = json!({ "name": "Bia", "email": "bia@example.com", "password": "segredo-123" });
    let bia = test.shop.accounts().create_admin(input(register)).await.expect("an admin").id;
    let sessions = test.shop.sessions();
    let session = sessions.with_user_agent(Some("erp/1")).issue(&bia).await.expect("a session");
    let kept = sessions.list(&bia).await.expect("a list");
    assert_eq!(kept[0].user_agent.as_deref(), Some("erp/1"));
    sessions.end(&Actor::System, &bia, &kept[0].id).await.expect("ended");
    assert!(sessions.verify(&session.token).await.is_err());
}

#[tokio::test]
async fn a_program_stands_by_its_name_in_the_audit_log_the_history_and_the_notes() {
    let test = TestShop::open().await;
    let by = Actor::host("erp").expect("a name");
    assert!(Actor::host(" ").is_err() && Actor::host(&"x".repeat(65)).is_err());
    let ana = test.buyer("ana").await;
    let vela = test.product("vela", 9, 1000).await;
    let order = test.buy(&ana, &vela, 1).await.expect("an order");
    let patch: OrderPatch = input(json!({ "status": "PROCESSING" }));
    test.shop.orders().update(&by, &order.id, patch, None).await.expect("moved");
    let entry = latest(&test, "order.update").await;
    assert_eq!(entry.actor.kind, ActorKind::System);
    assert_eq!(
        (entry.actor.id.as_deref(), entry.actor.name.as_deref()),
        (Some("erp"), Some("erp"))
    );
    let note: NewOrderNote = input(json!({ "note": "embalar bem" }));
    let note = test.shop.orders().add_note(&by, &order.id, note).await.expect("a note");
    assert_eq!(note.author, "erp");
    let key = Actor::Key(test.key(&[Scope::OrdersWrite]).await.key.id);
    let note: NewOrderNote = input(json!({ "note": "pago na loja" }));
    let note = test.shop.orders().add_note(&key, &order.id, note).await.expect("a note");
    assert_eq!(note.author, "ERP");
    let detail = test.shop.orders().get_detail(&order.id).await.expect("a detail");
    let move_ = detail.history.last().expect("a move");
    assert_eq!(move_.actor_name.as_deref(), Some("erp"));
    let of_erp: AuditFilter = input(json!({ "actorId": "erp" }));
    assert_eq!(test.shop.audit().list(of_erp).await.expect("a list").data.len(), 2);
}

#[tokio::test]
async fn staff_place_an_order_for_a_customer_and_the_log_says_who() {
    let test = TestShop::with(|config| config.orders.max_open_unpaid = 1).await;
    let ana = test.buyer("ana").await;
    let vela = test.product("vela", 9, 1000).await;
    test.buy(&ana, &vela, 1).await.expect("the customer's own");
    let by = Actor::host("balcão").expect("a name");
    let key = || Some("balcao-1".parse().expect("a key"));
    let order = || order_of(&ana, json!([{ "productId": vela, "quantity": 2 }]));
    let orders = test.shop.orders();
    let placed = orders.place_for(&by, &ana.id, order(), key()).await.expect("beyond the limit");
    assert_eq!((&placed.order.user_id, test.stock(vela.as_str())), (&ana.id, 6));
    let again = orders.place_for(&by, &ana.id, order(), key()).await.expect("the same");
    assert!(again.replayed && again.order.id == placed.order.id);
    let entry = latest(&test, "order.place").await;
    assert_eq!(
        (entry.resource_id.as_str(), entry.actor.name.as_deref()),
        (placed.order.id.as_str(), Some("balcão"))
    );
    assert_eq!(entry.after["customerId"], ana.id.as_str());
    let entries = "SELECT count(*) FROM audit WHERE action = 'order.place'";
    assert_eq!(test.count(entries), 1, "neither the customer's own order nor the repeat");
    // The customer's keys are the customer's.
    let own = orders.place(&ana.id, order(), key()).await;
    assert!(own.is_err_and(|error| error.code() == "too_many_unpaid_orders"));
}

#[tokio::test]
async fn a_person_without_a_password_is_erased_for_the_program_and_the_key_is_free_again() {
    let test = TestShop::open().await;
    let ana = test.shop.accounts().ensure(&key("erp-1"), person("ana@example.com")).await;
    let ana = ana.expect("an account").id;
    let export = test.shop.accounts().export(&ana).await.expect("a copy");
    assert_eq!(export.external_id.as_deref(), Some("erp-1"));
    let by = Actor::host("erp").expect("a name");
    test.shop.customers().erase_person(&by, &ana).await.expect("erased");
    assert_eq!(latest(&test, "customer.erase").await.resource_id, ana.as_str());
    let anew = test.shop.accounts().ensure(&key("erp-1"), person("ana@example.com")).await;
    assert_ne!(anew.expect("an account").id, ana);
}
