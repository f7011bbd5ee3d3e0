use base64::Engine as _;
use futures_util::future::join_all;
use shop_core::error::{Credential, Refusal};
use shop_core::order::{Order, OrderStatus};
use shop_core::payment::{PaymentStatus, crc16};
use shop_core::settlement::{PixCharge, ProviderNotice};
use shop_core::{Error, Result};

use super::fixture::{Buyer, TestShop};
use crate::fakes::mercado_pago::MercadoPago;

/// A buyer with an unpaid order of two of ten units.
pub(super) async fn unpaid(test: &TestShop) -> (Buyer, Order) {
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 10, 4990).await;
    let order = test.buy(&buyer, &vela, 2).await.expect("placed");
    (buyer, order)
}

async fn pix(test: &TestShop, buyer: &Buyer, order: &Order) -> Result<PixCharge> {
    test.shop.payments().create_pix(&buyer.id, &order.id, None).await
}

pub(super) async fn now(
    test: &TestShop,
    buyer: &Buyer,
    order: &Order,
) -> (OrderStatus, PaymentStatus) {
    let order = test.shop.orders().get_for_customer(&buyer.id, &order.id).await.expect("there");
    (order.status, order.payment.status)
}

fn events(test: &TestShop, name: &str) -> i64 {
    test.count(&format!("SELECT count(*) FROM event WHERE name = '{name}'"))
}

fn notes(test: &TestShop) -> i64 {
    test.count("SELECT count(*) FROM order_note")
}

#[tokio::test]
async fn a_pix_code_is_a_valid_br_code_and_its_picture_says_the_same() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let charge = pix(&test, &buyer, &order).await.expect("a code");
    assert_eq!(charge.amount, order.total);
    assert_eq!(charge.expires_at.millis() - test.shop.now().millis(), 30 * 60 * 1000);
    let (text, checksum) = charge.qr_code_text.split_at(charge.qr_code_text.len() - 4);
    assert_eq!(checksum, format!("{:04X}", crc16(text.as_bytes())));
    assert!(text.contains("540599.80"), "the amount, in reais: {text}");
    assert_eq!(read_qr(&charge.qr_code), charge.qr_code_text);
}

#[tokio::test]
async fn zbar_reads_the_picture_too() {
    if std::process::Command::new("zbarimg").arg("--version").output().is_err() {
        println!("left out: zbarimg is not installed");
        return;
    }
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let charge = pix(&test, &buyer, &order).await.expect("a code");
    let file = test.dir.path().join("code.png");
    let picture = base64::engine::general_purpose::STANDARD.decode(&charge.qr_code);
    std::fs::write(&file, picture.expect("base64")).expect("written");
    let zbar = std::process::Command::new("zbarimg").args(["-q", "--raw"]).arg(&file).output();
    let read = String::from_utf8(zbar.expect("runs").stdout).expect("text");
    assert_eq!(read.trim_end(), charge.qr_code_text);
}

/// What an independent reader sees on the picture.
pub(crate) fn read_qr(base64: &str) -> String {
    let file = base64::engine::general_purpose::STANDARD.decode(base64).expect("base64");
    let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("pixels");
    let (width, height) = (info.width as usize, info.height as usize);
    let mut image =
        rqrr::PreparedImage::prepare_from_greyscale(width, height, |x, y| pixels[y * width + x]);
    let grids = image.detect_grids();
    assert_eq!(grids.len(), 1);
    grids[0].decode().expect("a QR code").1
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_unexpired_code_is_given_again_also_to_requests_at_once() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let charges = join_all((0..20).map(|_| pix(&test, &buyer, &order))).await;
    let first = charges[0].as_ref().expect("a code");
    assert!(charges.iter().all(|charge| charge.as_ref().expect("a code") == first));
    assert_eq!(test.count("SELECT count(*) FROM payment"), 1);
    assert_eq!(test.count("SELECT count(*) FROM sandbox_payment"), 1);
}

#[tokio::test]
async fn after_thirty_minutes_there_is_another_code_with_another_txid() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let first = pix(&test, &buyer, &order).await.expect("a code");
    test.clock.advance(std::time::Duration::from_secs(30 * 60 - 1));
    assert_eq!(pix(&test, &buyer, &order).await.expect("a code"), first);
    test.clock.advance(std::time::Duration::from_secs(1));
    let second = pix(&test, &buyer, &order).await.expect("a code");
    assert_ne!(second.qr_code_text, first.qr_code_text);
    assert_ne!(second.payment_id, first.payment_id);
    assert_eq!(test.count("SELECT count(*) FROM payment WHERE status = 'EXPIRED'"), 1);
}

#[tokio::test]
async fn the_picture_that_a_provider_drew_is_forgotten_after_a_day() {
    let provider = MercadoPago::start().await;
    provider.books(|ledger| ledger.picture = Some("iVBORw0KGgo=".to_owned()));
    let test = TestShop::with(|config| provider.adapt(config)).await;
    let (buyer, order) = unpaid(&test).await;
    pix(&test, &buyer, &order).await.expect("a code");
    let pictures = "SELECT count(*) FROM payment WHERE pix_picture IS NOT NULL";
    for (hours, kept) in [(23, 1), (1, 0)] {
        test.advance_hours(hours);
        let done = test.shop.run_due().await.expect("done");
        let forgotten = i64::try_from(done.payment_pictures_forgotten).expect("few");
        assert_eq!((test.count(pictures), forgotten), (kept, 1 - kept));
    }
}

#[tokio::test]
async fn an_attempt_that_was_cut_off_before_its_answer_is_taken_up_again() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let first = pix(&test, &buyer, &order).await.expect("a code");
    // As if the process had died between the provider's answer and the second job.
    test.raw_sql("UPDATE payment SET provider_payment_id = NULL, pix_code = NULL");
    assert_eq!(pix(&test, &buyer, &order).await.expect("a code"), first);
    assert_eq!(test.count("SELECT count(*) FROM sandbox_payment"), 1);
}

#[tokio::test]
async fn money_that_arrives_on_a_cut_off_attempt_is_not_lost() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let charge = pix(&test, &buyer, &order).await.expect("a code");
    test.raw_sql("UPDATE payment SET provider_payment_id = NULL, pix_code = NULL");
    let notice = test.shop.sandbox().settle(&charge.payment_id).await.expect("settled");
    test.shop.payments().receive_notice(notice).await.expect("taken");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
}

#[tokio::test]
async fn paying_in_the_sandbox_makes_the_order_paid() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let paid = test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    assert_eq!(paid.status, OrderStatus::Processing);
    assert_eq!(paid.payment.status, PaymentStatus::Paid);
    assert_eq!((events(&test, "order.paid"), events(&test, "order.status_changed")), (1, 1));
    let told = test.shop.notifications().list(&buyer.id).await.expect("a list");
    assert_eq!((told.len(), told[0].kind.as_str()), (1, "ORDER_STATUS"));
    assert_eq!(told[0].link, Some(format!("/pedidos/{}", order.id)));
    let again = pix(&test, &buyer, &order).await;
    assert!(matches!(again, Err(Error::Refused(Refusal::AlreadyPaid))), "{again:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_notice_a_hundred_times_at_once_is_one_payment() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let charge = pix(&test, &buyer, &order).await.expect("a code");
    let notice = test.shop.sandbox().settle(&charge.payment_id).await.expect("settled");
    let tasks: Vec<_> = (0..100)
        .map(|_| {
            let (shop, notice) = (test.shop.clone(), notice.clone());
            tokio::spawn(async move { shop.payments().receive_notice(notice).await })
        })
        .collect();
    for taken in join_all(tasks).await {
        taken.expect("a task").expect("every repeat is taken");
    }
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
    assert_eq!((events(&test, "order.paid"), events(&test, "order.status_changed")), (1, 1));
    assert_eq!(test.shop.notifications().list(&buyer.id).await.expect("a list").len(), 1);
    assert_eq!(test.count("SELECT count(*) FROM order_history"), 1);
}

#[tokio::test]
async fn a_notice_whose_signature_does_not_hold_changes_nothing() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let charge = pix(&test, &buyer, &order).await.expect("a code");
    let good = test.shop.sandbox().settle(&charge.payment_id).await.expect("settled");
    let flipped = good.signature.as_ref().map(|s| s.replace(",v1=", ",v1=00"));
    let bad = [
        ProviderNotice { signature: None, ..good.clone() },
        ProviderNotice { signature: Some("nonsense".into()), ..good.clone() },
        ProviderNotice { signature: flipped, ..good.clone() },
        ProviderNotice { data_id: Some("999".into()), ..good.clone() },
        ProviderNotice { request_id: None, ..good.clone() },
    ];
    for notice in bad {
        let refused = test.shop.payments().receive_notice(notice).await;
        let signature = matches!(refused, Err(Error::Unauthenticated(Credential::Signature)));
        assert!(signature, "{refused:?}");
    }
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Pending, PaymentStatus::Pending));
    test.advance_hours(25);
    let old = test.shop.payments().receive_notice(good).await;
    assert!(matches!(old, Err(Error::Unauthenticated(Credential::Signature))), "{old:?}");
}

#[tokio::test]
async fn a_correctly_signed_notice_is_believed_only_as_far_as_the_provider_confirms_it() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let charge = pix(&test, &buyer, &order).await.expect("a code");
    let notice = test.shop.sandbox().settle(&charge.payment_id).await.expect("settled");
    test.raw_sql("UPDATE sandbox_payment SET status = 'pending'");
    test.shop.payments().receive_notice(notice).await.expect("taken");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Pending, PaymentStatus::Pending));
}

#[tokio::test]
async fn an_unpaid_order_is_cancelled_after_its_time_and_gives_its_units_back() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let item = order.items[0].product_id.as_str();
    pix(&test, &buyer, &order).await.expect("a code");
    test.advance_hours(23);
    assert_eq!(test.shop.run_due().await.expect("done").orders_cancelled, 0);
    test.advance_hours(1);
    assert_eq!(test.shop.run_due().await.expect("done").orders_cancelled, 1);
    assert_eq!(now(&test, &buyer, &order).await.0, OrderStatus::Cancelled);
    assert_eq!(test.stock(item), 10);
    assert_eq!(test.shop.run_due().await.expect("done").orders_cancelled, 0);
    let again = pix(&test, &buyer, &order).await;
    assert!(matches!(again, Err(Error::Refused(Refusal::OrderClosed))), "{again:?}");
    test.check_ledger();
}

#[tokio::test]
async fn zero_hours_never_cancel() {
    let test = TestShop::with(|config| config.orders.unpaid_ttl_hours = 0).await;
    let (_, _) = unpaid(&test).await;
    test.advance_hours(10_000);
    assert_eq!(test.shop.run_due().await.expect("done").orders_cancelled, 0);
}

#[tokio::test]
async fn the_sweeper_asks_the_provider_before_it_cancels() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let charge = pix(&test, &buyer, &order).await.expect("a code");
    test.shop.sandbox().settle(&charge.payment_id).await.expect("settled, and the notice lost");
    test.advance_hours(72);
    assert_eq!(test.shop.run_due().await.expect("done").orders_cancelled, 0);
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
}

/// An order that the sweeper cancelled, and the notice of the money that arrived after it.
async fn paid_too_late(test: &TestShop) -> (Buyer, Order, ProviderNotice) {
    let (buyer, order) = unpaid(test).await;
    let charge = pix(test, &buyer, &order).await.expect("a code");
    test.advance_hours(72);
    assert_eq!(test.shop.run_due().await.expect("done").orders_cancelled, 1);
    let notice = test.shop.sandbox().settle(&charge.payment_id).await.expect("settled");
    (buyer, order, notice)
}

#[tokio::test]
async fn money_after_the_sweeper_revives_the_order_while_its_units_are_there() {
    let test = TestShop::open().await;
    let (buyer, order, notice) = paid_too_late(&test).await;
    test.shop.payments().receive_notice(notice).await.expect("taken");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
    assert_eq!(test.stock(order.items[0].product_id.as_str()), 8);
    assert_eq!((events(&test, "order.paid"), notes(&test)), (1, 0));
    test.check_ledger();
}

#[tokio::test]
async fn money_after_the_sweeper_is_kept_for_review_when_the_units_are_gone() {
    let test = TestShop::open().await;
    let (buyer, order, notice) = paid_too_late(&test).await;
    test.buy(&buyer, &order.items[0].product_id, 9).await.expect("sold to another");
    for _ in 0..3 {
        test.shop.payments().receive_notice(notice.clone()).await.expect("taken");
    }
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Cancelled, PaymentStatus::Review));
    assert_eq!((events(&test, "order.paid"), notes(&test)), (0, 1));
    assert_eq!(test.stock(order.items[0].product_id.as_str()), 1);
    test.check_ledger();
}

#[tokio::test]
async fn money_for_an_order_that_staff_cancelled_is_kept_for_review() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let charge = pix(&test, &buyer, &order).await.expect("a code");
    let orders = test.shop.orders();
    orders.set_status(&order.id, OrderStatus::Cancelled, None).await.expect("cancelled");
    let notice = test.shop.sandbox().settle(&charge.payment_id).await.expect("settled");
    test.shop.payments().receive_notice(notice).await.expect("taken");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Cancelled, PaymentStatus::Review));
    assert_eq!(notes(&test), 1);
}

#[tokio::test]
async fn money_of_another_amount_is_kept_for_review() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let charge = pix(&test, &buyer, &order).await.expect("a code");
    let notice = test.shop.sandbox().settle(&charge.payment_id).await.expect("settled");
    test.raw_sql("UPDATE sandbox_payment SET amount = amount - 1");
    test.shop.payments().receive_notice(notice).await.expect("taken");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Pending, PaymentStatus::Review));
    assert_eq!((events(&test, "order.paid"), notes(&test)), (0, 1));
    // Nobody cancels it for want of payment before staff have decided.
    test.advance_hours(100);
    assert_eq!(test.shop.run_due().await.expect("done").orders_cancelled, 0);
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Pending, PaymentStatus::Review));
}

#[tokio::test]
async fn money_that_comes_twice_pays_once_and_the_second_is_kept_for_review() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let first = pix(&test, &buyer, &order).await.expect("a code");
    test.clock.advance(std::time::Duration::from_secs(31 * 60));
    let second = pix(&test, &buyer, &order).await.expect("a code");
    for charge in [first, second] {
        let notice = test.shop.sandbox().settle(&charge.payment_id).await.expect("settled");
        test.shop.payments().receive_notice(notice).await.expect("taken");
    }
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
    assert_eq!(test.count("SELECT count(*) FROM payment WHERE status = 'REVIEW'"), 1);
    assert_eq!((events(&test, "order.paid"), notes(&test)), (1, 1));
}

#[tokio::test]
async fn a_notice_about_a_payment_that_nobody_knows_is_taken_and_does_nothing() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let charge = pix(&test, &buyer, &order).await.expect("a code");
    let notice = test.shop.sandbox().settle(&charge.payment_id).await.expect("settled");
    test.raw_sql("DELETE FROM payment");
    test.shop.payments().receive_notice(notice).await.expect("taken");
    let order = test.shop.orders().get_for_customer(&buyer.id, &order.id).await.expect("there");
    assert_eq!(order.status, OrderStatus::Pending);
}

#[tokio::test]
async fn nobody_pays_for_another_customers_order() {
    let test = TestShop::open().await;
    let (_, order) = unpaid(&test).await;
    let bia = test.buyer("bia").await;
    let theirs = pix(&test, &bia, &order).await;
    assert!(matches!(theirs, Err(Error::NotFound(_))), "{theirs:?}");
}

#[tokio::test]
async fn an_idempotency_key_for_another_order_is_refused() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let other = test.buy(&buyer, &order.items[0].product_id, 1).await.expect("placed");
    let create = |order: &Order| {
        let key = "k".parse().expect("a key");
        let id = order.id.clone();
        let (shop, buyer) = (test.shop.clone(), buyer.id.clone());
        async move { shop.payments().create_pix(&buyer, &id, Some(key)).await }
    };
    let first = create(&order).await.expect("a code");
    assert_eq!(create(&order).await.expect("again"), first);
    let reused = create(&other).await;
    assert!(matches!(reused, Err(Error::Refused(Refusal::IdempotencyKeyReused))), "{reused:?}");
}
