//! Orders that are called off between the number of their invoice and its document.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::json;
use shop_core::actor::Actor;
use shop_core::error::Refusal;
use shop_core::storage::{Generations, Job, Lane, ReadCost, Sqlite, Storage};
use shop_core::{Error, Result, Shop};
use tokio::sync::Notify;

use super::{emit, sold};
use crate::core::fixture::{TestShop, input};
use crate::database;

#[derive(Default)]
struct Pause {
    reached: Notify,
    over: Notify,
}

/// An engine that waits before it stores the document of an invoice.
struct Waiting(Sqlite, Arc<Pause>);

impl Storage for Waiting {
    fn read(&self, name: &'static str, cost: ReadCost, job: Job) -> BoxFuture<'_, Result<()>> {
        self.0.read(name, cost, job)
    }

    fn write(&self, lane: Lane, name: &'static str, job: Job) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            if name == "nfe.store" {
                self.1.reached.notify_one();
                self.1.over.notified().await;
            }
            self.0.write(lane, name, job).await
        })
    }

    fn generations(&self) -> &Generations {
        self.0.generations()
    }
}

#[tokio::test]
async fn an_order_that_is_refunded_before_its_document_is_stored_gets_no_invoice() {
    if !database::is_file("what happens between two jobs of an invoice") {
        return;
    }
    let (test, pause) = (TestShop::open().await, Arc::<Pause>::default());
    let order = sold(&test).await;
    let storage = Waiting(Sqlite::open(test.database()).expect("opens"), Arc::clone(&pause));
    let builder = Shop::builder(test.shop.config().clone()).clock(test.clock.clone());
    let shop = builder.storage(storage).open().await.expect("opens");
    let refund = async {
        pause.reached.notified().await;
        let all = input(json!({}));
        test.shop.payments().refund(&Actor::System, &order.id, all, None).await.expect("back");
        pause.over.notify_one();
    };
    let (refused, ()) = tokio::join!(emit(&shop, &order), refund);
    assert!(matches!(refused, Err(Error::Refused(Refusal::OrderNotPaid))), "{refused:?}");
    assert_eq!(test.count("SELECT count(*) FROM nfe_document"), 0);
}
