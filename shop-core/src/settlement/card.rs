//! Paying by card, through provider1.
//!
//! The card itself never comes here: the customer's browser gives it to the provider and gets a
//! token, which is used for one call and kept nowhere. What is kept is a keyed digest of the
//! request, by which the very same request is known again: one whose answer got lost is made again
//! with the same idempotency key. As long as the outcome of an attempt is unknown, no other card
//! is charged.

use std::sync::Arc;

use serde::Deserialize;

use super::reconcile::is_unanswered;
use super::{Settlement, check_payable, confirm, fail_refused, payer, reconcile};
use crate::context::Work;
use crate::error::{Conflict, Entity, Error, Refusal, Result};
use crate::id::{AccountId, OrderId, PaymentId};
use crate::idempotency::{self, IdempotencyKey, IdempotentRequest};
use crate::lane;
use crate::mac::Mac;
use crate::order;
use crate::payment::provider::{CardRequest, Payer, ProviderError};
use crate::payment::store::{self, NewAttempt, Payment};
use crate::payment::{
    CardToken, IssuerId, PaymentMethod, PaymentStatus, Provider, mercado_pago_codes,
};
use crate::storage::Tx;
use crate::value::{Installments, Text, wire_enum};

/// A payment by card.
#[apply(input!)]
pub struct PayByCard {
    /// An order of the customer.
    pub order_id: OrderId,
    /// What the provider gave the browser for the card.
    pub token: CardToken,
    /// The card's brand, e.g. `visa`.
    pub payment_method_id: Text<1, 40>,
    /// The number of installments.
    pub installments: Installments,
    /// The card's bank, where the provider told the browser.
    pub issuer_id: Option<IssuerId>,
}

impl PayByCard {
    /// By what the same request is known again. It is keyed, so that a token
    /// cannot be guessed from it.
    fn mac(&self, key: &str) -> Result<String> {
        let issuer = self.issuer_id.map(|issuer| issuer.0);
        let rest = (&self.order_id, &self.payment_method_id, self.installments, issuer);
        let rest = serde_json::to_vec(&rest).map_err(Error::from_source)?;
        let mac = Mac::new(key.as_bytes(), &[self.token.reveal().as_bytes(), b"\n", &rest]);
        Ok(hex::encode(mac.map_err(Error::from_source)?.bytes()))
    }
}

/// What became of a card that was not refused.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct CardCharge {
    /// Whether the money is there.
    pub status: CardStatus,
    /// The provider's id of the payment.
    pub payment_id: String,
    /// The order that is paid.
    pub order_id: OrderId,
    /// The number of installments.
    pub installments: i64,
    /// The end of the card's number.
    pub last_four_digits: Option<String>,
}

wire_enum! {
    /// The state of a card payment.
    #[cfg_attr(feature = "schema", schemars(inline))]
    #[non_exhaustive]
    pub enum CardStatus {
        /// The money is there.
        Approved = "approved",
        /// The provider still looks at it; a notice will tell.
        InProcess = "in_process",
    }
}

/// What the first job found or stored.
enum ChargeStart {
    /// What is answered without a call.
    Answered(CardCharge),
    /// An attempt that the call belongs to.
    Attempt(Box<Attempt>),
    /// An attempt with another card whose outcome is unknown.
    Unresolved(Box<Payment>),
}

/// An attempt with what its call says of it.
struct Attempt {
    payment: Payment,
    order_number: String,
    payer: Payer,
    /// Whether a call of it was made before.
    again: bool,
}

type Remembered = idempotency::Remembered<PaymentId, CardCharge>;

/// A request, and by what it is known again.
struct Request {
    customer: AccountId,
    input: PayByCard,
    mac: String,
    idempotent: IdempotentRequest,
}

pub(super) async fn pay(
    settlement: Settlement,
    customer: AccountId,
    input: PayByCard,
    key: Option<IdempotencyKey>,
) -> Result<CardCharge> {
    let mac = input.mac(settlement.providers.card_digest_key.reveal())?;
    let idempotent = IdempotentRequest::new(key, customer.as_str(), "payment.card", &mac)?;
    let request = Arc::new(Request { customer, input, mac, idempotent });
    // The second round comes after an attempt with another card was cleared up.
    for last in [false, true] {
        let (wanted, at) = (Arc::clone(&request), settlement.cx.work());
        let job = move |tx: &mut dyn Tx| begin(tx, &at, &wanted);
        match settlement.cx.db().write(lane::INTEGRATIONS, "payment.begin_card", job).await? {
            ChargeStart::Answered(charge) => return Ok(charge),
            ChargeStart::Attempt(attempt) => return charge(&settlement, &request, *attempt).await,
            ChargeStart::Unresolved(attempt) if !last => {
                reconcile::reconcile(&settlement, &attempt).await?;
            }
            ChargeStart::Unresolved(_) => break,
        }
    }
    Err(Error::Conflict(Conflict::PaymentInProcess))
}

/// Job 1: the answer of a repeat, or the attempt that the call will belong to.
fn begin(tx: &mut dyn Tx, at: &Work, request: &Request) -> Result<ChargeStart> {
    let Request { customer, input, mac, idempotent } = request;
    let order = order::owned(tx, customer, &input.order_id)?;
    let order = order.ok_or(Error::NotFound(Entity::Order))?;
    if let Some(first) = recall(tx, at, idempotent)? {
        return Ok(ChargeStart::Answered(first));
    }
    check_payable(&order)?;
    let payer = payer(tx, customer)?;
    if let Some(same) = store::same_request(tx, &order.id, mac)? {
        if is_unanswered(&same) {
            let order_number = order.order_number;
            let attempt = Attempt { payment: same, order_number, payer, again: true };
            return Ok(ChargeStart::Attempt(attempt.into()));
        }
        // The card was charged or refused; the same token again changes nothing.
        if same.provider_payment_id.is_some() {
            return answer(&same, true).map(ChargeStart::Answered);
        }
    }
    if let Some(open) = store::open(tx, &order.id, PaymentMethod::CreditCard)? {
        return Ok(ChargeStart::Unresolved(open.into()));
    }
    let (provider, method) = (Provider::Provider1, PaymentMethod::CreditCard);
    let new = NewAttempt {
        installments: Some(input.installments.get()),
        request_mac: Some(mac),
        ..NewAttempt::new(&order.id, provider, method, order.total)
    };
    let payment = store::insert(tx, at, &new)?;
    idempotent.store_answer(tx, at.now(), &Remembered::Begun(payment.id.clone()))?;
    let attempt = Attempt { payment, order_number: order.order_number, payer, again: false };
    Ok(ChargeStart::Attempt(attempt.into()))
}

/// The first answer of a repeat, also when it got lost on its way into our books.
fn recall(tx: &mut dyn Tx, at: &Work, request: &IdempotentRequest) -> Result<Option<CardCharge>> {
    match request.stored_answer(tx, at.now())? {
        None => Ok(None),
        Some(Remembered::Answered(first)) => Ok(Some(first)),
        Some(Remembered::Begun(id)) => {
            let attempt = store::get(tx, &id)?.filter(|it| it.provider_payment_id.is_some());
            attempt.map(|attempt| answer(&attempt, true)).transpose()
        }
    }
}

/// The call, and job 2: the provider's answer is written.
async fn charge(
    settlement: &Settlement,
    request: &Arc<Request>,
    attempt: Attempt,
) -> Result<CardCharge> {
    let (input, Attempt { payment: attempt, order_number, payer, again }) =
        (&request.input, attempt);
    let call = CardRequest {
        payment: attempt.id.clone(),
        amount: attempt.amount,
        order_number,
        token: input.token.clone(),
        payment_method_id: input.payment_method_id.to_string(),
        installments: input.installments.get(),
        issuer_id: input.issuer_id.map(|issuer| issuer.0),
        payer,
    };
    match settlement.providers.provider1.charge_card(&call).await {
        Ok(report) => drop(confirm::apply_answer(settlement, &attempt, report).await?),
        // Of a call that was made before, "no" may only mean that its token is used.
        Err(ProviderError::Refused(_) | ProviderError::InvalidToken) if again => {
            reconcile::reconcile(settlement, &attempt).await?;
        }
        Err(ProviderError::InvalidToken) => {
            let refused = ProviderError::Refused("invalid_token".to_owned());
            fail_refused(settlement, &attempt, refused).await?;
            return Err(Error::Refused(Refusal::InvalidCardToken));
        }
        Err(error) => return Err(fail_refused(settlement, &attempt, error).await?),
    }
    let (at, id, request) = (settlement.cx.work(), attempt.id, Arc::clone(request));
    let job = move |tx: &mut dyn Tx| conclude(tx, &at, &id, &request.idempotent);
    settlement.cx.db().write(lane::ORDERS, "payment.conclude_card", job).await?
}

/// Keeps the answer for repeats. A refused request does not use up its key.
fn conclude(
    tx: &mut dyn Tx,
    at: &Work,
    id: &PaymentId,
    request: &IdempotentRequest,
) -> Result<Result<CardCharge>> {
    let answer = answer(&store::must_get(tx, id)?, false);
    match &answer {
        Ok(charge) => {
            request.store_answer(tx, at.now(), &Remembered::Answered(charge.clone()))?;
        }
        Err(Error::Refused(_)) => request.forget(tx)?,
        Err(_) => {}
    }
    Ok(answer)
}

/// The answer about an attempt; `repeated` where the provider was not called for it.
fn answer(attempt: &Payment, repeated: bool) -> Result<CardCharge> {
    let Some(id) = &attempt.provider_payment_id else {
        return Err(Error::Conflict(Conflict::PaymentInProcess));
    };
    let status = match attempt.status {
        PaymentStatus::Pending => CardStatus::InProcess,
        PaymentStatus::Paid
        | PaymentStatus::Review
        | PaymentStatus::Refunded
        | PaymentStatus::ChargedBack => CardStatus::Approved,
        PaymentStatus::Failed | PaymentStatus::Expired | PaymentStatus::Cancelled => {
            let reason = mercado_pago_codes::rejection(attempt.failure_code.as_deref());
            return Err(Error::Refused(Refusal::CardRejected { reason, repeated }));
        }
    };
    Ok(CardCharge {
        status,
        payment_id: id.clone(),
        order_id: attempt.order_id.clone(),
        installments: attempt.installments.unwrap_or(1),
        last_four_digits: attempt.last_four.clone(),
    })
}
