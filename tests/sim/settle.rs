//! The end of a life: everything works again, and nothing is left open.

use std::time::Duration;

use shop_core::payment::PaymentMethod;

use super::action::Action;
use super::faults::Plan;
use super::house::Moods;
use super::judge::{Verdict, ensure};
use super::papers;
use super::run::Life;

impl Life {
    /// Everything works again, and what was left open is done: then nothing is unknown. A statement
    /// that is to fail still may, as long as what it kept from being done is tried again.
    pub(super) fn settle(&mut self) -> Verdict {
        self.tell("from now on everything works");
        for payment in self.house.bank.notices() {
            let is_intent = self.house.bank.is_intent(&payment);
            let told =
                if is_intent { Action::Event { payment } } else { Action::Notice { payment } };
            self.calm(&told, Plan::Failing)?;
        }
        for _ in 0..8 {
            self.house.clock.advance(Duration::from_secs(3 * 3600));
            self.calm(&Action::RunDue, Plan::Failing)?;
        }
        for plan in [Plan::Failing, Plan::Nothing] {
            for order in 0..self.model.orders.len() {
                self.calm(&Action::Reconcile { order }, plan)?;
            }
        }
        self.calm(&Action::RunDue, Plan::Nothing)?;
        self.restart()?;
        self.nothing_is_open()
    }

    fn calm(&mut self, action: &Action, plan: Plan) -> Verdict {
        self.house.set(Moods::default());
        let outcome = self.call(action, plan, None);
        self.judge(action, &outcome)
    }

    /// Money in is money out and money held, on both sides.
    fn nothing_is_open(&self) -> Verdict {
        for booked in self.house.bank.all().iter().filter(|it| it.has_money()) {
            let wrong = |why: String| format!("payment {}: {why}", booked.key);
            let row = self.books.payments.get(&booked.key);
            let row = row.ok_or_else(|| wrong("the shop does not know it".to_owned()))?;
            let (amount, back) = (booked.payment.amount.cents(), booked.refunded().cents());
            ensure(row.captured == amount, || wrong(format!("{row:?} of {amount}")))?;
            let is_intent = booked.payment.method == PaymentMethod::PaymentIntent;
            // Of a refund made elsewhere only its notice or event tells.
            ensure(row.refunded == back || is_intent, || {
                wrong(format!("{row:?}, {back} went back"))
            })?;
            let lost = row.charged_back > 0;
            ensure(lost == booked.charged_back || is_intent, || wrong(format!("lost: {lost}")))?;
        }
        let open = self.books.refunds.iter().find(|(_, it)| it.status == "PENDING");
        ensure(open.is_none(), || format!("refund {open:?} is still open"))?;
        papers::nothing_is_open(&self.books, &self.house.office)?;
        ensure(self.books.unsent == 0, || format!("{} mails wait", self.books.unsent))
    }
}
