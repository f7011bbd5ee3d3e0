//! Asking for a PIX code.

use std::time::Duration;

use super::{Settlement, check_payable, confirm, fail_refused, payer};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Entity, Error, Refusal, Result};
use crate::id::{AccountId, OrderId, PaymentId};
use crate::idempotency::{IdempotencyKey, IdempotentRequest};
use crate::lane;
use crate::money::Money;
use crate::order;
use crate::payment::provider::{Payer, PixRequest, ProviderError};
use crate::payment::store::{self, NewAttempt, Payment};
use crate::payment::{PaymentMethod, PaymentStatus, Provider};
use crate::qr_code;
use crate::storage::Tx;

/// How long a PIX code can be paid.
const LIFETIME: Duration = Duration::from_secs(30 * 60);

/// A PIX code to be shown to the payer.
#[apply(answer!)]
pub struct PixCharge {
    /// The payment that waits for it.
    pub payment_id: PaymentId,
    /// The QR code as a PNG, in Base64.
    pub qr_code: String,
    /// The same code as a text, to copy and paste into a banking app.
    pub qr_code_text: String,
    /// When it stops being good.
    pub expires_at: Timestamp,
    /// What is to be paid.
    pub amount: Money,
}

/// What the first job found or stored.
enum CodeStart {
    /// A code that is still good.
    Ready(Box<Payment>),
    /// An attempt that has no code yet; its id is the key of every call for it.
    Attempt(Box<NewCode>),
}

/// An attempt with what its call says of it.
struct NewCode {
    attempt: Payment,
    order_number: String,
    payer: Payer,
}

pub(super) async fn create(
    settlement: Settlement,
    customer: AccountId,
    order: OrderId,
    key: Option<IdempotencyKey>,
) -> Result<PixCharge> {
    let request = IdempotentRequest::new(key, customer.as_str(), "payment.pix", &order)?;
    let at = settlement.cx.work();
    let begun = settlement
        .cx
        .db()
        .write(lane::INTEGRATIONS, "payment.begin_pix", move |tx| {
            begin(tx, &at, &customer, &order, &request)
        })
        .await?;
    let payment = match begun {
        CodeStart::Ready(payment) => *payment,
        CodeStart::Attempt(new) => call(&settlement, *new).await?,
    };
    charge(payment)
}

/// Job 1: finds the code that is still good, or writes the attempt that the call will belong to.
/// An attempt without a code is one whose call is under way or was cut off: its key is used again.
fn begin(
    tx: &mut dyn Tx,
    at: &Work,
    customer: &AccountId,
    order: &OrderId,
    request: &IdempotentRequest,
) -> Result<CodeStart> {
    let payer = payer(tx, customer)?;
    if let Some(first) = request.stored_answer::<PaymentId>(tx, at.now())?
        && let Some(payment) = store::get(tx, &first)?
        && payment.pix_code.is_some()
    {
        return Ok(CodeStart::Ready(Box::new(payment)));
    }
    let order = order::owned(tx, customer, order)?.ok_or(Error::NotFound(Entity::Order))?;
    check_payable(&order)?;
    let payment = match store::open(tx, &order.id, PaymentMethod::Pix)? {
        Some(open) if open.expires_at.is_some_and(|end| end > at.now()) => open,
        outdated => {
            if let Some(outdated) = outdated {
                store::set_status(tx, &outdated, PaymentStatus::Expired, None, at.now())?;
            }
            new_attempt(tx, at, &order.id, order.total)?
        }
    };
    request.store_answer(tx, at.now(), &payment.id)?;
    if payment.pix_code.is_some() {
        return Ok(CodeStart::Ready(Box::new(payment)));
    }
    let new = NewCode { attempt: payment, order_number: order.order_number, payer };
    Ok(CodeStart::Attempt(Box::new(new)))
}

fn new_attempt(tx: &mut dyn Tx, at: &Work, order: &OrderId, amount: Money) -> Result<Payment> {
    let expires_at = Some(at.now().plus(LIFETIME));
    let new = NewAttempt::new(order, Provider::Provider1, PaymentMethod::Pix, amount);
    store::insert(tx, at, &NewAttempt { expires_at, ..new })
}

/// The call, and job 2: the provider's answer is written. Two calls with the same key get the same
/// answer, so it does not matter who writes it.
async fn call(settlement: &Settlement, new: NewCode) -> Result<Payment> {
    let NewCode { attempt, order_number, payer } = new;
    let request = PixRequest {
        payment: attempt.id.clone(),
        amount: attempt.amount,
        order_number,
        expires_at: attempt.expires_at.unwrap_or_else(|| settlement.cx.now().plus(LIFETIME)),
        payer,
    };
    match settlement.providers.provider1.create_pix(&request).await {
        Ok(report) => {
            let payment = confirm::apply_answer(settlement, &attempt, report).await?;
            with_code(settlement, payment).await
        }
        Err(error) => Err(fail_refused(settlement, &attempt, error).await?),
    }
}

/// A payment whose first answer lacked the code may have it by now: its key brings that same answer
/// again, so it is read.
async fn with_code(settlement: &Settlement, payment: Payment) -> Result<Payment> {
    let (None, Some(id)) = (&payment.pix_code, &payment.provider_payment_id) else {
        return Ok(payment);
    };
    confirm::fetch_and_apply(settlement, Provider::Provider1, id).await?;
    let id = payment.id;
    settlement.cx.db().lookup("payment.get", move |tx| store::must_get(tx, &id)).await
}

fn charge(payment: Payment) -> Result<PixCharge> {
    let (Some(code), Some(expires_at)) = (payment.pix_code, payment.expires_at) else {
        if payment.captured > Money::ZERO {
            return Err(Error::Refused(Refusal::AlreadyPaid));
        }
        let silent = ProviderError::Unclear("it answered without a PIX code".to_owned());
        return Err(silent.of(Provider::Provider1));
    };
    let qr_code = match payment.pix_picture {
        Some(picture) => picture,
        None => qr_code::png_base64(&code)?,
    };
    Ok(PixCharge {
        payment_id: payment.id,
        qr_code,
        qr_code_text: code,
        expires_at,
        amount: payment.amount,
    })
}
