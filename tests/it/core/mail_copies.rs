//! Mails that the other side takes, and says so too late: each further try is a copy.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::BoxFuture;
use shop_core::mail::{Mailer, NotSent, OutgoingMail};

use super::fixture::TestShop;

/// Takes every mail, and never says so in time.
#[derive(Default)]
struct Late(Arc<AtomicUsize>);

impl Mailer for Late {
    fn send<'a>(&'a self, _: &'a OutgoingMail) -> BoxFuture<'a, Result<(), NotSent>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let (summary, detail) = ("too late".to_owned(), String::new());
        Box::pin(async { Err(NotSent { for_good: false, perhaps_taken: true, summary, detail }) })
    }
}

#[tokio::test]
async fn what_was_perhaps_taken_is_sent_again_a_few_times_at_most() {
    let test = TestShop::open().await;
    let late = Late::default();
    let copies = Arc::clone(&late.0);
    let builder = shop_core::Shop::builder(test.shop.config().clone()).clock(test.clock.clone());
    let shop = builder.mailer(late).open().await.expect("opens");
    test.buyer("ana").await;
    let mut tried_at = Vec::new();
    for hour in 0..6 * 24 {
        shop.run_due().await.expect("done");
        tried_at.resize(copies.load(Ordering::Relaxed), hour);
        test.advance_hours(1);
    }
    assert_eq!(tried_at, [0, 1, 4, 16, 64]);
    let given_up = "SELECT count(*) FROM mail WHERE next_try_at IS NULL AND sent_at IS NULL";
    assert_eq!(test.count(given_up), 1);
}
