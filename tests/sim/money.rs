//! Holds payments and refunds against the provider's own books.

use std::collections::BTreeMap;

use super::action::Action;
use super::bank::Booked;
use super::books::{PaymentRow, RefundRow};
use super::judge::{Step, Verdict, ensure};
use super::model::Model;

impl Step<'_> {
    pub(crate) fn payments(&self, model: &Model) -> Verdict {
        let bank: BTreeMap<String, Booked> =
            self.house.bank.all().into_iter().map(|it| (it.key.clone(), it)).collect();
        for (id, now) in &self.now.payments {
            let wrong = |why: String| format!("payment {id} of {}: {why}", now.order);
            let from = self.before.payments.get(id).map_or("PENDING", |it| it.status.as_str());
            let forward = may_become(from, &now.status);
            ensure(forward, || wrong(format!("{from} -> {}", now.status)))?;
            let known = model.order(&now.order).map(|it| model.orders[it].total);
            let total = known.ok_or_else(|| wrong("of no order".to_owned()))?;
            ensure(now.amount == total || now.captured == now.amount, || wrong("amount".into()))?;
            if now.status == "PAID" {
                ensure(now.captured == total, || wrong(format!("{} captured", now.captured)))?;
            }
            if now.status == "REVIEW" && from != "REVIEW" && from != "CHARGED_BACK" {
                self.doubt(id, now, total).map_err(wrong)?;
            }
            if now.provider != "staff" {
                agrees(now, bank.get(id)).map_err(wrong)?;
            }
        }
        for order in self.now.orders.keys() {
            let of_order = self.now.payments.values().filter(|it| it.order == *order);
            let paid = of_order.filter(|it| it.status == "PAID").count();
            ensure(paid < 2, || format!("{order} is paid {paid} times"))?;
        }
        Ok(())
    }

    /// Money is kept for review only where it does not fit its order.
    fn doubt(&self, id: &str, now: &PaymentRow, total: i64) -> Verdict {
        let others =
            self.now.payments.iter().filter(|(it, row)| *it != id && row.order == now.order);
        let paid = others.into_iter().any(|(_, it)| it.status == "PAID" || it.captured > 0);
        let status = self.before.orders.get(&now.order).map(|it| it.status.as_str());
        let closed = matches!(status, Some("CANCELLED" | "REFUNDED"))
            || self.now.orders[&now.order].history.iter().any(|(to, _)| to == "CANCELLED");
        ensure(now.captured != total || paid || closed, || "under review without a doubt".into())
    }

    /// Each refund that the provider made was asked for, and each that is done was made.
    pub(crate) fn refunds(&self, model: &Model) -> Verdict {
        let mut made: BTreeMap<String, i64> = BTreeMap::new();
        for booked in self.house.bank.all() {
            for (id, amount) in &booked.refunds {
                made.insert(id.to_string(), amount.cents());
                let row = self.now.refunds.get(id.as_str());
                ensure(row.is_some_and(|it| it.amount == amount.cents()), || {
                    format!(
                        "the provider gave {} back for {id}, the shop has {row:?}",
                        amount.cents()
                    )
                })?;
            }
            let of_payment = self.now.refunds.iter().filter(|(_, it)| it.payment == booked.key);
            // Where the provider gave back by itself what an open refund asks for, the shop cannot
            // tell the two apart: it takes the refund for done, and asks nobody to pay a second
            // time.
            let own: i64 = of_payment
                .filter(|(id, it)| {
                    it.origin == "PROVIDER" || (is_done(it) && !made.contains_key(*id))
                })
                .map(|(_, it)| it.amount)
                .sum();
            let by_hand = booked.by_hand.cents();
            ensure(own <= by_hand, || {
                format!("{own} booked as given back by hand, not {by_hand}")
            })?;
        }
        let new = |id: &&String| !self.before.refunds.contains_key(*id);
        let asked = self.now.refunds.iter().filter(|(id, it)| it.origin == "SHOP" && new(id));
        let may = match self.action {
            Action::Refund { .. } | Action::RefundReturn { .. } => true,
            Action::RefundAgain(nth) => !model.refunds[*nth].made,
            _ => false,
        };
        let asked = asked.count();
        ensure(asked <= usize::from(may), || format!("{asked} refunds that nobody asked for"))?;
        for (id, row) in self.now.refunds.iter().filter(|(_, it)| it.origin == "SHOP") {
            let staff = self.now.payments[&row.payment].provider == "staff";
            let by_hand = || {
                self.house
                    .bank
                    .all()
                    .iter()
                    .any(|it| it.key == row.payment && it.by_hand.cents() > 0)
            };
            let made = made.contains_key(id);
            match row.status.as_str() {
                _ if staff => {}
                "DONE" => ensure(made || by_hand(), || format!("refund {id} was not made"))?,
                "FAILED" => ensure(!made, || format!("refund {id} was made"))?,
                _ => {}
            }
        }
        Ok(())
    }
}

/// Whether the shop took it for made.
fn is_done(refund: &RefundRow) -> bool {
    refund.origin == "SHOP" && refund.status == "DONE"
}

/// Where a payment may move; also several steps at once.
fn may_become(from: &str, to: &str) -> bool {
    let has_money = ["PAID", "REVIEW", "REFUNDED", "CHARGED_BACK"];
    from == to
        || match from {
            "PENDING" => true,
            "FAILED" => to == "CANCELLED" || has_money.contains(&to),
            "EXPIRED" | "CANCELLED" => has_money.contains(&to),
            "PAID" | "REVIEW" => matches!(to, "REFUNDED" | "CHARGED_BACK"),
            _ => false,
        }
}

/// Whether the shop claims no more of a payment than its provider knows.
fn agrees(now: &PaymentRow, bank: Option<&Booked>) -> Verdict {
    let Some(bank) = bank else {
        return ensure(now.captured == 0, || "money that no provider has".to_owned());
    };
    let amount = bank.payment.amount.cents();
    let captured = now.captured == 0 || (bank.has_money() && now.captured == amount);
    ensure(captured, || format!("{} captured, the provider has {amount}", now.captured))?;
    let back = bank.refunded().cents();
    ensure(now.refunded <= back, || {
        format!("{} refunded, the provider gave {back}", now.refunded)
    })?;
    ensure(now.refunded <= now.captured, || "more refunded than captured".to_owned())?;
    ensure(now.charged_back == 0 || bank.charged_back, || "charged back by nobody".to_owned())?;
    match &now.at_provider {
        Some(id) => ensure(*id == bank.payment.id, || format!("it goes by {id}")),
        None => ensure(now.captured == 0, || "captured without a name".to_owned()),
    }
}
