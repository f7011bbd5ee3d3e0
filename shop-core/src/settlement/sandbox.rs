//! The sandbox for tests and demonstrations: it simulates the payer and the providers' notices.

use serde_json::json;

use super::{Payments, ProviderNotice, Settlement, SignedEvent, notice, signed_event};
use crate::config::Secret;
use crate::error::{Entity, Error, Result};
use crate::id::PaymentId;
use crate::lane;
use crate::order::{self, Order};
use crate::payment::provider::{ProviderPayment, ProviderStatus};
use crate::payment::sandbox_store as store;
use crate::payment::{PaymentMethod, PaymentStatus, store as payment_store};
use crate::storage::Tx;

/// The sandbox, which simulates the payer.
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// let order = shop.order().await?;
/// shop.payments().create_pix(&order.user_id, &order.id, None).await?;
/// let paid = shop.sandbox().pay(&order.order_number).await?;
/// assert_eq!(paid.status.as_str(), "PROCESSING");
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Sandbox<'a> {
    settlement: &'a Settlement,
}

impl<'a> Sandbox<'a> {
    pub(crate) fn new(settlement: &'a Settlement) -> Self {
        Self { settlement }
    }

    /// Pays an order's latest open attempt, as its customer would: a PIX code, a card under review
    /// or a payment intent. Then hands the shop the signed notice that the provider would send. A
    /// PIX code is made first where nothing is open.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown order or one whose payment is with a real provider, and
    /// what [`crate::settlement::Payments::create_pix`] refuses.
    ///
    /// Cancel safe: each step is one transaction, and a repeat goes on from there.
    pub async fn pay(&self, order_number: &str) -> Result<Order> {
        let number = order_number.to_owned();
        let find = move |tx: &mut dyn Tx| order::find_by_number(tx, &number);
        let order = self.settlement.cx.db().read("sandbox.order", find).await?;
        let order = order.ok_or(Error::NotFound(Entity::Order))?;
        let open = self.open_attempt(&order).await?;
        let payments = Payments::new(self.settlement);
        match open {
            Some((id, PaymentMethod::PaymentIntent)) => {
                payments.receive_event(self.complete_intent(&id).await?).await?;
            }
            Some((id, PaymentMethod::CreditCard)) => {
                payments.receive_notice(self.settle(&id).await?).await?;
            }
            _ => {
                let charge = payments.create_pix(&order.user_id, &order.id, None).await?;
                payments.receive_notice(self.settle(&charge.payment_id).await?).await?;
            }
        }
        let id = order.id;
        let order =
            self.settlement.cx.db().read("sandbox.paid", move |tx| order::find(tx, &id)).await?;
        order.ok_or(Error::NotFound(Entity::Order))
    }

    /// The latest attempt of an order that waits to be paid.
    async fn open_attempt(&self, order: &Order) -> Result<Option<(PaymentId, PaymentMethod)>> {
        if order.is_paid() || !order.status.holds_stock() {
            return Ok(None);
        }
        let id = order.id.clone();
        let attempts = self
            .settlement
            .cx
            .db()
            .lookup("sandbox.open", move |tx| payment_store::of_order(tx, &id))
            .await?;
        let mut open = attempts.into_iter().rev().filter(|attempt| {
            let tried = attempt.method == PaymentMethod::PaymentIntent
                && attempt.status == PaymentStatus::Failed;
            attempt.provider_payment_id.is_some()
                && (tried || attempt.status == PaymentStatus::Pending)
        });
        Ok(open.next().map(|attempt| (attempt.id, attempt.method)))
    }

    /// Lets the money of a PIX code or a card arrive at the provider, and returns the signed notice
    /// about it without delivering it. For tests of lost, late and repeated notices.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a payment that the sandbox does not know.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn settle(&self, payment: &PaymentId) -> Result<ProviderNotice> {
        let id = self.arrive(payment).await?.id;
        let request_id = format!("sandbox-{id}");
        let secret = first(&self.settlement.providers.provider1_secrets);
        let signature = notice::sign(secret, &id, &request_id, self.settlement.cx.now());
        Ok(ProviderNotice {
            data_id: Some(id),
            request_id: Some(request_id),
            signature: Some(signature),
            kind: None,
        })
    }

    /// Lets the money of a payment intent arrive at the provider, and returns the signed event
    /// about it without delivering it.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a payment that the sandbox does not know.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn complete_intent(&self, payment: &PaymentId) -> Result<SignedEvent> {
        if self.settlement.cx.config().payments.provider2.secret_key.is_some() {
            return Err(Error::NotFound(Entity::Payment));
        }
        let report = self.arrive(payment).await?;
        let body = succeeded(&report, self.settlement.cx.now().seconds()).to_string().into_bytes();
        let secret = first(&self.settlement.providers.provider2_secrets);
        let signature = Some(signed_event::sign(secret, &body, self.settlement.cx.now()));
        Ok(SignedEvent { signature, body })
    }

    async fn arrive(&self, payment: &PaymentId) -> Result<ProviderPayment> {
        let (key, now) = (payment.clone(), self.settlement.cx.now());
        let job = move |tx: &mut dyn Tx| {
            if store::settle(tx, &key)? { store::by_key(tx, &key, now) } else { Ok(None) }
        };
        let report =
            self.settlement.cx.db().write(lane::INTEGRATIONS, "sandbox.settle", job).await?;
        report
            .filter(|report| report.status != ProviderStatus::Pending)
            .ok_or(Error::NotFound(Entity::Payment))
    }
}

/// What the sandbox signs with.
fn first(secrets: &[Secret]) -> &str {
    secrets.first().map_or("", Secret::reveal)
}

/// An event as provider2 writes it.
fn succeeded(report: &ProviderPayment, created: i64) -> serde_json::Value {
    let amount = report.amount.cents();
    json!({
        "id": format!("evt_{}", report.id), "object": "event", "created": created,
        "type": "payment_intent.succeeded", "livemode": false,
        "data": { "object": {
            "id": report.id, "object": "payment_intent", "amount": amount, "amount_received": amount,
            "currency": "brl", "status": "succeeded", "last_payment_error": null,
            "metadata": { "payment_id": report.attempt, "order_number": report.reference },
        } },
    })
}
