//! The shop that programs test themselves with.

use std::time::Duration;

use shop_core::BoxFuture;
use shop_core::clock::{Clock, SystemClock, Timestamp};
use shop_core::mail::{Mailer, NotSent, OutgoingMail};
use shop_core::order::OrderStatus;
use shop_core::payment::PaymentStatus;
use shop_core::testing::TestShop;

/// As tests of programs end, in one of the ways in which they do.
type Tried = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// A clock of a program's own.
struct Own;

impl Clock for Own {
    fn now(&self) -> Timestamp {
        SystemClock.now()
    }
}

struct Nowhere;

impl Mailer for Nowhere {
    fn send<'a>(&'a self, _: &'a OutgoingMail) -> BoxFuture<'a, Result<(), NotSent>> {
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test]
async fn an_order_a_paid_and_a_delivered_one_are_a_call_each_however_often() -> Tried {
    let shop = TestShop::open().await?;
    for _ in 0..6 {
        assert_eq!(shop.order().await?.status, OrderStatus::Pending);
    }
    let paid = shop.paid_order().await?;
    assert_eq!((paid.status, paid.payment.status), (OrderStatus::Processing, PaymentStatus::Paid));
    assert_eq!(shop.delivered_order().await?.status, OrderStatus::Delivered);
    Ok(())
}

#[tokio::test]
async fn a_clock_that_the_program_brought_moves_too() -> Tried {
    let shop = TestShop::with(|builder| builder.clock(Own)).await?;
    let order = shop.order().await?;
    shop.advance(Duration::from_secs(73 * 60 * 60));
    shop.run_due().await?;
    let order = shop.orders().get_for_customer(&order.user_id, &order.id).await?;
    assert_eq!(order.status, OrderStatus::Cancelled);
    Ok(())
}

/// A test may run on any thread, and be spawned.
#[tokio::test]
async fn its_errors_cross_threads() -> Tried {
    let spawned = tokio::spawn(async {
        let shop = TestShop::open().await?;
        shop.product("?", "49.90", 1).await.map(drop)
    });
    let refused = spawned.await?.expect_err("a name of one sign");
    assert!(matches!(refused, shop_core::Error::Invalid(_)), "{refused:?}");
    Ok(())
}

/// Parts are chosen while the program runs.
#[tokio::test]
async fn a_boxed_part_is_a_part() -> Tried {
    let clock: Box<dyn Clock> = Box::new(Own);
    let mailer: std::sync::Arc<dyn Mailer> = std::sync::Arc::new(Nowhere);
    let shop = TestShop::with(|builder| builder.clock(clock).mailer(mailer)).await?;
    shop.order().await?;
    assert!(shop.run_due().await?.mails_sent > 0);
    assert!(!shop.folder().join("outbox").exists());
    Ok(())
}

#[tokio::test]
async fn it_works_in_a_database_of_its_own_on_postgresql() -> Tried {
    let Ok(server) = std::env::var("SHOP_TEST_POSTGRES") else { return Ok(()) };
    let shop = TestShop::on_postgres(&server, |builder| builder).await?;
    assert!(shop.config().database.contains("/shop_test_"));
    assert_eq!(shop.delivered_order().await?.status, OrderStatus::Delivered);
    Ok(())
}

#[tokio::test]
async fn buyers_have_names_of_people_and_ana_may_be_there_before_her_order() -> Tried {
    let shop = TestShop::open().await?;
    let joao = shop.buyer("João").await?;
    let account = shop.accounts().get_by_email(&"joao@example.com".parse()?).await?;
    assert_eq!((account.id, account.name.as_str()), (joao.id, "João"));
    shop.buyer("Ana Conceição").await?;
    let ana = shop.buyer("Ana").await?;
    let order = shop.order().await?;
    assert_eq!(order.user_id, ana.id);
    assert_eq!(shop.addresses().list(&ana.id).await?.len(), 1);
    Ok(())
}
