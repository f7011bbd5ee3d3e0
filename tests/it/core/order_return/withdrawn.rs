//! Units that are withdrawn before anything is sent: no invoice has them.

use serde_json::json;
use shop_core::Error;
use shop_core::actor::Actor;
use shop_core::config::IssueWhen;
use shop_core::error::Refusal;
use shop_core::fiscal::InvoiceStatus;
use shop_core::invoicing::ReturnGoods;
use shop_core::money::Money;
use shop_core::order::{Order, OrderStatus};
use shop_core::order_return::OrderReturn;

use super::Bench;
use crate::core::fixture::input;
use crate::core::nfe::emit;

impl Bench {
    /// A paid order of three candles and two of another kind, with a discount that divides badly.
    async fn two_kinds(&self) -> Order {
        let other = self.test.product("pavio", 10, 333).await;
        let coupon = json!({ "code": "SETE", "type": "FIXED", "value": 7.01, "active": true });
        let coupon = self.test.shop.coupons().create(&Actor::System, input(coupon)).await;
        let order = json!({
            "addressId": self.ana.address, "couponId": coupon.expect("a coupon").id,
            "cartItems": [{ "productId": self.vela, "quantity": 3 },
                          { "productId": other, "quantity": 2 }],
        });
        let order = self.test.place_order(&self.ana, input(order), None).await.expect("placed");
        self.test.shop.sandbox().pay(&order.order.order_number).await.expect("paid")
    }

    async fn withdraw(&self, order: &Order, units: &[(usize, i64)]) -> OrderReturn {
        let item = |(line, units): &(usize, i64)| json!({ "orderItemId": order.items[*line].id, "quantity": units });
        let items: Vec<_> = units.iter().map(item).collect();
        self.ask(order, json!({ "items": items })).await.expect("withdrawn")
    }

    async fn invoice_of(&self, of: &OrderReturn) -> shop_core::Result<Money> {
        let goods: ReturnGoods = input(json!({ "returnId": of.id }));
        let invoices = self.test.shop.invoices();
        let back = invoices.issue_return(&Actor::System, &of.order_id, goods, None).await;
        back.map(|back| back.invoice.total)
    }
}

/// The quantities of the lines of an order's invoice.
async fn lines(bench: &Bench, order: &Order) -> Vec<String> {
    let xml = bench.test.shop.invoices().get_xml(&order.id).await.expect("the XML").nfe_proc;
    let parts = xml.split("<qCom>").skip(1);
    parts.map(|part| part.split('<').next().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn an_invoice_has_what_is_left_of_an_order_and_comes_to_what_was_paid_for_it() {
    let bench = Bench::open().await;
    let order = bench.two_kinds().await;
    let first = bench.withdraw(&order, &[(0, 1), (1, 2)]).await;
    bench.test.advance_hours(1);
    let invoice = emit(&bench.test.shop, &order).await.expect("issued");
    assert_eq!(lines(&bench, &order).await, ["2.0000"]);
    assert_eq!(invoice.total, order.total - first.amount);

    // What arrives and comes back is of what the invoice has; what never left has no invoice.
    let order = bench.set(&order, OrderStatus::Delivered).await;
    let none = bench.invoice_of(&first).await;
    assert!(matches!(none, Err(Error::Refused(Refusal::NothingToReturn))), "{none:?}");
    let rest = bench.ask(&order, json!({})).await.expect("asked");
    assert_eq!(rest.items.iter().map(|it| it.quantity).sum::<i64>(), 2);
    let rest = bench.receive(&rest, json!({})).await.expect("here");
    assert_eq!(bench.invoice_of(&rest).await.expect("issued"), invoice.total);
    assert_eq!(first.amount + invoice.total, order.total);
    bench.test.check_books().await;
}

#[tokio::test]
async fn an_invoice_says_how_many_parcels_carry_what_is_left_of_an_order() {
    let bench = Bench::open().await;
    // No two of these go into one box.
    let large = json!({ "name": "Candelabro", "slug": "candelabro", "price": 90, "stock": 9,
                        "length": 30, "width": 20, "height": 10 });
    let products = bench.test.shop.products();
    let large = products.create(&Actor::System, input(large), None).await.expect("a product");
    let placed = async || {
        let items = json!([{ "productId": large.product.id, "quantity": 3 },
                           { "productId": bench.vela, "quantity": 1 }]);
        let order = bench.test.place(&bench.ana, items).await.expect("placed").order;
        bench.test.shop.sandbox().pay(&order.order_number).await.expect("paid")
    };
    for (withdrawn, parcels) in [(&[][..], 4), (&[(0, 1)], 3), (&[(0, 3)], 1)] {
        let order = placed().await;
        if !withdrawn.is_empty() {
            bench.withdraw(&order, withdrawn).await;
        }
        emit(&bench.test.shop, &order).await.expect("issued");
        let xml = bench.test.shop.invoices().get_xml(&order.id).await.expect("the XML").nfe_proc;
        assert!(xml.contains(&format!("<qVol>{parcels}</qVol>")), "{withdrawn:?}: {xml}");
    }
}

#[tokio::test]
async fn an_order_that_was_withdrawn_whole_has_no_invoice() {
    let when_paid = |config: &mut shop_core::Config| config.nfe.issue = IssueWhen::WhenPaid;
    let bench = Bench::with(when_paid).await;
    let order = bench.paid(2).await;
    bench.withdraw(&order, &[(0, 2)]).await;
    bench.test.shop.run_due().await.expect("a round");
    assert_eq!(bench.test.count("SELECT count(*) FROM nfe"), 0);
    let refused = emit(&bench.test.shop, &order).await;
    assert!(matches!(refused, Err(Error::Refused(Refusal::OrderWithdrawn))), "{refused:?}");
    let refused = bench
        .test
        .shop
        .invoices()
        .check_order(&order.id, input::<shop_core::invoicing::EmitInvoice>(json!({})))
        .await;
    assert!(matches!(refused, Err(Error::Refused(Refusal::OrderWithdrawn))), "{refused:?}");
    // No number was spent.
    let other = bench.paid(1).await;
    assert_eq!(emit(&bench.test.shop, &other).await.expect("issued").number, 1);
}

#[tokio::test]
async fn units_that_are_withdrawn_after_the_invoice_have_one_of_their_return() {
    let bench = Bench::open().await;
    let order = bench.paid(3).await;
    let invoice = emit(&bench.test.shop, &order).await.expect("issued");
    assert_eq!((invoice.total, invoice.status), (order.total, InvoiceStatus::Authorized));
    bench.test.advance_hours(1);
    let of = bench.withdraw(&order, &[(0, 1)]).await;
    assert_eq!(bench.invoice_of(&of).await.expect("issued"), of.amount);
}

#[tokio::test]
async fn what_came_back_before_a_late_invoice_is_on_it() {
    let bench = Bench::open().await;
    let order = bench.delivered(3).await;
    bench.test.advance_hours(1);
    let of = bench.ask_units(&order, 1).await.expect("asked");
    bench.receive(&of, json!({})).await.expect("here");
    let invoice = emit(&bench.test.shop, &order).await.expect("issued");
    assert_eq!((lines(&bench, &order).await, invoice.total), (vec!["3.0000".into()], order.total));
    assert_eq!(bench.invoice_of(&of).await.expect("issued"), of.amount);
}
