//! Payments: asking for one, and the providers' notices (`/api/payments/*`).

use std::time::Duration;

use shop_core::Error;
use shop_core::id::OrderId;
use shop_core::settlement::{
    CardCharge, IntentCharge, PayByCard, PixCharge, ProviderNotice, SignedEvent,
};

use crate::input::SignedQuery;
use crate::order_owner::CardPayer;
use crate::routes::prelude::*;

/// The largest event that is read: provider2's are longer than what customers send.
const MAX_EVENT: usize = 512 * 1024;

/// What asks a payment provider each time: no shopper may use up what the provider grants the shop.
pub(super) const ASKS_PROVIDER: Rate =
    Rate { name: "payment-provider", max: 30, window: Duration::from_secs(60) };

/// Why an order cannot be paid.
const PAY: &[Code] = &[
    Code::OrderNotFound,
    Code::AlreadyPaid,
    Code::OrderClosed,
    Code::AmountOutOfRange,
    Code::PaymentInProcess,
    Code::ProviderFailure,
];
/// Why an order cannot be paid by a card.
const PAY_BY_CARD: &[Code] = &[
    Code::OrderNotFound,
    Code::AlreadyPaid,
    Code::OrderClosed,
    Code::AmountOutOfRange,
    Code::PaymentInProcess,
    Code::ProviderFailure,
    Code::RateLimited,
    Code::InvalidCardToken,
    Code::CardBadNumber,
    Code::CardBadExpiryDate,
    Code::CardBadCvv,
    Code::CardBadData,
    Code::CardCallForAuthorize,
    Code::CardDisabled,
    Code::CardInsufficientAmount,
    Code::CardInvalidInstallments,
    Code::CardDuplicatedPayment,
    Code::CardMaxAttempts,
    Code::CardAuthenticationRequired,
    Code::CardHighRisk,
    Code::CardBlacklisted,
    Code::CardError,
    Code::CardRejected,
];

pub(super) fn rows() -> Vec<Route> {
    vec![
        order_owner(Method::POST, "/api/payments/pix", "createPix", create_pix)
            .about("A PIX code for an order: the one that is still good, else a new one")
            .fails(PAY)
            .rate(ASKS_PROVIDER),
        card_payer(Method::POST, "/api/payments/provider1/card", "payByCard", pay_by_card)
            .about("Pays an order by the token that provider1 gave the browser for a card")
            .fails(PAY_BY_CARD)
            .details(
                "The card's number never comes here. Once too many cards of an account, or of an \
                 address, were refused within an hour, further ones have to wait.",
            ),
        public(Method::POST, "/api/payments/provider1/webhook", "provider1Webhook", notice)
            .about("Notices of provider1, signed in x-signature")
            .fails(&[Code::InvalidSignature, Code::ProviderFailure, Code::PaymentNotFound])
            .signed("provider1Signature")
            .details("The payment is read from the provider again: the body counts for nothing."),
        order_owner(Method::POST, "/api/payments/provider2", "createPaymentIntent", create_intent)
            .about(
                "A payment intent of provider2: the one that can still be completed, else a new \
                 one",
            )
            .fails(PAY)
            .rate(ASKS_PROVIDER),
        public(Method::POST, "/api/payments/provider2/webhook", "provider2Webhook", event)
            .about("Events of provider2, signed over their very bytes")
            .fails(&[
                Code::InvalidSignature,
                Code::MalformedJson,
                Code::ProviderFailure,
                Code::PaymentNotFound,
            ])
            .signed("provider2Signature")
            .details("A signature older than five minutes does not hold.")
            .body_limit(MAX_EVENT),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PayOrder {
    /// Which of one's own orders, by its id or its number.
    order_id: OrderId,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct NoticeQuery {
    /// The provider's id of the payment.
    #[serde(rename = "data.id")]
    data_id: Option<String>,
    /// What the notice is about.
    #[serde(rename = "type")]
    kind: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Received {
    received: bool,
}

async fn create_pix(
    call: Call<OrderOwner>,
    Repeat(key): Repeat,
    Json(pay): Json<PayOrder>,
) -> Result<PixCharge> {
    let OwnOrder { customer, id } = call.caller.order(call.shop(), &pay.order_id).await?;
    call.shop().payments().create_pix(&customer, &id, key).await
}

async fn pay_by_card(
    call: Call<CardPayer>,
    Repeat(key): Repeat,
    Json(pay): Json<PayByCard>,
) -> Result<CardCharge> {
    let Call { app, caller: CardPayer { owner, attempt }, .. } = call;
    let OwnOrder { customer, id } = owner.order(&app.shop, &pay.order_id).await?;
    let pay = PayByCard { order_id: id, ..pay };
    attempt.make(app.shop.payments().pay_by_card(&customer, pay, key)).await
}

async fn create_intent(
    call: Call<OrderOwner>,
    Repeat(key): Repeat,
    Json(pay): Json<PayOrder>,
) -> Result<IntentCharge> {
    let OwnOrder { customer, id } = call.caller.order(call.shop(), &pay.order_id).await?;
    call.shop().payments().create_intent(&customer, &id, key).await
}

async fn notice(
    call: Call<Public>,
    SignedQuery(query): SignedQuery<NoticeQuery>,
    Raw { headers, .. }: Raw,
) -> Result<Received> {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let notice = ProviderNotice {
        data_id: query.data_id,
        request_id: header("x-request-id"),
        signature: header("x-signature"),
        kind: query.kind,
    };
    call.shop().payments().receive_notice(notice).await?;
    Ok(Received { received: true })
}

async fn event(call: Call<Public>, Raw { headers, body }: Raw) -> Result<Received, Failure> {
    let name = &call.shop().config().payments.provider2.signature_header;
    let signature = headers.get(name).and_then(|value| value.to_str().ok());
    let event = SignedEvent { signature: signature.map(str::to_owned), body: body.into() };
    match call.shop().payments().receive_event(event).await {
        Ok(()) => Ok(Received { received: true }),
        // There is one field, the whole body.
        Err(Error::Invalid(_)) => Err(Failure::MalformedJson),
        Err(error) => Err(error.into()),
    }
}
