//! What must be seen outside is told once, whichever of the servers does it.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;

use super::{Stage, TO_THIS_MACHINE, aside, order_somewhere};
use crate::binary::{self, Server};
use crate::core::webhook::{subscribe, wait_until};
use crate::fakes::receiver::{Behaviour, Receiver};
use crate::fakes::smtp::{SmtpBehaviour, SmtpServer};

/// Buyers that order at the same time, and how often each.
const BUYERS: usize = 6;
const ORDERS: usize = 15;

/// Nothing waits for anybody any more.
const WAITING: &str = "SELECT (SELECT count(*) FROM webhook_queue)
  + (SELECT count(*) FROM event WHERE id > (SELECT event_id FROM webhook_cursor))
  + (SELECT count(*) FROM mail WHERE sent_at IS NULL)";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_servers_tell_of_each_order_once_by_webhook_and_by_mail() {
    let (receiver, smtp) =
        (Receiver::start(Behaviour::Takes).await, SmtpServer::start(SmtpBehaviour::Takes).await);
    let stage = Stage::new().await;
    subscribe(&stage.test, &receiver.url("/x"), json!(["order.created"])).await;
    let environment = [
        (TO_THIS_MACHINE.0, TO_THIS_MACHINE.1.to_owned()),
        ("SHOP_MAIL__SMTP_URL", smtp.url()),
        ("SHOP_MAIL__PER_ADDRESS_PER_HOUR", "0".to_owned()),
    ];
    let servers = stage.servers(3, &environment).await;
    let addresses: Vec<String> = servers.iter().map(|server| server.address.clone()).collect();
    let (token, body) = (stage.token.clone(), stage.body());
    aside(move || {
        std::thread::scope(|scope| {
            for buyer in 0..BUYERS {
                let (mut addresses, token, body) = (addresses.clone(), &token, &body);
                addresses.rotate_left(buyer % 3);
                scope.spawn(move || {
                    for n in 0..ORDERS {
                        order_somewhere(&addresses, token, &format!("{buyer}-{n}"), body);
                    }
                });
            }
        });
    })
    .await;
    wait_until(Duration::from_secs(60), || stage.test.count(WAITING) == 0).await;
    servers.into_iter().for_each(Server::kill);
    let told = receiver.received();
    let names: BTreeSet<_> = told.iter().map(|one| one.header("webhook-id").to_owned()).collect();
    let orders: BTreeSet<_> = told.iter().map(|one| one.json()["data"]["id"].to_string()).collect();
    let all = BUYERS * ORDERS;
    assert_eq!((told.len(), names.len(), orders.len()), (all, all, all));
    // The welcome is one more.
    let mails = smtp.received();
    let names: BTreeSet<_> = mails.iter().map(|mail| mail.header("Message-ID")).collect();
    assert_eq!((mails.len(), names.len()), (all + 1, all + 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_payment_whose_notice_reaches_every_server_again_and_again_is_booked_once() {
    let stage = Stage::new().await;
    let order = stage.test.buy(&stage.buyer, &stage.vela, 1).await.expect("placed");
    let payments = stage.test.shop.payments();
    let charge = payments.create_pix(&stage.buyer.id, &order.id, None).await.expect("a code");
    let notice = stage.test.shop.sandbox().settle(&charge.payment_id).await.expect("settled");
    let servers = stage.servers(3, &[]).await;
    let addresses: Vec<String> = servers.iter().map(|server| server.address.clone()).collect();
    let path = format!(
        "/api/payments/provider1/webhook?data.id={}&type=payment",
        notice.data_id.expect("an id")
    );
    let (request, signature) =
        (notice.request_id.expect("named"), notice.signature.expect("signed"));
    aside(move || {
        let headers = [("x-request-id", request.as_str()), ("x-signature", signature.as_str())];
        std::thread::scope(|scope| {
            for n in 0..60 {
                let (address, path) = (&addresses[n % 3], &path);
                scope.spawn(move || {
                    let answer = binary::post(address, path, &headers, "{}");
                    assert_eq!(answer, Some((200, json!({ "received": true }))));
                });
            }
        });
    })
    .await;
    servers.into_iter().for_each(Server::kill);
    for (what, sql) in [
        ("payment", "SELECT count(*) FROM payment WHERE status = 'PAID'"),
        ("order", "SELECT count(*) FROM orders WHERE status = 'PROCESSING'"),
        ("event", "SELECT count(*) FROM event WHERE name = 'order.paid'"),
        ("notification", "SELECT count(*) FROM notification"),
    ] {
        assert_eq!(stage.test.count(sql), 1, "{what}");
    }
}
