//! Events of provider2, and their signature (docs/decisions.md, "Payments").
//!
//! The signature covers every byte of the event and the moment of sending, so what stands in it is
//! the provider's own report and is applied as it is: asking again would only add a way to fail.

use std::time::Duration;

use hex::FromHex;
use hmac::digest::InvalidLength;
use serde_json::Value;

use super::{Payments, Settlement, confirm, refund_check};
use crate::clock::Timestamp;
use crate::config::Secret;
use crate::error::{Credential, Error, FieldErrors, Result};
use crate::lane;
use crate::mac::Mac;
use crate::money::Money;
use crate::payment::provider::{ProviderPayment, ProviderStatus};
use crate::payment::stripe_object::{cents, dispute, intent, of_intent};
use crate::payment::{Provider, store};
use crate::storage::Tx;
use crate::value::InvalidValue;

/// How old an event may be, and how far ahead of our clock.
const TOLERANCE: Duration = Duration::from_secs(300);

/// An event as it came: the signature is over the very bytes.
#[derive(Debug, Clone, Default)]
pub struct SignedEvent {
    /// The signature's header: `t=<seconds>,v1=<hex>[,v1=<hex>]`.
    pub signature: Option<String>,
    /// The body, untouched.
    pub body: Vec<u8>,
}

impl Payments<'_> {
    /// Takes an event of provider2: verifies its signature over the very bytes, and applies what it
    /// says. Events may come in any order and any number of times.
    ///
    /// # Errors
    /// [`crate::Error::Unauthenticated`] when the signature does not hold;
    /// [`crate::Error::Invalid`] when the body is no event; [`crate::Error::Provider`] when the
    /// provider had to be asked, since a refund failed meanwhile, and did not answer.
    ///
    /// Cancel safe: one transaction, done or not, after the question to the provider where there is
    /// one.
    #[tracing::instrument(name = "payment.receive_event", level = "debug", skip_all)]
    pub async fn receive_event(&self, event: SignedEvent) -> Result<()> {
        verify(&event, &self.settlement.providers.provider2_secrets, self.settlement.cx.now())?;
        let event: Value = serde_json::from_slice(&event.body).map_err(|_| malformed())?;
        let id = event["id"].as_str().ok_or_else(malformed)?.to_owned();
        let dropped = match report(&event) {
            Ok(Report::Payment(report)) if is_in_doubt(self.settlement, &report).await? => {
                let provider = Provider::Provider2;
                return confirm::fetch_told(self.settlement, provider, &report.id).await;
            }
            Ok(report) => apply(self.settlement, &id, report).await?.err(),
            Err(why) => Some(why),
        };
        if let Some(why) = dropped {
            let kind = event["type"].as_str();
            tracing::info!(event = id, kind, why, "an event of provider2 is dropped");
        }
        Ok(())
    }
}

/// Whether a report may count a refund that failed meanwhile as gone, for events come late and in
/// any order.
async fn is_in_doubt(settlement: &Settlement, report: &ProviderPayment) -> Result<bool> {
    if report.refunded == Money::ZERO {
        return Ok(false);
    }
    let id = report.id.clone();
    let job = move |tx: &mut dyn Tx| {
        let payment = store::by_provider_id(tx, Provider::Provider2, &id)?;
        payment.map_or(Ok(false), |payment| store::refund::has_failed_late(tx, &payment.id))
    };
    settlement.cx.db().lookup("payment.failed_refunds", job).await
}

/// Applies an event once; why it was dropped instead, in the inner result.
async fn apply(settlement: &Settlement, id: &str, report: Report) -> Result<Result<(), Dropped>> {
    let id = id.to_owned();
    let at = settlement.cx.work();
    let job = move |tx: &mut dyn Tx| {
        if !store::event::first_time(tx, Provider::Provider2, &id, at.now())? {
            return Ok(Err("it was applied before"));
        }
        let provider = Provider::Provider2;
        let is_ours = match &report {
            Report::Payment(report) => {
                let report = of_whole_charge(tx, report)?;
                confirm::apply(tx, &at, provider, &report)?.is_some()
            }
            Report::FailedRefund { payment, refund } => {
                refund_check::failed(tx, &at, provider, payment, refund)?
            }
        };
        if !is_ours {
            // Nothing was applied, so a repeat may still tell us something.
            store::event::forget(tx, Provider::Provider2, &id)?;
            return Ok(Err("its payment belongs to no order of this shop"));
        }
        Ok(Ok(()))
    };
    let applied = settlement.cx.db().write(lane::ORDERS, "payment.apply_event", job).await?;
    settlement.cx.mail_written();
    Ok(applied)
}

/// A dispute names what the bank takes back, which may be a part. Where it is the first to tell
/// that money arrived, what arrived is the amount of the intent: those are charged as a whole.
fn of_whole_charge(tx: &mut dyn Tx, report: &ProviderPayment) -> Result<ProviderPayment> {
    let mut report = report.clone();
    if !report.disputes.is_empty()
        && let Some(payment) = store::by_provider_id(tx, Provider::Provider2, &report.id)?
    {
        report.amount = payment.amount;
    }
    Ok(report)
}

fn malformed() -> Error {
    let mut fields = FieldErrors::default();
    fields.add_form(InvalidValue::Payload);
    Error::Invalid(fields)
}

/// Whether an event is the provider's own and was sent just now. While the provider changes its
/// secret there are two of them, and two signatures.
fn verify(event: &SignedEvent, secrets: &[Secret], now: Timestamp) -> Result<()> {
    let refused = || Error::Unauthenticated(Credential::Signature);
    let header = event.signature.as_deref().and_then(Header::parse).ok_or_else(refused)?;
    let (seconds, tolerance) = (header.seconds().ok_or_else(refused)?, TOLERANCE.as_secs());
    if now.seconds().abs_diff(seconds) > tolerance {
        return Err(refused());
    }
    let holds = secrets.iter().any(|secret| header.matches(secret.reveal(), &event.body));
    if holds { Ok(()) } else { Err(refused()) }
}

/// The signature's header, taken apart.
struct Header<'a> {
    t: &'a str,
    v1: Vec<[u8; 32]>,
}

impl<'a> Header<'a> {
    fn parse(header: &'a str) -> Option<Self> {
        let (mut t, mut v1) = (None, Vec::new());
        for pair in header.split(',') {
            let (key, value) = pair.split_once('=')?;
            match key.trim() {
                "t" => t = Some(value.trim()),
                "v1" => v1.extend(<[u8; 32]>::from_hex(value.trim()).ok()),
                _ => {}
            }
        }
        Some(Self { t: t?, v1 })
    }

    fn seconds(&self) -> Option<i64> {
        let digits = self.t.bytes().all(|b| b.is_ascii_digit());
        self.t.parse().ok().filter(|_| digits)
    }

    /// Compares in constant time. The body is passed over once, however many signatures there are:
    /// anybody may send an event.
    fn matches(&self, secret: &str, body: &[u8]) -> bool {
        let mac = mac(secret, self.t, body);
        mac.is_ok_and(|mac| self.v1.iter().any(|v1| mac.is(v1)))
    }
}

fn mac(secret: &str, t: &str, body: &[u8]) -> Result<Mac, InvalidLength> {
    Mac::new(secret.as_bytes(), &[t.as_bytes(), b".", body])
}

/// Signs an event like the provider does, for the sandbox.
pub(super) fn sign(secret: &str, body: &[u8], now: Timestamp) -> String {
    let t = now.seconds().to_string();
    let mac = mac(secret, &t, body).map(Mac::bytes);
    format!("t={t},v1={}", mac.map(hex::encode).unwrap_or_default())
}

/// Why an event tells nothing of a payment.
type Dropped = &'static str;

/// What an event says.
enum Report {
    Payment(Box<ProviderPayment>),
    /// A refund that the provider took came to nothing; both by the provider's ids.
    FailedRefund {
        payment: String,
        refund: String,
    },
}

fn report(event: &Value) -> Result<Report, Dropped> {
    if event["type"] == "refund.failed" {
        return failed_refund(&event["data"]["object"]).ok_or("it names no payment intent");
    }
    payment(event).map(Box::new).map(Report::Payment)
}

/// The same is told as `charge.refund.updated` and `refund.updated`, too.
fn failed_refund(object: &Value) -> Option<Report> {
    let text = |field: &str| object[field].as_str().map(str::to_owned);
    Some(Report::FailedRefund { payment: text("payment_intent")?, refund: text("id")? })
}

/// What an event says about a payment.
fn payment(event: &Value) -> Result<ProviderPayment, Dropped> {
    use ProviderStatus as To;
    let object = &event["data"]["object"];
    let report = match event["type"].as_str().unwrap_or_default() {
        "payment_intent.succeeded" => intent(object, To::Paid, "amount_received"),
        "payment_intent.payment_failed" => intent(object, To::Failed, "amount"),
        "payment_intent.canceled" => intent(object, To::Cancelled, "amount"),
        "payment_intent.processing" => intent(object, To::InProcess, "amount"),
        "payment_intent.requires_action" => intent(object, To::Pending, "amount"),
        "charge.refunded" => refunded(object),
        kind if kind.starts_with("charge.dispute.") => return disputed(object),
        _ => return Err("its type is none of those that payments follow"),
    };
    report.ok_or("it names no payment intent, or no amount")
}

fn refunded(object: &Value) -> Option<ProviderPayment> {
    let whole = object["refunded"] == true;
    let status = if whole { ProviderStatus::Refunded } else { ProviderStatus::Paid };
    let report = of_intent(object, status)?;
    Some(ProviderPayment { refunded: cents(object, "amount_refunded")?, ..report })
}

/// Every event about a dispute has it whole, with how it stands.
fn disputed(object: &Value) -> Result<ProviderPayment, Dropped> {
    let report = of_intent(object, ProviderStatus::ChargedBack)
        .ok_or("it names no payment intent, or no amount")?;
    let dispute = dispute(object, &report.id).ok_or("it is an inquiry, which takes no money")?;
    Ok(ProviderPayment { disputes: vec![dispute], ..report })
}
