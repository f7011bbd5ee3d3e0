//! Payment intents of provider2, which the customer's browser completes.

use serde::Serialize;

use super::{Settlement, check_payable, confirm, fail_refused};
use crate::config::Secret;
use crate::context::Work;
use crate::error::{Entity, Error, Refusal, Result};
use crate::id::{AccountId, OrderId, PaymentId};
use crate::idempotency::{IdempotencyKey, IdempotentRequest};
use crate::lane;
use crate::money::Money;
use crate::order;
use crate::payment::provider::{IntentRequest, ProviderError, ProviderPayment, ProviderStatus};
use crate::payment::store::{self, NewAttempt, Payment};
use crate::payment::{PaymentMethod, PaymentStatus, Provider};
use crate::storage::Tx;
use crate::value::inline_schema;

/// A payment intent, for the customer's browser. Its secret is kept nowhere: a repeat reads it from
/// the provider again.
#[apply(answer!)]
pub struct IntentCharge {
    /// With what the browser completes it.
    pub client_secret: ClientSecret,
    /// The provider's id of it.
    pub payment_intent_id: String,
    /// What is to be paid, in cents.
    pub amount: i64,
    /// In which currency: `brl`.
    pub currency: String,
}

/// The secret of a payment intent. `Debug` does not show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientSecret(Secret);

impl ClientSecret {
    /// The secret itself.
    pub fn reveal(&self) -> &str {
        self.0.reveal()
    }
}

impl Serialize for ClientSecret {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.reveal())
    }
}

inline_schema!(ClientSecret, { "type": "string" });

/// What the first job found or stored.
struct IntentStart {
    payment: Payment,
    order_number: String,
    /// Whether the request is a repeat: then its intent is answered again, also when it is over.
    repeated: bool,
}

/// Why an attempt failed whose intent the provider does not know.
pub(super) const UNKNOWN: &str = "unknown";
/// How often another intent is tried when the one at hand turns out to be over.
const TRIES: usize = 3;

pub(super) async fn create(
    settlement: Settlement,
    customer: AccountId,
    order: OrderId,
    key: Option<IdempotencyKey>,
) -> Result<IntentCharge> {
    let request = IdempotentRequest::new(key, customer.as_str(), "payment.intent", &order)?;
    for _ in 0..TRIES {
        let begun = {
            let (customer, order, at) = (customer.clone(), order.clone(), settlement.cx.work());
            let request = request.clone();
            let job = move |tx: &mut dyn Tx| begin(tx, &at, &customer, &order, &request);
            settlement.cx.db().write(lane::INTEGRATIONS, "payment.begin_intent", job).await?
        };
        let charge = match &begun.payment.provider_payment_id {
            Some(id) => read_again(&settlement, &begun, id).await?,
            None => Some(call(&settlement, &begun).await?),
        };
        if let Some(charge) = charge {
            return Ok(charge);
        }
    }
    Err(Error::busy())
}

/// Job 1: the intent that the customer may still complete, or an attempt that the call will belong
/// to.
fn begin(
    tx: &mut dyn Tx,
    at: &Work,
    customer: &AccountId,
    order: &OrderId,
    request: &IdempotentRequest,
) -> Result<IntentStart> {
    let order = order::owned(tx, customer, order)?.ok_or(Error::NotFound(Entity::Order))?;
    if let Some(first) = request.stored_answer::<PaymentId>(tx, at.now())?
        && let Some(payment) = store::get(tx, &first)?
        && payment.provider_payment_id.is_some()
        && payment.failure_code.as_deref() != Some(UNKNOWN)
    {
        return Ok(IntentStart { payment, order_number: order.order_number, repeated: true });
    }
    check_payable(&order)?;
    let (provider, method) = (Provider::Provider2, PaymentMethod::PaymentIntent);
    let new = NewAttempt::new(&order.id, provider, method, order.total);
    let payment = match store::usable_intent(tx, &order.id)? {
        Some(usable) => usable,
        None => store::insert(tx, at, &new)?,
    };
    request.store_answer(tx, at.now(), &payment.id)?;
    Ok(IntentStart { payment, order_number: order.order_number, repeated: false })
}

/// Cancels an attempt whose intent the provider does not know, which may be because the shop's
/// account there is another one since.
///
/// # Errors
/// [`Refusal::AlreadyPaid`] where money of it is booked: that stays as it is.
async fn give_up(settlement: &Settlement, payment: Payment) -> Result<()> {
    use PaymentStatus as Is;
    if !matches!(payment.status, Is::Pending | Is::Failed | Is::Cancelled | Is::Expired) {
        return Err(Error::Refused(Refusal::AlreadyPaid));
    }
    let now = settlement.cx.now();
    let job = move |tx: &mut dyn Tx| {
        store::set_status(tx, &payment, PaymentStatus::Cancelled, Some(UNKNOWN), now)
    };
    settlement.cx.db().write(lane::INTEGRATIONS, "payment.forget_intent", job).await
}

/// The intent as it is now; `None` when it cannot be completed any more, which is booked.
async fn read_again(
    settlement: &Settlement,
    begun: &IntentStart,
    id: &str,
) -> Result<Option<IntentCharge>> {
    let report = settlement
        .providers
        .provider2
        .fetch(id)
        .await
        .map_err(|error| error.of(Provider::Provider2))?;
    let Some(report) = report else {
        give_up(settlement, begun.payment.clone()).await?;
        return Ok(None);
    };
    confirm::apply_now(settlement, Provider::Provider2, report.clone()).await?;
    let open = matches!(
        report.status,
        ProviderStatus::Pending | ProviderStatus::InProcess | ProviderStatus::Failed
    );
    Ok(if open || begun.repeated { charge(report) } else { None })
}

/// The call, and job 2: the provider's answer is written.
async fn call(settlement: &Settlement, begun: &IntentStart) -> Result<IntentCharge> {
    let attempt = &begun.payment;
    let request = IntentRequest {
        payment: attempt.id.clone(),
        amount: attempt.amount,
        order_id: attempt.order_id.to_string(),
        order_number: begun.order_number.clone(),
    };
    match settlement.providers.provider2.create_intent(&request).await {
        Ok(report) => {
            let payment = confirm::apply_answer(settlement, attempt, report.clone()).await?;
            if payment.captured > Money::ZERO {
                return Err(Error::Refused(Refusal::AlreadyPaid));
            }
            let silent = ProviderError::Unclear("it answered without a secret".to_owned());
            charge(report).ok_or_else(|| silent.of(Provider::Provider2))
        }
        Err(error) => Err(fail_refused(settlement, attempt, error).await?),
    }
}

/// What the browser needs.
fn charge(report: ProviderPayment) -> Option<IntentCharge> {
    Some(IntentCharge {
        client_secret: ClientSecret(report.client_secret?),
        payment_intent_id: report.id,
        amount: report.amount.cents(),
        currency: report.currency.to_lowercase(),
    })
}
