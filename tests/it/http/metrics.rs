//! What `/metrics` tells of the shop: what was done, and what waits.

#![expect(clippy::float_cmp, reason = "what is counted is whole")]

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;
use shop_core::config::Secret;
use shop_server::ServeOptions;

use super::{TestServer, nfe};
use crate::core::fixture::{START, TestShop};
use crate::core::nfe::sold;
use crate::fakes::receiver::{Behaviour, Receiver};
use crate::fakes::smtp::{SmtpBehaviour, SmtpServer};

/// How long is waited for what must come: far longer than it takes.
const PATIENCE: Duration = Duration::from_secs(60);

impl TestServer {
    async fn page(&self) -> String {
        let answer = self.anonymous().get("/metrics").await;
        String::from_utf8(answer.body.to_vec()).expect("text")
    }

    /// What a series stands at now.
    pub(super) async fn told(&self, series: &str) -> f64 {
        let page = self.page().await;
        of(&page, series).unwrap_or_else(|| panic!("no {series} in\n{page}"))
    }

    /// Waits until a series is as it must be: figures of the database are a second old at most.
    pub(super) async fn tells(&self, series: &str, fits: impl Fn(f64) -> bool) {
        let told = async {
            while !fits(self.told(series).await) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let in_time = tokio::time::timeout(PATIENCE, told).await;
        assert!(in_time.is_ok(), "{series} is {}", self.told(series).await);
    }
}

fn of(page: &str, series: &str) -> Option<f64> {
    page.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' ')?.parse().ok())
}

/// The names of what a page tells.
fn names(page: &str) -> BTreeSet<String> {
    let types = page.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let name = |line: &str| {
        let (name, kind) = line.split_once(' ').expect("a kind");
        if kind == "counter" { format!("{name}_total") } else { name.to_owned() }
    };
    types.map(name).collect()
}

#[tokio::test]
async fn orders_are_counted_once_and_told_by_their_status() {
    let server = TestServer::start().await;
    let ana = server.customer("ana").await;
    let vela = server.test.product("vela", 2, 4990).await;
    for _ in 0..2 {
        server.test.buy(ana.buyer(), &vela, 1).await.expect("placed");
    }
    // Refused: nothing is left.
    assert!(server.test.buy(ana.buyer(), &vela, 1).await.is_err());
    assert_eq!(server.told("shop_orders_placed_total").await, 2.0);
    server.tells(r#"shop_orders{status="PENDING"}"#, |count| count == 2.0).await;
    server.test.advance_hours(24 * 30);
    server.test.shop.run_due().await.expect("done");
    server.tells(r#"shop_orders{status="CANCELLED"}"#, |count| count == 2.0).await;
    assert_eq!(server.told(r#"shop_orders{status="PENDING"}"#).await, 0.0);
    assert_eq!(server.told("shop_orders_placed_total").await, 2.0);
}

#[tokio::test]
async fn commits_are_timed_and_their_jobs_counted() {
    let server = TestServer::start().await;
    let before = server.told("shop_commit_seconds_count").await;
    server.test.product("vela", 2, 4990).await;
    assert!(server.told("shop_commit_seconds_count").await > before);
    assert!(server.told("shop_commit_seconds_sum").await > 0.0);
    let page = server.page().await;
    let jobs = of(&page, "shop_commit_jobs_count");
    assert_eq!(of(&page, r#"shop_commit_jobs_bucket{le="+Inf"}"#), jobs);
    assert_eq!(of(&page, "shop_commit_seconds_count"), jobs, "each has its size and its time");
    for queue in ["reads", "writes"] {
        server
            .tells(&format!("shop_storage_queue_jobs{{queue=\"{queue}\"}}"), |it| it == 0.0)
            .await;
    }
    let wal = server.told("shop_sqlite_wal_bytes").await;
    assert_eq!(wal > 0.0, server.test.data.is_a_file(), "{wal}");
}

#[tokio::test]
async fn a_mail_that_cannot_leave_is_told_with_its_age() {
    let smtp = SmtpServer::start(SmtpBehaviour::Busy).await;
    let (address, url) = (smtp.address, Secret::new(smtp.url()));
    let adapt = |config: &mut shop_core::Config| config.mail.smtp_url = Some(url);
    let server = TestServer::start_with(adapt, ServeOptions::default()).await;
    assert_eq!(server.told("shop_mails_oldest_unsent_seconds").await, 0.0);
    let contact = json!({ "name": "Ana", "email": "ana@example.com", "subject": "Olá",
                          "message": "Quando chega?" });
    server.anonymous().post("/api/contact", &contact).await.expect(200);
    server.tells(r#"shop_mails_total{outcome="put_off"}"#, |count| count >= 1.0).await;
    server.tells("shop_mails_failing", |count| count >= 1.0).await;
    let unsent = server.told("shop_mails_unsent").await;
    assert!(unsent >= 1.0, "{unsent}");
    server.test.advance_hours(2);
    server.tells("shop_mails_oldest_unsent_seconds", |age| age >= 7200.0).await;
    drop(smtp.stop().await);
    let smtp = SmtpServer::start_at(address, SmtpBehaviour::Takes).await;
    server.test.advance_hours(1);
    smtp.wait_for(1).await;
    server.tells(r#"shop_mails_total{outcome="sent"}"#, |count| count >= unsent).await;
    server.tells("shop_mails_unsent", |count| count == 0.0).await;
    assert_eq!(server.told("shop_mails_oldest_unsent_seconds").await, 0.0);
    assert_eq!(server.told("shop_mails_failing").await, 0.0);
}

#[tokio::test]
async fn events_that_an_endpoint_does_not_take_are_told_with_their_age() {
    let receiver = Receiver::start(Behaviour::Answers(500)).await;
    let allow = |config: &mut shop_core::Config| config.webhooks.allow_insecure = true;
    let server = TestServer::start_with(allow, ServeOptions::default()).await;
    let admin = server.admin().await;
    let endpoint = json!({ "url": receiver.url("/hook"), "secret": "segredo-do-erp",
                           "events": ["customer.created"] });
    admin.post("/api/admin/webhooks", &endpoint).await.expect(201);
    server.test.buyer("bia").await;
    server.tells(r#"shop_webhook_deliveries_total{outcome="put_off"}"#, |n| n >= 1.0).await;
    server.tells("shop_webhook_queue_events", |count| count == 1.0).await;
    server.tells("shop_webhooks_failing", |count| count == 1.0).await;
    server.tells("shop_events_unqueued", |count| count == 0.0).await;
    server.test.advance_hours(1);
    server.tells("shop_webhook_oldest_event_seconds", |age| age >= 3600.0).await;
    receiver.behaves(Behaviour::Takes);
    server.test.advance_hours(24);
    server.tells(r#"shop_webhook_deliveries_total{outcome="sent"}"#, |n| n == 1.0).await;
    server.tells("shop_webhook_queue_events", |count| count == 0.0).await;
    server.tells("shop_webhook_oldest_event_seconds", |age| age == 0.0).await;
    server.tells("shop_webhooks_failing", |count| count == 0.0).await;
}

#[tokio::test]
async fn events_wait_where_nobody_hands_them_to_webhooks() {
    // No server, and so nobody who does the background's work.
    let test = TestShop::open().await;
    test.buyer("ana").await;
    test.advance_hours(1);
    let waiting = test.shop.dashboard().get_figures().await.expect("figures").unqueued_events;
    assert_eq!((waiting.count, waiting.oldest), (1, Some(START)));
    test.shop.run_due().await.expect("done");
    let waiting = test.shop.dashboard().get_figures().await.expect("figures").unqueued_events;
    assert_eq!((waiting.count, waiting.oldest), (0, None));
}

#[tokio::test]
async fn invoices_are_counted_by_status() {
    let server = TestServer::start().await;
    let (order, admin) = (sold(&server.test).await, server.admin().await);
    nfe::emit(&admin, &order).await;
    for status in ["NUMBERED", "SIGNED", "AUTHORIZED"] {
        let series = format!("shop_invoices_total{{status=\"{status}\"}}");
        assert_eq!(server.told(&series).await, 1.0, "{status}");
    }
    assert_eq!(server.told(r#"shop_invoices_total{status="REJECTED"}"#).await, 0.0);
    server.tells(r#"shop_invoices_open{status="SIGNED"}"#, |count| count == 0.0).await;
    server.test.raw_sql("UPDATE nfe SET status = 'REJECTED'");
    server.tells(r#"shop_invoices_open{status="REJECTED"}"#, |count| count == 1.0).await;
}

#[tokio::test]
async fn a_database_that_does_not_answer_leaves_the_rest_of_the_page() {
    let server = TestServer::start().await;
    server.test.raw_sql("ALTER TABLE webhook_cursor RENAME TO gone");
    let gone = async {
        while names(&server.page().await).contains("shop_orders") {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(PATIENCE, gone).await.expect("what is not known is not told");
    assert!(names(&server.page().await).contains("shop_orders_placed_total"));
}

#[tokio::test]
async fn the_document_has_each_figure_and_no_other() {
    let server = TestServer::start().await;
    let text = include_str!("../../../docs/operating.md");
    let (_, table) = text.split_once("| figure | says |").expect("the table");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let name = |row: &str| -> String {
        let rest = row.trim_start_matches(['|', ' ', '`']);
        rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let documented: BTreeSet<String> = rows.map(name).collect();
    let mut told = names(&server.page().await);
    // Told from the first failure on.
    told.insert("shop_background_failures_total".to_owned());
    assert_eq!(documented, told);
}
