//! A whole sale through the program's own parts, in SQLite, and in PostgreSQL where
//! `SHOP_TEST_POSTGRES` names a server.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode};
use host_app::parts::Parts;
use host_app::{furnish, keep_ledger, router, shirt};
use shop_core::actor::Actor;
use shop_core::checkout::{PlaceItem, PlaceOrder};
use shop_core::coupon::{CouponType, NewCoupon};
use shop_core::error::Refusal;
use shop_core::event::EventStart;
use shop_core::order::{Order, OrderStatus};
use shop_core::settlement::RefundPayment;
use shop_core::testing::TestShop;
use tower_service::Service;

type Tried = Result<(), Box<dyn Error + Send + Sync>>;

fn parts() -> Parts {
    Parts { sent: Some(Arc::default()), ..Parts::default() }
}

#[tokio::test]
async fn a_sale() -> Tried {
    let parts = parts();
    sell(&TestShop::with(|builder| furnish(builder, &parts)).await?, &parts).await
}

#[tokio::test]
async fn a_sale_in_postgresql() -> Tried {
    let Ok(server) = std::env::var("SHOP_TEST_POSTGRES") else { return Ok(()) };
    let parts = parts();
    sell(&TestShop::on_postgres(&server, |builder| furnish(builder, &parts)).await?, &parts).await
}

async fn sell(shop: &TestShop, parts: &Parts) -> Tried {
    let order = place(shop).await?;
    assert_eq!(order.shipping.in_reais(), "R$ 6,90");
    assert_eq!(order.total.in_reais(), "R$ 114,72");

    let pix = shop.payments().create_pix(&order.user_id, &order.id, None).await?;
    parts.bank.receive(pix.payment_id.as_str())?;
    let told = format!("/bank/{}/paid", pix.payment_id);
    assert_eq!(ask(shop, parts, "POST", &told).await?, StatusCode::OK);
    let paid = shop.orders().get_for_customer(&order.user_id, &order.id).await?;
    assert_eq!(paid.status.to_string(), "PROCESSING");

    let part = RefundPayment { amount: Some("20".parse()?), ..RefundPayment::default() };
    shop.payments().refund(&Actor::System, &order.id, part, None).await?;
    let ledger = keep_ledger(shop, EventStart::Oldest, |lines| lines.len() == 2).await?;
    let number = &order.order_number;
    assert_eq!(ledger, [format!("{number} R$ 114,72"), format!("{number} -R$ 20,00")]);

    shop.run_due().await?;
    let sent = parts.sent.as_ref().expect("mails are kept").lock().expect("no panic").clone();
    assert!(sent.contains(&format!("Recebemos seu pedido {number}")), "{sent:?}");

    // The shop's own routes, behind the program's.
    assert_eq!(ask(shop, parts, "GET", "/").await?, StatusCode::OK);
    assert_eq!(ask(shop, parts, "GET", "/api/products/camiseta").await?, StatusCode::OK);
    assert_eq!(ask(shop, parts, "GET", "/api/nothing").await?, StatusCode::NOT_FOUND);

    // The program's clock moves too: a further order is not paid in time.
    let late = shop.order().await?;
    shop.advance(Duration::from_secs(73 * 60 * 60));
    shop.run_due().await?;
    let late = shop.orders().get_for_customer(&late.user_id, &late.id).await?;
    assert_eq!(late.status, OrderStatus::Cancelled);
    Ok(())
}

/// Two shirts of size M, with a coupon as the shopper types it.
async fn place(shop: &TestShop) -> Result<Order, Box<dyn Error + Send + Sync>> {
    let shirt = shop.products().create(&Actor::System, shirt()?, None).await?.product;
    let tenth = NewCoupon::new("VERÃO10".parse()?, CouponType::Percent, "10".parse()?);
    shop.coupons().create(&Actor::System, tenth).await?;
    let bia = shop.buyer("Bia").await?;

    let mut order = PlaceOrder::to(bia.address);
    order.coupon_code = Some("  verão10 ".parse()?);
    order.cart_items = Some(vec![PlaceItem::new(shirt.id.clone(), 2.try_into()?)]);
    let refused = shop.orders().place(&bia.id, order.clone(), None).await;
    let Err(shop_core::Error::Refused(Refusal::VariantRequired { name })) = refused else {
        return Err("a shirt without a size".into());
    };
    assert_eq!(name, "Camiseta");

    let medium = PlaceItem::of_variant(shirt.id, shirt.variants[1].id.clone(), 2.try_into()?);
    order.cart_items = Some(vec![medium]);
    Ok(shop.orders().place(&bia.id, order, None).await?.order)
}

/// What the program answers to a client on this machine.
async fn ask(
    shop: &TestShop,
    parts: &Parts,
    method: &str,
    path: &str,
) -> Result<StatusCode, Box<dyn Error + Send + Sync>> {
    let peer = ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 50_000)));
    let request = Request::builder().method(method).uri(path).extension(peer);
    let request = request.header("host", "127.0.0.1").body(Body::empty())?;
    Ok(router(shop, parts)?.call(request).await?.status())
}
