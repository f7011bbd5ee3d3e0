//! Money that came another way, recorded by staff: cash, a bank transfer, anything else.

use serde::{Deserialize, Serialize};

use super::{Payments, check_payable, confirm};
use crate::actor::Actor;
use crate::audit;
use crate::context::Work;
use crate::error::{Entity, Error, Result};
use crate::id::OrderId;
use crate::idempotency::{IdempotencyKey, IdempotentRequest};
use crate::lane;
use crate::money::Money;
use crate::order;
use crate::payment::provider::{ProviderPayment, ProviderStatus};
use crate::payment::store::{self, NewAttempt};
use crate::payment::{PaymentAttempt, PaymentMethod, Provider};
use crate::storage::Tx;
use crate::value::{InvalidValue, OptionalText};

/// Money that staff received for an order.
#[apply(input!)]
#[derive(Serialize)]
pub struct RecordPayment {
    /// How it came.
    pub method: RecordedMethod,
    /// How much; the order's total where it is left out. Another amount does not make the order
    /// paid: it is kept for review.
    #[cfg_attr(feature = "schema", schemars(extend("x-emptyText" = "refused")))]
    pub amount: Option<Money>,
    /// Kept as an internal note of the order.
    pub note: Option<OptionalText<1000>>,
}

/// How money comes that no provider tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "UPPERCASE")]
pub enum RecordedMethod {
    /// In cash.
    Cash,
    /// By a bank transfer.
    Transfer,
    /// By any other means.
    Other,
}

impl From<RecordedMethod> for PaymentMethod {
    fn from(method: RecordedMethod) -> Self {
        match method {
            RecordedMethod::Cash => Self::Cash,
            RecordedMethod::Transfer => Self::Transfer,
            RecordedMethod::Other => Self::Other,
        }
    }
}

impl Payments<'_> {
    /// Records money that came another way than through a provider, as confirmed: the order is paid
    /// by it. An amount that is not the order's total is kept for review instead. With a key, a
    /// repeat gives the first answer again.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`]; [`crate::error::Refusal::AlreadyPaid`];
    /// [`crate::error::Refusal::OrderClosed`] for an order that was cancelled or refunded;
    /// [`crate::Error::Invalid`] for an amount that is not positive.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn record(
        &self,
        by: &Actor,
        order: &OrderId,
        input: RecordPayment,
        key: Option<IdempotencyKey>,
    ) -> Result<PaymentAttempt> {
        if input.amount.is_some_and(|amount| amount <= Money::ZERO) {
            return Err(Error::field("amount", InvalidValue::NotPositive));
        }
        let request = IdempotentRequest::by(key, by, "payment.record", &(order, &input))?;
        let (by, order, at) = (by.clone(), order.clone(), self.settlement.cx.work());
        let job = move |tx: &mut dyn Tx| {
            if let Some(first) = request.stored_answer(tx, at.now())? {
                return Ok(first);
            }
            let recorded = record(tx, &at, &by, &order, &input)?;
            request.store_answer(tx, at.now(), &recorded)?;
            Ok(recorded)
        };
        let recorded = self.settlement.cx.db().write(lane::ORDERS, "payment.record", job).await?;
        self.settlement.cx.mail_written();
        Ok(recorded)
    }
}

/// Writes the payment and confirms it as a provider's report would.
fn record(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    order: &OrderId,
    input: &RecordPayment,
) -> Result<PaymentAttempt> {
    let order = order::find(tx, order)?.ok_or(Error::NotFound(Entity::Order))?;
    check_payable(&order)?;
    let (method, amount) = (input.method.into(), input.amount.unwrap_or(order.total));
    let new = NewAttempt::new(&order.id, Provider::Staff, method, amount);
    let payment = store::insert(tx, at, &new)?;
    let report = ProviderPayment::new(
        payment.id.as_str(),
        method,
        ProviderStatus::Paid,
        amount,
        confirm::CURRENCY,
    );
    confirm::advance(tx, at, &payment, &report)?;
    if let Some(note) = input.note.as_ref().map(OptionalText::as_str).filter(|it| !it.is_empty()) {
        order::write_note(tx, at, by, &order.id, note)?;
    }
    let slim = serde_json::json!({ "paymentId": payment.id, "method": method, "amount": amount });
    audit::record(tx, at, by, "order.payment", order.id.as_str(), &(), &slim)?;
    Ok(store::must_get(tx, &payment.id)?.into())
}
