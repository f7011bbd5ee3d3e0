//! The real server, killed while it issues invoices.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use shop_tests::repeats;

use crate::binary::{Server, post_as};
use crate::core::fixture::{TestShop, input};
use crate::fakes::sefaz::{Behavior, Sefaz};

/// Orders that want an invoice from the first; each round has one more.
const ORDERS: usize = 6;

/// Asks for an order's invoice.
fn emit(address: &str, token: &str, order: &str) -> Option<(u16, serde_json::Value)> {
    let path = format!("/api/admin/orders/{order}/nfe/emitir");
    post_as(address, token, &path, &json!({ "cpf": "52998224725" }))
}

/// Asks for all invoices at once, and kills the server meanwhile.
async fn burst(
    office: &Sefaz,
    behavior: Behavior,
    round: u64,
    server: Server,
    token: &str,
    orders: &[String],
) {
    office.behaves(behavior);
    office.asked();
    let asking: Vec<_> = orders
        .iter()
        .map(|order| {
            let (address, token, order) = (server.address.clone(), token.to_owned(), order.clone());
            std::thread::spawn(move || emit(&address, &token, &order))
        })
        .collect();
    // While the office has something in its hands, or at any moment of it.
    if round.is_multiple_of(2) {
        let services = ["NFeAutorizacao4", "NFeConsultaProtocolo4"];
        let waits = services.map(|service| Box::pin(office.wait_for(service)));
        futures_util::future::select_all(waits).await;
    }
    tokio::time::sleep(Duration::from_millis(round * 7919 % 83)).await;
    server.kill();
    for thread in asking {
        thread.join().expect("no panic");
    }
}

/// The keys of all invoices, once each is issued.
fn issue_all(database: &Path, office: &Sefaz, token: &str, orders: &[String]) -> Vec<String> {
    let server = Server::start_with(database, office.environment());
    let issue = |order: &String| {
        for _ in 0..40 {
            match emit(&server.address, token, order).expect("an answer") {
                (200, invoice) => return invoice["chave"].as_str().expect("a key").to_owned(),
                // Somebody else, the background work, has it in hand.
                (status, body) => assert!(status >= 500, "{status}: {body}"),
            }
            std::thread::sleep(Duration::from_millis(250));
        }
        panic!("{order} gets no invoice");
    };
    let keys = orders.iter().map(issue).collect();
    server.kill();
    keys
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_order_has_two_invoices_however_the_server_dies() {
    let (office, test) = (Sefaz::start().await, TestShop::with_machine_clock().await);
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 100, 4990).await;
    let paid = async || {
        let order = test.buy(&buyer, &vela, 1).await.expect("placed");
        test.shop.sandbox().pay(&order.order_number).await.expect("paid");
        order.id.to_string()
    };
    let mut orders = Vec::new();
    for _ in 0..ORDERS {
        orders.push(paid().await);
    }
    let admin = json!({
        "name": "Equipe", "email": "equipe@example.com", "password": "segredo-123"
    });
    test.shop.accounts().create_admin(input(admin)).await.expect("an admin");
    let (token, database) = (test.log_in("equipe").await, test.database());
    for round in 0..repeats(5, 12) {
        // So that there is something to ask the office for, whatever the rounds before got done.
        orders.push(paid().await);
        let behaviors = [
            Behavior::SilentAfter,
            Behavior::Works,
            Behavior::SilentBefore,
            Behavior::HangsUpAfter,
        ];
        let behavior = behaviors[usize::try_from(round).expect("a number") % behaviors.len()];
        let (file, environment) = (database.clone(), office.environment());
        let start = move || Server::start_with(&file, environment);
        let server = tokio::task::spawn_blocking(start).await.expect("starts");
        burst(&office, behavior, round, server, &token, &orders).await;
    }
    office.behaves(Behavior::Works);
    let (asked, list) = (office.clone(), orders.clone());
    let issue = move || issue_all(&database, &asked, &token, &list);
    let mut keys = tokio::task::spawn_blocking(issue).await.expect("no panic");
    keys.sort_unstable();
    assert_eq!(office.good(), keys, "the office knows these invoices and no others");
    assert_eq!(office.authorised(), orders.len());
    let issued = test.count("SELECT count(*) FROM nfe WHERE status = 'AUTHORIZED'");
    let last = test.count("SELECT max(number) FROM nfe");
    let all = i64::try_from(orders.len()).expect("few");
    assert_eq!((issued, last), (all, all), "no number is lost");
}
