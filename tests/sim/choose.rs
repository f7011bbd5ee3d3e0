//! What happens next: drawn from the seed among what is possible in the model.

use super::action::{Action, Placement};
use super::bank::Bank;
use super::books::Books;
use super::carrier::OPTION;
use super::model::{Model, Product};
use super::rng::Rng;

/// For how long keys are used again; the shop forgets them after a day.
const KEYS_STAY: i64 = 20 * 3_600_000;

/// What happens outside of the shop.
#[derive(Debug, Clone)]
pub(crate) enum Happens {
    Asked(Action),
    /// The payer pays a payment that is open at its provider.
    PayerPays(String),
    RefundByHand(String, i64),
    ChargeBack(String),
    /// So many minutes go by.
    TimePasses(u64),
    /// The program is ended in good order and started again.
    Restart,
}

/// A draw.
pub(crate) struct Draw<'a> {
    pub(crate) rng: &'a mut Rng,
    pub(crate) model: &'a Model,
    pub(crate) books: &'a Books,
    pub(crate) bank: &'a Bank,
    /// The number of the step, for names that nothing has.
    pub(crate) step: usize,
    pub(crate) time: i64,
}

impl Draw<'_> {
    /// The next thing; tries again where what was drawn is not possible.
    pub(crate) fn next(&mut self) -> Happens {
        loop {
            let drawn = match self.rng.below(100) {
                0..=24 => self.shop(),
                25..=49 => self.pay(),
                50..=64 => self.staff(),
                65..=74 => self.refund(),
                75..=84 => self.provider(),
                85..=89 => Some(Happens::Asked(Action::RunDue)),
                90..=94 => self.invoice(),
                95..=97 => Some(self.time()),
                _ => Some(Happens::Restart),
            };
            if let Some(drawn) = drawn {
                return drawn;
            }
        }
    }

    fn customer(&mut self) -> usize {
        self.rng.below(self.model.customers.len())
    }

    fn product(&mut self) -> usize {
        self.rng.below(self.model.products.len())
    }

    /// An order, the later ones more often.
    fn order(&mut self) -> Option<usize> {
        let orders = self.model.orders.len();
        let last = self.rng.below(orders.clamp(1, 4)) + 1;
        match orders {
            0 => None,
            _ if self.rng.chance(60) => Some(orders - last),
            _ => Some(self.rng.below(orders)),
        }
    }

    fn shop(&mut self) -> Option<Happens> {
        let customer = self.customer();
        let action = match self.rng.below(10) {
            0..=2 => {
                let (product, units) = (self.product(), self.rng.between(1, 3));
                Action::AddToCart { customer, product, units }
            }
            3 if self.rng.chance(30) => Action::ClearCart { customer },
            4 => {
                let young = |nth: &usize| self.time - self.model.keyed[*nth].2 < KEYS_STAY;
                let young: Vec<usize> = (0..self.model.keyed.len()).filter(young).collect();
                Action::PlaceAgain(*self.rng.pick(&young)?)
            }
            _ => Action::Place(self.placement(customer)),
        };
        Some(Happens::Asked(action))
    }

    fn placement(&mut self, customer: usize) -> Placement {
        let lines = (0..=self.rng.below(3)).map(|_| (self.product(), self.rng.between(1, 4)));
        let lines = lines.collect();
        let from_cart = self.rng.chance(25);
        let coupons = self.model.coupons.len();
        let coupon = self.rng.chance(50).then(|| self.rng.below(coupons));
        let keyed = !from_cart && self.rng.chance(50);
        let key = keyed.then(|| format!("order-key-{:08}", self.step));
        let option = match self.rng.below(10) {
            0..=5 => None,
            6 => Some("sim-2"),
            _ => Some(OPTION),
        };
        Placement { customer, lines, from_cart, coupon, key, option }
    }

    fn pay(&mut self) -> Option<Happens> {
        let order = self.order()?;
        let action = match self.rng.below(12) {
            0..=2 => Action::Pix { order },
            3..=5 => {
                let kind = self.rng.pick(&["good", "good", "slow", "bad", "none"])?;
                // The same token now and then, as a form that is sent twice.
                let nth = if self.rng.chance(30) { 0 } else { self.step };
                Action::Card { order, token: format!("{kind}-{nth}") }
            }
            6 => Action::Intent { order },
            7 if self.rng.chance(30) => Action::Record { order },
            8 if self.rng.chance(50) => Action::Cancel { order },
            _ => return self.payer(),
        };
        Some(Happens::Asked(action))
    }

    fn payer(&mut self) -> Option<Happens> {
        let open = self.bank.all().into_iter().filter(|it| !it.has_money());
        let open: Vec<String> = open.map(|it| it.payment.id).collect();
        self.rng.pick(&open).cloned().map(Happens::PayerPays)
    }

    fn staff(&mut self) -> Option<Happens> {
        let (product, units) = (self.product(), self.rng.between(0, 12));
        let action = match self.rng.below(12) {
            0 => Action::SetStock { product, units },
            1 => Action::CountStock { product, units },
            2 => Action::ChangeStock { product, by: self.rng.between(-4, 6) },
            3 => {
                let items = (0..self.model.products.len()).map(|it| (it, self.rng.between(0, 12)));
                Action::SyncStock { items: items.collect() }
            }
            4 => {
                let Product { price, .. } = self.model.products[product];
                let price = if self.rng.chance(50) { self.rng.between(100, 9_000) } else { price };
                Action::EditProduct { product, price, active: self.rng.chance(80) }
            }
            5 => Action::Suspend { customer: self.customer(), active: self.rng.chance(60) },
            6 => {
                let coupon = self.rng.below(self.model.coupons.len());
                Action::SwitchCoupon { coupon, active: self.rng.chance(70) }
            }
            7 => self.returned()?,
            _ => self.status()?,
        };
        Some(Happens::Asked(action))
    }

    fn status(&mut self) -> Option<Action> {
        let order = self.order()?;
        let any = ["PENDING", "PROCESSING", "SHIPPED", "DELIVERED", "CANCELLED", "REFUNDED"];
        let next = match self.model.orders[order].status.as_str() {
            "PROCESSING" => "SHIPPED",
            "SHIPPED" => "DELIVERED",
            _ => "CANCELLED",
        };
        let to = if self.rng.chance(70) { next } else { *self.rng.pick(&any)? };
        Some(Action::SetStatus { order, to })
    }

    fn returned(&mut self) -> Option<Action> {
        let returns = self.model.returns.len();
        if returns == 0 || self.rng.chance(30) {
            let order = self.order()?;
            return Some(Action::AskReturn { order, units: self.rng.between(1, 2) });
        }
        let place = self.rng.below(returns);
        match self.rng.below(2) {
            0 => Some(Action::Receive { place, restock: self.rng.between(0, 2) }),
            _ => Some(Action::RefundReturn { place }),
        }
    }

    fn refund(&mut self) -> Option<Happens> {
        // By the orders' places: the ids of payments are not the seed's.
        let with_money = |place: &usize| {
            let id = &self.model.orders[*place].id;
            let mut all = self.books.payments.values();
            all.any(|it| it.order == *id && it.captured > it.refunded)
        };
        let paid: Vec<usize> = (0..self.model.orders.len()).filter(with_money).collect();
        let action = match self.rng.below(6) {
            0 => {
                let young = |nth: &usize| self.time - self.model.refunds[*nth].at < KEYS_STAY;
                let young: Vec<usize> = (0..self.model.refunds.len()).filter(young).collect();
                Action::RefundAgain(*self.rng.pick(&young)?)
            }
            1 | 2 => self.returned()?,
            _ => {
                let order = *self.rng.pick(&paid)?;
                let part = self.rng.between(1, 2_000);
                let amount = self.rng.chance(70).then_some(part);
                Action::Refund { order, amount, key: format!("refund-key-{:08}", self.step) }
            }
        };
        Some(Happens::Asked(action))
    }

    fn invoice(&mut self) -> Option<Happens> {
        let kind = self.rng.below(10);
        let order = if self.rng.chance(80) { self.order_for_invoice(kind)? } else { self.order()? };
        Some(Happens::Asked(match kind {
            0..=4 => Action::Invoice { order },
            5..=7 => Action::CancelInvoice { order },
            _ => Action::GiveUpInvoice { order },
        }))
    }

    /// An order that may have an invoice, or whose invoice may be withdrawn.
    fn order_for_invoice(&mut self, kind: usize) -> Option<usize> {
        let suits = |place: &usize| {
            let order = &self.model.orders[*place];
            let mut own = self.books.invoices.values().filter(|it| it.order == order.id);
            match kind {
                0..=4 => order.is_revenue(),
                5..=7 => own.any(|it| it.status == "AUTHORIZED"),
                _ => own.any(|it| it.status != "AUTHORIZED"),
            }
        };
        let suiting: Vec<usize> = (0..self.model.orders.len()).filter(suits).collect();
        self.rng.pick(&suiting).copied()
    }

    fn provider(&mut self) -> Option<Happens> {
        let notices = self.bank.notices();
        let payment = self.rng.pick(&notices)?.clone();
        let is_intent = self.bank.is_intent(&payment);
        Some(match self.rng.below(12) {
            0 => Happens::RefundByHand(payment, self.rng.between(1, 1_000)),
            1 if self.rng.chance(30) => Happens::ChargeBack(payment),
            2 => Happens::Asked(Action::ForgedNotice { payment }),
            3 | 4 => Happens::Asked(Action::Reconcile { order: self.order()? }),
            _ if is_intent => Happens::Asked(Action::Event { payment }),
            _ => Happens::Asked(Action::Notice { payment }),
        })
    }

    fn time(&mut self) -> Happens {
        Happens::TimePasses(match self.rng.below(10) {
            0..=3 => 1 + self.rng.below(10) as u64,
            4..=6 => 10 + self.rng.below(120) as u64,
            7 | 8 => 60 * (2 + self.rng.below(30) as u64),
            _ => 60 * 24 * (1 + self.rng.below(6) as u64),
        })
    }
}
