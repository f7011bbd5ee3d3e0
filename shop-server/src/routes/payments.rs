//! Payments: asking for one, and the providers' notices (`/api/payments/*`).

use hyper::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shop_core::Result;
use shop_core::id::OrderId;
use shop_core::payment::{PixCharge, ProviderNotice};

use crate::caller::{Public, Session};
use crate::input::{Json, Query, Raw, Repeat};
use crate::output::Ok200;
use crate::route::{Call, Route, public, session};

pub(super) fn rows() -> Vec<Route> {
    vec![
        session(Method::POST, "/api/payments/pix", "createPix", create_pix)
            .about("A PIX code for an order: the one that is still good, else a new one"),
        public(Method::POST, "/api/payments/provider1/webhook", "provider1Webhook", notice)
            .about("Notices of provider1, signed in x-signature"),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PayOrder {
    /// Which of one's own orders.
    order_id: OrderId,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct NoticeQuery {
    /// The provider's id of the payment.
    #[serde(rename = "data.id")]
    data_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Received {
    received: bool,
}

async fn create_pix(
    call: Call<Session>,
    (Repeat(key), Json(pay)): (Repeat, Json<PayOrder>),
) -> Result<Ok200<PixCharge>> {
    call.shop().payments().create_pix(&call.caller.0.id, &pay.order_id, key).await.map(Ok200)
}

async fn notice(
    call: Call<Public>,
    (Query(query), Raw { headers }): (Query<NoticeQuery>, Raw),
) -> Result<Ok200<Received>> {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let notice = ProviderNotice {
        data_id: query.data_id,
        request_id: header("x-request-id"),
        signature: header("x-signature"),
    };
    call.shop().payments().receive_notice(notice).await?;
    Ok(Ok200(Received { received: true }))
}
