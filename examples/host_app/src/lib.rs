//! A program with a shop in it: four parts of its own, axum beside the shop, and a ledger that
//! follows what happens.

pub mod parts;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use shop_core::catalog::{NewProduct, NewProductVariant};
use shop_core::event::EventStart;
use shop_core::value::Price;
use shop_core::views::EventPayload;
use shop_core::{Error, Result, Shop, ShopBuilder};
use shop_server::{ServeOptions, ShopService};
use tokio::net::TcpListener;

use self::parts::{Ahead, Courier, Parts};

/// What is sold here: a shirt, in sizes only.
pub fn shirt() -> Result<NewProduct> {
    let price: Price = "59.90".parse()?;
    let mut sizes = Vec::new();
    for (size, units) in [("P", 3), ("M", 5), ("G", 4)] {
        let option = ("Tamanho".parse()?, size.parse()?);
        sizes.push(NewProductVariant::new(price, units.try_into()?, option));
    }
    Ok(NewProduct::in_variants("Camiseta".parse()?, price, sizes)?)
}

/// Gives a shop this program's own parts.
pub fn furnish(builder: ShopBuilder, parts: &Parts) -> ShopBuilder {
    builder
        .pix_and_cards(parts.bank.clone())
        .carriers(vec![Arc::new(Courier)])
        .mailer(parts.mailer())
        .clock(Ahead(parts.ahead))
}

/// The program's own routes, and the shop behind them.
pub fn router(shop: &Shop, parts: &Parts) -> Result<Router> {
    let service = ShopService::new(shop.clone(), ServeOptions::default())?;
    Ok(Router::new()
        .route("/", get(|| async { "Bem-vindo à loja" }))
        .route("/bank/{payment}/paid", post(paid))
        .with_state((shop.clone(), parts.clone()))
        .fallback_service(service))
}

/// A notice that a payment arrived. It is not believed: the shop asks the bank.
async fn paid(
    State((shop, parts)): State<(Shop, Parts)>,
    Path(payment): Path<String>,
) -> Result<(), StatusCode> {
    let order = parts.bank.order_of(&payment).ok_or(StatusCode::NOT_FOUND)?;
    let asked = async {
        let order = shop.orders().get_by_number(&order).await?;
        shop.payments().reconcile(&order.id).await
    };
    asked.await.map(drop).map_err(|_| StatusCode::SERVICE_UNAVAILABLE)
}

/// Serves until `stop` is ready, with the background work beside it.
pub async fn serve(
    shop: Shop,
    parts: Parts,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<()> {
    let app = router(&shop, &parts)?.into_make_service_with_connect_info::<SocketAddr>();
    let (stopping, stopped) = tokio::sync::oneshot::channel::<()>();
    let background = tokio::spawn(async move {
        shop.run_background(async { drop(stopped.await) }).await;
    });
    let served = axum::serve(listener, app).with_graceful_shutdown(stop).await;
    drop(stopping);
    background.await.map_err(Error::from_source)?;
    served.map_err(Error::from_source)
}

/// Writes down what was sold and what went back, from this place in the log on, until `enough` says
/// so. A real ledger keeps the id of each event with its lines, and goes on behind it.
pub async fn keep_ledger(
    shop: &Shop,
    from: EventStart,
    mut enough: impl FnMut(&[String]) -> bool,
) -> Result<Vec<String>> {
    let mut events = shop.events().subscribe(from).await?;
    let mut lines = Vec::new();
    while !enough(&lines) {
        match events.next().await?.payload()? {
            EventPayload::OrderPaid(order) => {
                lines.push(format!("{} {}", order.order_number, order.total.in_reais()));
            }
            EventPayload::OrderRefunded(refund) => {
                let number = &refund.order.order_number;
                lines.push(format!("{number} -{}", refund.amount.in_reais()));
            }
            _ => {}
        }
    }
    Ok(lines)
}
