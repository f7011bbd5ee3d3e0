//! Invoices of goods that come back: what they say, and that parts never come to more than the
//! whole.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join_all;
use proptest::prelude::*;
use roxmltree::Document;
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::config::CompanyConfig;
use shop_core::error::{Conflict, Entity, Refusal};
use shop_core::invoicing::{
    InvoiceKind, InvoiceStatus, IssuedReturn, ReturnGoods, WithdrawInvoice,
};
use shop_core::money::Money;
use shop_core::nfe::TaxRegime;
use shop_core::order::{Order, OrderStatus};
use shop_core::{Error, Shop};
use shop_tests::repeats;

use super::office::{Fault, Office};
use super::read::{check_signature, element, text};
use super::{emit, sold};
use crate::core::fixture::{Buyer, TestShop, input};

/// Issues the invoice of units that come back: `(item's place from 1, units)`, or of all.
pub(super) async fn give_back(
    shop: &Shop,
    order: &Order,
    units: &[(usize, i64)],
) -> shop_core::Result<IssuedReturn> {
    let item = |(place, quantity): &(usize, i64)| json!({ "orderItemId": format!("{}-{place}", order.id), "quantity": quantity });
    let items: Vec<Value> = units.iter().map(item).collect();
    let goods = if items.is_empty() { json!({}) } else { json!({ "items": items }) };
    shop.invoices().issue_return(&Actor::System, &order.id, input(goods), None).await
}

async fn cancel(shop: &Shop, back: &IssuedReturn) {
    let why = WithdrawInvoice::default();
    let id = &back.invoice.id;
    shop.invoices().cancel_return(&Actor::System, id, why).await.expect("cancelled");
}

/// An invoiced order of three kinds of candles, with freight and a discount that divide badly.
async fn mixed(test: &TestShop, buyer: &Buyer) -> Order {
    let mut items = Vec::new();
    for (name, cents, quantity) in [("cera", 333, 7), ("pavio", 1, 3), ("vela", 4999, 2)] {
        let product = test.product(name, 100, cents).await;
        items.push(json!({ "productId": product, "quantity": quantity }));
    }
    let coupon = input(json!({ "code": "SETE", "type": "FIXED", "value": 7.01, "active": true }));
    let coupon = test.shop.coupons().create(&Actor::System, coupon).await.expect("a coupon");
    let order =
        input(json!({ "addressId": buyer.address, "cartItems": items, "couponId": coupon.id }));
    let order = test.place_order(buyer, order, None).await.expect("placed").order;
    let order = test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    emit(&test.shop, &order).await.expect("issued");
    order
}

#[tokio::test]
async fn a_return_is_an_entry_of_the_shops_own_that_names_the_items_of_the_sale() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    let none = give_back(&test.shop, &order, &[]).await.expect_err("no invoice");
    assert!(matches!(none, Error::NotFound(Entity::Invoice)), "{none:?}");
    let sale = emit(&test.shop, &order).await.expect("issued");
    let before = test.stock(order.items[0].product_id.as_str());
    let back = give_back(&test.shop, &order, &[]).await.expect("issued");
    assert_eq!((back.invoice.status, back.invoice.number), (InvoiceStatus::Authorized, 2));
    assert_eq!((back.invoice.kind, back.invoice.total), (InvoiceKind::Return, order.total));
    assert_eq!((back.shipping, back.items[0].quantity), (order.shipping, 2));
    assert_eq!(test.stock(order.items[0].product_id.as_str()), before, "no stock moves by it");
    let xml = test.shop.invoices().get_return_xml(&back.invoice.id).await.expect("the XML");
    let document = Document::parse(&xml.nfe_proc).expect("XML");
    check_signature(&document, "infNFe");
    let ide = element(&document, "ide");
    for (path, value) in [
        ("natOp", "DEVOLUCAO DE VENDA"),
        ("tpNF", "0"),
        ("idDest", "1"),
        ("finNFe", "4"),
        ("indFinal", "1"),
        ("indPres", "0"),
    ] {
        assert_eq!(text(ide, path), Some(value), "{path}");
    }
    assert!(!xml.nfe_proc.contains("indIntermed") && !xml.nfe_proc.contains("NFref"));
    let item = element(&document, "det");
    assert_eq!(text(item, "prod/CFOP"), Some("1201"));
    assert_eq!(text(item, "imposto/ICMS/ICMSSN102/CSOSN"), Some("102"));
    assert_eq!(text(item, "DFeReferenciado/chaveAcesso"), sale.key.as_deref());
    assert_eq!(text(item, "DFeReferenciado/nItem"), Some("1"));
    assert_eq!(text(element(&document, "detPag"), "tPag"), Some("90"));
    assert_eq!(text(element(&document, "detPag"), "vPag"), Some("0.00"));
    assert_eq!(text(element(&document, "ICMSTot"), "vNF"), Some(&*order.total.to_string()));
    assert_eq!(text(element(&document, "dest"), "CPF"), Some(super::CPF));
    let words = element(&document, "infCpl").text().expect("words").to_owned();
    let key = sale.key.expect("a key");
    for part in [
        &*format!("NF-E 1, SERIE 1, DE 21/11/2026, CHAVE {key}."),
        "DIREITO DE ARREPENDIMENTO - ART. 49 DA LEI 8.078/1990.",
        &order.order_number,
    ] {
        assert!(words.contains(part), "{part} is not in {words}");
    }
    let pdf = test.shop.invoices().render_return_danfe(&back.invoice.id).await.expect("a DANFE");
    assert!(pdf.starts_with(b"%PDF"));
    // The sale's own invoice is what it was.
    assert_eq!(test.shop.invoices().get_by_order(&order.id).await.expect("there").number, 1);
    let again = give_back(&test.shop, &order, &[]).await.expect_err("all is back");
    assert!(matches!(again, Error::Refused(Refusal::NothingToReturn)), "{again:?}");
    assert_eq!(test.count("SELECT count(*) FROM audit WHERE action = 'nfe.return'"), 1);
    test.check_books().await;
}

#[tokio::test]
async fn a_micro_entrepreneur_takes_goods_back_under_900_and_a_buyer_elsewhere_under_2202() {
    let test = TestShop::with(|config| {
        config.nfe.company =
            CompanyConfig { regime: Some(TaxRegime::Mei), ..CompanyConfig::default() };
    })
    .await;
    let order = sold(&test).await;
    test.raw_sql(
        "UPDATE orders SET address = replace(replace(replace(address, 'São Paulo',
           'Rio de Janeiro'), '01001000', '20010020'), '\"SP\"', '\"RJ\"')",
    );
    emit(&test.shop, &order).await.expect("issued");
    let back = give_back(&test.shop, &order, &[(1, 1)]).await.expect("issued");
    let xml =
        test.shop.invoices().get_return_xml(&back.invoice.id).await.expect("the XML").nfe_proc;
    for part in [
        "<idDest>2</idDest>",
        "<CFOP>2202</CFOP>",
        "<ICMSSN900><orig>0</orig><CSOSN>900</CSOSN></ICMSSN900>",
        "<qCom>1.0000</qCom>",
    ] {
        assert!(xml.contains(part), "{part} is not in {xml}");
    }
}

#[tokio::test]
async fn what_was_not_sold_or_came_back_already_is_refused_by_its_field() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    emit(&test.shop, &order).await.expect("issued");
    let wrong = async |units: &[(usize, i64)]| {
        let Err(Error::Invalid(wrong)) = give_back(&test.shop, &order, units).await else {
            panic!("{units:?} were taken back")
        };
        wrong.field_errors.into_keys().collect::<Vec<_>>()
    };
    assert_eq!(wrong(&[(2, 1)]).await, ["items[0].orderItemId"]);
    assert_eq!(wrong(&[(1, 3)]).await, ["items[0].quantity"]);
    assert_eq!(wrong(&[(1, 1), (1, 2)]).await, ["items[1].quantity"]);
    let none = input(json!({ "items": [] }));
    let none = test.shop.invoices().issue_return(&Actor::System, &order.id, none, None).await;
    assert!(matches!(none, Err(Error::Invalid(_))));
    assert_eq!(test.count("SELECT last FROM nfe_series"), 1, "no number was used up");
    give_back(&test.shop, &order, &[(1, 1)]).await.expect("issued");
    assert_eq!(wrong(&[(1, 2)]).await, ["items[0].quantity"]);
    give_back(&test.shop, &order, &[(1, 1)]).await.expect("a part of the rest");
    let refused = give_back(&test.shop, &order, &[(1, 1)]).await.expect_err("nothing is left");
    assert!(matches!(refused, Error::Refused(Refusal::NothingToReturn)), "{refused:?}");
}

#[tokio::test]
async fn an_order_that_was_sent_or_refunded_can_have_its_goods_back() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    emit(&test.shop, &order).await.expect("issued");
    for status in [OrderStatus::Delivered, OrderStatus::Refunded] {
        test.shop.orders().set_status(&order.id, status, None).await.expect("set");
        give_back(&test.shop, &order, &[(1, 1)]).await.expect("issued");
    }
    test.advance_hours(24 * 20);
    let list = test.shop.invoices().list_returns(&order.id).await.expect("a list");
    assert_eq!(list.iter().map(|it| it.invoice.number).collect::<Vec<_>>(), [3, 2]);
}

#[tokio::test]
async fn a_cancelled_return_gives_its_units_back_and_holds_the_sale_no_more() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    emit(&test.shop, &order).await.expect("issued");
    let back = give_back(&test.shop, &order, &[]).await.expect("issued");
    let why = WithdrawInvoice::default();
    let held = test.shop.invoices().cancel(&Actor::System, &order.id, why.clone()).await;
    let held = held.expect_err("goods came back");
    assert!(matches!(held, Error::Conflict(Conflict::InvoiceReturned)), "{held:?}");
    cancel(&test.shop, &back).await;
    let xml = test.shop.invoices().get_return_xml(&back.invoice.id).await.expect("the XML");
    assert!(xml.cancelled);
    let again = give_back(&test.shop, &order, &[]).await.expect("issued");
    assert_eq!(again.invoice.number, 3);
    cancel(&test.shop, &again).await;
    test.shop.invoices().cancel(&Actor::System, &order.id, why).await.expect("cancelled");
    let none = give_back(&test.shop, &order, &[]).await.expect_err("the sale is cancelled");
    assert!(matches!(none, Error::NotFound(Entity::Invoice)), "{none:?}");
}

#[tokio::test]
async fn a_rejected_return_keeps_its_units_and_its_number_for_the_corrected_one() {
    let (test, office) = (TestShop::open().await, Office::default());
    let (order, shop) = (sold(&test).await, office.open(&test).await);
    emit(&shop, &order).await.expect("issued");
    office.next(Fault::Rejects(327));
    let refused = give_back(&shop, &order, &[(1, 1)]).await.expect_err("rejected");
    assert!(matches!(refused, Error::Refused(Refusal::NfeRejected { code: 327, .. })));
    let waiting = shop.invoices().list_returns(&order.id).await.expect("a list").remove(0);
    assert_eq!(waiting.invoice.status, InvoiceStatus::Rejected);
    test.clock.advance(Duration::from_secs(60));
    let mended = shop.invoices().retry_return(&waiting.invoice.id).await.expect("issued");
    assert_eq!((mended.invoice.number, mended.invoice.status), (2, InvoiceStatus::Authorized));
    assert_eq!(shop.invoices().retry_return(&waiting.invoice.id).await.expect("there"), mended);
    office.next(Fault::Rejects(225));
    give_back(&shop, &order, &[(1, 1)]).await.expect_err("rejected");
    let waiting = shop.invoices().list_returns(&order.id).await.expect("a list").remove(0);
    let (by, id) = (Actor::System, &waiting.invoice.id);
    let why = WithdrawInvoice::default();
    shop.invoices().disable_return_number(&by, id, why).await.expect("done");
    let gone = shop.invoices().retry_return(id).await.expect_err("its number is used up");
    assert!(matches!(gone, Error::NotFound(Entity::Invoice)), "{gone:?}");
    assert_eq!(give_back(&shop, &order, &[(1, 1)]).await.expect("issued").invoice.number, 4);
}

#[tokio::test]
async fn a_repeat_with_the_same_key_goes_on_with_the_same_invoice() {
    let (test, office) = (TestShop::open().await, Office::default());
    let (order, shop) = (sold(&test).await, office.open(&test).await);
    emit(&shop, &order).await.expect("issued");
    let ask = async |key: &str, units: i64| {
        let item = json!({ "orderItemId": format!("{}-1", order.id), "quantity": units });
        let goods: ReturnGoods = input(json!({ "items": [item] }));
        let key = Some(key.parse().expect("a key"));
        shop.invoices().issue_return(&Actor::System, &order.id, goods, key).await
    };
    office.next(Fault::LostAfter);
    ask("um", 1).await.expect_err("no answer");
    let first = ask("um", 1).await.expect("found");
    assert_eq!((first.invoice.number, office.good()), (2, 2));
    assert_eq!(ask("um", 1).await.expect("the same"), first);
    let reused = ask("um", 2).await.expect_err("another request");
    assert!(matches!(reused, Error::Refused(Refusal::IdempotencyKeyReused)), "{reused:?}");
    office.take_number(3);
    ask("dois", 1).await.expect_err("the number is another program's");
    assert_eq!(ask("dois", 1).await.expect("issued").invoice.number, 4);
}

/// The sale has one return of all its units, here and at the office, and nothing is open.
async fn check_one(test: &TestShop, office: &Office, shop: &Shop, order: &Order) {
    let begun = shop.invoices().list_returns(&order.id).await.expect("a list");
    let back = match begun.as_slice() {
        [] => give_back(shop, order, &[]).await.expect("issued"),
        [one] => shop.invoices().retry_return(&one.invoice.id).await.expect("issued"),
        more => panic!("{more:?}"),
    };
    assert_eq!((back.invoice.status, back.invoice.number), (InvoiceStatus::Authorized, 2));
    let again = give_back(shop, order, &[]).await.expect_err("all is back");
    assert!(matches!(again, Error::Refused(Refusal::NothingToReturn)), "{again:?}");
    assert_eq!((office.good(), test.count("SELECT last FROM nfe_series")), (2, 2));
    assert_eq!(test.count("SELECT count(*) FROM nfe WHERE due_at IS NOT NULL"), 0);
    assert_eq!(sums(test).total, order.total.cents());
}

#[tokio::test]
async fn a_return_that_breaks_off_anywhere_is_found_again() {
    for fault in [Fault::LostBefore, Fault::LostAfter, Fault::HangsBefore, Fault::HangsAfter] {
        for by_itself in [false, true] {
            let (test, office) = (TestShop::open().await, Office::default());
            let (order, shop) = (sold(&test).await, office.open(&test).await);
            emit(&shop, &order).await.expect("issued");
            office.next(fault);
            let asked = give_back(&shop, &order, &[]);
            let ended = tokio::time::timeout(Duration::from_millis(300), asked).await;
            assert!(!matches!(ended, Ok(Ok(_))), "{fault:?}");
            // Another program on the same data, as after a kill.
            let shop = office.open(&test).await;
            if by_itself {
                test.clock.advance(Duration::from_secs(150));
                assert_eq!(shop.run_due().await.expect("runs").invoices_settled, 1, "{fault:?}");
            }
            check_one(&test, &office, &shop, &order).await;
        }
    }
}

#[tokio::test]
async fn a_return_dropped_at_any_moment_leaves_no_second_one() {
    for polls in 1..12 {
        let (test, office) = (TestShop::open().await, Office::default());
        let (order, shop) = (sold(&test).await, office.open(&test).await);
        emit(&shop, &order).await.expect("issued");
        {
            let mut asked = Box::pin(give_back(&shop, &order, &[]));
            for _ in 0..polls {
                if (&mut asked).now_or_never().is_some() {
                    break;
                }
                // The writer goes on by itself; let it come as far as it will.
                shop.run_due().await.expect("runs");
            }
        }
        // Jobs are done in the order in which they came.
        shop.run_due().await.expect("runs");
        check_one(&test, &office, &shop, &order).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_all_who_issue_the_same_return_at_once_one_does() {
    let (test, office) = (TestShop::open().await, Office::default());
    let (order, shop) = (sold(&test).await, office.open(&test).await);
    let second = office.open(&test).await;
    emit(&shop, &order).await.expect("issued");
    let asked = (0..8).map(|n| give_back(if n % 2 == 0 { &shop } else { &second }, &order, &[]));
    let answers = join_all(asked).await;
    assert_eq!(answers.iter().flatten().count(), 1);
    for error in answers.into_iter().filter_map(Result::err) {
        assert!(matches!(error, Error::Refused(Refusal::NothingToReturn)), "{error:?}");
    }
    assert_eq!((office.good(), test.count("SELECT last FROM nfe_series")), (2, 2));
}

/// What live invoices of returns come to.
struct Sums {
    units: i64,
    discount: i64,
    shipping: i64,
    total: i64,
}

fn sums(test: &TestShop) -> Sums {
    let live = "JOIN nfe n ON n.id = r.nfe_id WHERE n.status = 'AUTHORIZED'";
    let item = "FROM nfe_return_item r";
    let sum = |what: &str, from: &str| {
        test.count(&format!("SELECT CAST(coalesce(sum({what}), 0) AS BIGINT) {from} {live}"))
    };
    Sums {
        units: sum("r.quantity", item),
        discount: sum("r.discount", item),
        shipping: sum("r.shipping", "FROM nfe_return r"),
        total: sum("n.total", "FROM nfe_return r"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: repeats(4, 12), ..ProptestConfig::default() })]

    /// Parts of parts, some cancelled in between: units, discounts, freight and invoices come
    /// exactly to the sale's when all is back, and never to more before.
    #[test]
    fn part_returns_add_up_to_the_sale(
        steps in prop::collection::vec((1_usize..=3, 1_i64..=4, any::<bool>(), any::<bool>()), 1..14),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let test = TestShop::open().await;
            let order = mixed(&test, &test.buyer("ana").await).await;
            for (place, quantity, refund_shipping, cancels) in steps {
                let item = json!({ "orderItemId": format!("{}-{place}", order.id),
                                   "quantity": quantity });
                let goods = input(json!({ "items": [item], "refundShipping": refund_shipping }));
                let back =
                    test.shop.invoices().issue_return(&Actor::System, &order.id, goods, None).await;
                match back {
                    Ok(back) if cancels => cancel(&test.shop, &back).await,
                    Ok(_) | Err(Error::Invalid(_) | Error::Refused(Refusal::NothingToReturn)) => {}
                    Err(error) => panic!("{error:?}"),
                }
                let now = sums(&test);
                assert!(now.units <= 12 && now.discount <= order.discount.cents());
                assert!(now.shipping <= order.shipping.cents());
                assert!(now.total <= order.total.cents());
            }
            let rest = input(json!({ "refundShipping": true }));
            let rest =
                test.shop.invoices().issue_return(&Actor::System, &order.id, rest, None).await;
            if let Err(error) = &rest {
                assert!(matches!(error, Error::Refused(Refusal::NothingToReturn)), "{error:?}");
            }
            let whole = sums(&test);
            assert_eq!((whole.units, whole.discount), (12, order.discount.cents()));
            if rest.is_ok() {
                assert_eq!(whole.shipping, order.shipping.cents());
                assert_eq!(Money::from_cents(whole.total), order.total);
            }
            test.check_books().await;
        });
    }
}
