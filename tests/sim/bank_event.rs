//! What provider2 tells the shop by itself.

use serde_json::json;
use shop_core::payment::ProviderStatus;

use super::bank::Bank;

impl Bank {
    /// An event of provider2 about a payment as it is now.
    pub(crate) fn event(&self, id: &str) -> Option<serde_json::Value> {
        let booked = self.all().into_iter().find(|it| it.payment.id == id)?;
        let (amount, back) = (booked.payment.amount.cents(), booked.refunded().cents());
        let (kind, object) = if back > 0 {
            let object = json!({
                "object": "charge", "payment_intent": id, "amount": amount, "currency": "brl",
                "amount_refunded": back, "refunded": back == amount,
            });
            ("charge.refunded", object)
        } else if booked.has_money() {
            let object = json!({
                "id": id, "object": "payment_intent", "amount": amount, "amount_received": amount,
                "currency": "brl", "status": "succeeded",
                "metadata": {
                    "payment_id": booked.key, "order_number": booked.payment.reference,
                },
            });
            ("payment_intent.succeeded", object)
        } else {
            let kind = match booked.payment.status {
                ProviderStatus::Failed => "payment_intent.payment_failed",
                ProviderStatus::Cancelled => "payment_intent.canceled",
                _ => return None,
            };
            let object = json!({
                "id": id, "object": "payment_intent", "amount": amount, "currency": "brl",
                "metadata": {
                    "payment_id": booked.key, "order_number": booked.payment.reference,
                },
            });
            (kind, object)
        };
        let event = format!("evt_{id}_{kind}_{back}");
        Some(json!({ "id": event, "object": "event", "type": kind, "data": { "object": object } }))
    }
}
