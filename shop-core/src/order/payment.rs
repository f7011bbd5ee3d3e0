//! How an order is paid: what its payments together say.

use serde::{Deserialize, Deserializer};

use super::Order;
use crate::money::Money;
use crate::payment::{PaymentMethod, PaymentStatus};

/// How an order is paid.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct OrderPayment {
    /// By what; `null` before the first attempt, and of an order of R$ 0,00, which needs none.
    pub method: Option<PaymentMethod>,
    /// How far the payment is.
    pub status: PaymentStatus,
}

impl OrderPayment {
    /// The payment of an order of this total before the first attempt to pay it: one of nothing is
    /// paid.
    pub(crate) fn before_any(total: Money) -> Self {
        let free = total == Money::ZERO;
        let status = if free { PaymentStatus::Paid } else { PaymentStatus::Pending };
        Self { method: None, status }
    }

    /// Reads what earlier versions kept in mails, events and remembered answers, where `null` was
    /// an order before its first attempt.
    pub(crate) fn or_before_any<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Self, D::Error> {
        let kept = Option::<Self>::deserialize(deserializer)?;
        Ok(kept.unwrap_or(Self { method: None, status: PaymentStatus::Pending }))
    }

    /// Replaces the state by that of a later payment of at least the same weight.
    pub(crate) fn follow(&mut self, method: PaymentMethod, status: PaymentStatus) {
        if weight(status) >= weight(self.status) {
            *self = Self { method: Some(method), status };
        }
    }
}

impl Order {
    /// Whether a payment has paid it. Its status says nothing about that: staff may set any.
    pub fn is_paid(&self) -> bool {
        self.payment.status == PaymentStatus::Paid
    }
}

/// Which of an order's payments stands for it: the one that paid it before money that is gone
/// again, that before money under review, and that before an attempt.
fn weight(status: PaymentStatus) -> u8 {
    match status {
        PaymentStatus::Paid => 3,
        PaymentStatus::Refunded | PaymentStatus::ChargedBack => 2,
        PaymentStatus::Review => 1,
        PaymentStatus::Pending
        | PaymentStatus::Failed
        | PaymentStatus::Expired
        | PaymentStatus::Cancelled => 0,
    }
}
