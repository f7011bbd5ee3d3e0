//! A payment provider inside the shop, so that one can be built, demonstrated and tested without
//! any account anywhere. What it knows is in the shop's own database, but behind the same port as
//! a real provider: nothing else in the library knows that it is not one.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::br_code::BrCode;
use super::notice::{self, ProviderNotice};
use super::provider::{PaymentProvider, PixRequest, ProviderPayment, ProviderStatus};
use crate::clock::{Clock, Timestamp};
use crate::config::PixConfig;
use crate::error::{Entity, Error, Result};
use crate::id::PaymentId;
use crate::order::{self, Order};
use crate::shop::Shop;
use crate::storage::{Db, Row, Tx};

/// The sandbox as a provider: what the shop sees of it.
pub(crate) struct SandboxProvider {
    db: Db,
    clock: Arc<dyn Clock>,
    receiver: PixConfig,
}

impl SandboxProvider {
    pub(crate) fn new(db: Db, clock: Arc<dyn Clock>, receiver: PixConfig) -> Self {
        Self { db, clock, receiver }
    }
}

impl PaymentProvider for SandboxProvider {
    fn create_pix(&self, request: PixRequest) -> BoxFuture<'_, Result<ProviderPayment>> {
        let txid = txid(&request.payment);
        let code = BrCode::new(&self.receiver, request.amount, &txid).to_string();
        let now = self.clock.now();
        Box::pin(self.db.write("sandbox.create_pix", move |tx| {
            insert(tx, &request, &code, now)?;
            find_by_key(tx, &request.payment, now)?.ok_or(Error::NotFound(Entity::Payment))
        }))
    }

    fn fetch<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<ProviderPayment>>> {
        let (id, now) = (id.parse::<i64>().ok(), self.clock.now());
        Box::pin(self.db.lookup("sandbox.fetch", move |tx| match id {
            Some(id) => find(tx, id, now),
            None => Ok(None),
        }))
    }
}

/// A transaction id that no other payment has: the payment's id in base 36, which fits the code's
/// 25 letters and digits.
fn txid(payment: &PaymentId) -> String {
    let hex: String = payment.as_str().chars().filter(|c| *c != '-').collect();
    let mut rest = u128::from_str_radix(&hex, 16).unwrap_or_default();
    let mut txid = [b'0'; 25];
    for digit in txid.iter_mut().rev() {
        *digit = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(rest % 36) as usize];
        rest /= 36;
    }
    txid.iter().map(|byte| char::from(*byte)).collect()
}

/// The sandbox as its user sees it: here one plays the payer.
#[derive(Debug, Clone, Copy)]
pub struct Sandbox<'a> {
    shop: &'a Shop,
}

impl<'a> Sandbox<'a> {
    pub(crate) fn new(shop: &'a Shop) -> Self {
        Self { shop }
    }

    /// Pays an order's open PIX code, as its customer would, and hands the shop the signed notice
    /// that a provider would send. A code is made first where there is none.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown order, and what [`super::Payments::create_pix`] refuses.
    pub async fn pay(&self, order_number: &str) -> Result<Order> {
        let order = self.shop.orders().get_by_number(order_number).await?;
        let charge = self.shop.payments().create_pix(&order.user_id, &order.id, None).await?;
        let notice = self.settle(&charge.payment_id).await?;
        self.shop.payments().receive_notice(notice).await?;
        let id = order.id;
        let order = self.shop.db().lookup("sandbox.paid", move |tx| order::find(tx, &id)).await?;
        order.ok_or(Error::NotFound(Entity::Order))
    }

    /// Lets the money of one payment arrive at the provider, and returns the signed notice about
    /// it without delivering it. For tests of lost, late and repeated notices.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a payment that the sandbox does not know.
    pub async fn settle(&self, payment: &PaymentId) -> Result<ProviderNotice> {
        let key = payment.clone();
        let id = self
            .shop
            .db()
            .write("sandbox.settle", move |tx| settle(tx, &key))
            .await?
            .ok_or(Error::NotFound(Entity::Payment))?;
        let (data_id, request_id) = (id.to_string(), format!("sandbox-{id}"));
        let secret = self.shop.provider1_secret();
        let signature = notice::sign(secret, &data_id, &request_id, self.shop.now());
        Ok(ProviderNotice {
            data_id: Some(data_id),
            request_id: Some(request_id),
            signature: Some(signature),
        })
    }
}

fn insert(tx: &mut dyn Tx, request: &PixRequest, code: &str, now: Timestamp) -> Result<()> {
    tx.execute(
        "INSERT INTO sandbox_payment
           (idempotency_key, status, amount, reference, pix_code, expires_at, created_at)
         VALUES ($1, 'pending', $2, $3, $4, $5, $6) ON CONFLICT (idempotency_key) DO NOTHING",
        &[
            (&request.payment).into(),
            request.amount.into(),
            (&request.order_number).into(),
            code.into(),
            request.expires_at.into(),
            now.into(),
        ],
    )?;
    Ok(())
}

/// The columns of a sandbox payment, for [`read`].
macro_rules! select_sandbox_payment {
    ($tail:literal) => {
        concat!(
            "SELECT id, idempotency_key, status, amount, pix_code, expires_at
             FROM sandbox_payment ",
            $tail
        )
    };
}

fn find(tx: &mut dyn Tx, id: i64, now: Timestamp) -> Result<Option<ProviderPayment>> {
    tx.one(select_sandbox_payment!("WHERE id = $1"), &[id.into()], |row| read(row, now))
}

fn find_by_key(
    tx: &mut dyn Tx,
    key: &PaymentId,
    now: Timestamp,
) -> Result<Option<ProviderPayment>> {
    tx.one(select_sandbox_payment!("WHERE idempotency_key = $1"), &[key.into()], |row| {
        read(row, now)
    })
}

fn read(row: &dyn Row, now: Timestamp) -> Result<ProviderPayment> {
    let expires_at: Timestamp = row.get(5)?;
    let status = match row.text(2)? {
        Some("approved") => ProviderStatus::Paid,
        _ if expires_at <= now => ProviderStatus::Expired,
        _ => ProviderStatus::Pending,
    };
    Ok(ProviderPayment {
        id: row.get::<i64>(0)?.to_string(),
        attempt: Some(row.get(1)?),
        status,
        amount: row.get(3)?,
        currency: "BRL".to_owned(),
        pix_code: Some(row.get(4)?),
        expires_at: Some(expires_at),
    })
}

fn settle(tx: &mut dyn Tx, key: &PaymentId) -> Result<Option<i64>> {
    tx.one(
        "UPDATE sandbox_payment SET status = 'approved' WHERE idempotency_key = $1 RETURNING id",
        &[key.into()],
        |row| row.get(0),
    )
}
