//! The shop as it should be, in plain maps, written down independently of the shop's own code.

use std::collections::{BTreeMap, BTreeSet};

use shop_core::id::{AccountId, AddressId, CouponId, ProductId};

use super::action::{Action, Placement};
use super::books::OrderRow;
use super::carrier::OPTION;
use super::house::{FREE_FROM, FREIGHT};

/// How many orders of one customer may await payment at a time.
pub(crate) const MAX_OPEN: usize = 3;

#[derive(Debug, Clone)]
pub(crate) struct Product {
    pub(crate) id: ProductId,
    pub(crate) sku: String,
    pub(crate) price: i64,
    pub(crate) active: bool,
    /// Units that are for sale.
    pub(crate) shelf: i64,
}

#[derive(Debug, Clone)]
pub(crate) enum Off {
    Percent(i64),
    Cents(i64),
}

#[derive(Debug, Clone)]
pub(crate) struct Coupon {
    pub(crate) id: CouponId,
    pub(crate) code: String,
    pub(crate) off: Off,
    pub(crate) min: i64,
    pub(crate) max_uses: usize,
    pub(crate) active: bool,
    /// The orders that use it.
    pub(crate) uses: BTreeSet<String>,
}

impl Coupon {
    fn holds(&self, subtotal: i64) -> bool {
        self.active && self.uses.len() < self.max_uses && subtotal >= self.min
    }

    fn discount(&self, subtotal: i64) -> i64 {
        let off = match self.off {
            Off::Percent(percent) => (subtotal * percent + 50) / 100,
            Off::Cents(cents) => cents,
        };
        off.min(subtotal)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Customer {
    pub(crate) id: AccountId,
    pub(crate) address: AddressId,
    pub(crate) active: bool,
    /// Units by product.
    pub(crate) cart: BTreeMap<usize, i64>,
}

/// An order, as far as the model knows more than the shop says.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    pub(crate) id: String,
    pub(crate) number: String,
    pub(crate) customer: usize,
    /// Product, units, price of one.
    pub(crate) lines: Vec<(usize, i64, i64)>,
    pub(crate) coupon: Option<usize>,
    pub(crate) total: i64,
    pub(crate) created_at: i64,
    pub(crate) status: String,
    /// Who moved it last.
    pub(crate) moved_by: String,
    /// Moves of its history that were followed.
    pub(crate) moves: usize,
    /// Units of each line that it gave back when it was closed.
    pub(crate) shelved: Vec<i64>,
    /// Whether a payment ever paid it.
    pub(crate) was_paid: bool,
}

impl Order {
    pub(crate) fn holds_stock(status: &str) -> bool {
        !matches!(status, "CANCELLED" | "REFUNDED")
    }

    pub(crate) fn is_revenue(&self) -> bool {
        matches!(self.status.as_str(), "PROCESSING" | "SHIPPED" | "DELIVERED")
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    pub(crate) products: Vec<Product>,
    pub(crate) coupons: Vec<Coupon>,
    pub(crate) customers: Vec<Customer>,
    pub(crate) orders: Vec<Order>,
    /// Orders with an idempotency key, what became of them, and when.
    pub(crate) keyed: Vec<(Placement, Option<String>, i64)>,
    /// Returns, in the order in which they were opened.
    pub(crate) returns: Vec<String>,
    /// Refunds that staff asked for, each with a key.
    pub(crate) refunds: Vec<Asked>,
}

/// A refund that staff asked for.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) order: usize,
    pub(crate) amount: Option<i64>,
    pub(crate) key: String,
    /// Whether it is known to be written down.
    pub(crate) made: bool,
    pub(crate) at: i64,
}

/// What an order's goods come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) subtotal: i64,
    pub(crate) discount: i64,
}

impl Totals {
    /// Whether sending them may cost this, where the carrier may have told that price, and was to
    /// be had.
    pub(crate) fn may_cost(
        &self,
        freight: i64,
        wants: Option<&str>,
        told: bool,
        well: bool,
    ) -> bool {
        match wants {
            _ if self.subtotal >= FREE_FROM => freight == 0,
            None => told || (freight == FREIGHT && !well),
            Some(_) => told,
        }
    }
}

impl Model {
    pub(crate) fn lines(&self, placement: &Placement) -> Vec<(usize, i64, i64)> {
        let mut units = BTreeMap::new();
        for (product, n) in &placement.lines {
            *units.entry(*product).or_insert(0) += n;
        }
        if placement.from_cart {
            units.clone_from(&self.customers[placement.customer].cart);
        }
        units.into_iter().map(|(it, n)| (it, n, self.products[it].price)).collect()
    }

    /// What the shop must answer to an order: its totals, or why it is refused.
    pub(crate) fn expect(&self, placement: &Placement) -> Result<Totals, &'static str> {
        let lines = self.lines(placement);
        if lines.is_empty() {
            return Err("empty cart");
        }
        if !self.customers[placement.customer].active {
            return Err("the customer is suspended");
        }
        if lines.iter().any(|(it, ..)| !self.products[*it].active) {
            return Err("off sale");
        }
        let subtotal = lines.iter().map(|(_, n, price)| n * price).sum();
        let coupon = placement.coupon.map(|it| &self.coupons[it]);
        if coupon.is_some_and(|it| !it.holds(subtotal)) {
            return Err("the coupon does not hold");
        }
        if lines.iter().any(|(it, n, _)| *n > self.products[*it].shelf) {
            return Err("too few units");
        }
        let open = |it: &&Order| it.customer == placement.customer && it.status == "PENDING";
        if self.orders.iter().filter(open).count() >= MAX_OPEN {
            return Err("too many unpaid orders");
        }
        if placement.option.is_some_and(|it| it != OPTION) {
            return Err("no such way to send it");
        }
        Ok(Totals { subtotal, discount: coupon.map_or(0, |it| it.discount(subtotal)) })
    }

    /// The index of a product by the id of its item.
    pub(crate) fn product(&self, item: &str) -> Option<usize> {
        self.products.iter().position(|it| it.id.as_str() == item)
    }

    pub(crate) fn order(&self, id: &str) -> Option<usize> {
        self.orders.iter().position(|it| it.id == id)
    }

    /// Takes an order in that the shop has now.
    pub(crate) fn take(&mut self, placement: &Placement, id: String, row: &OrderRow, now: i64) {
        let lines = self.lines(placement);
        for (product, n, _) in &lines {
            self.products[*product].shelf -= n;
        }
        if let Some(coupon) = placement.coupon {
            self.coupons[coupon].uses.insert(id.clone());
        }
        if placement.from_cart {
            self.customers[placement.customer].cart.clear();
        }
        self.orders.push(Order {
            id,
            number: row.number.clone(),
            customer: placement.customer,
            shelved: vec![0; lines.len()],
            lines,
            coupon: placement.coupon,
            total: row.total,
            created_at: now,
            status: "PENDING".to_owned(),
            moved_by: String::new(),
            moves: 0,
            was_paid: false,
        });
    }

    /// Follows an order to another status. `returned` is how many units of each line are in
    /// returns, which no longer go back by the order.
    pub(crate) fn move_order(&mut self, place: usize, to: &str, returned: &[i64]) {
        let order = &mut self.orders[place];
        let (held, holds) = (Order::holds_stock(&order.status), Order::holds_stock(to));
        for (line, (product, n, _)) in order.lines.iter().enumerate() {
            if held && !holds {
                order.shelved[line] = n - returned.get(line).copied().unwrap_or(0);
                self.products[*product].shelf += order.shelved[line];
            } else if !held && holds {
                self.products[*product].shelf -= order.shelved[line];
                order.shelved[line] = 0;
            }
        }
        if let Some(coupon) = order.coupon {
            let uses = &mut self.coupons[coupon].uses;
            // An order of nothing is paid as it is placed.
            if held && !holds && !order.was_paid && order.total > 0 {
                uses.remove(&order.id);
            } else if !held && holds {
                uses.insert(order.id.clone());
            }
        }
        to.clone_into(&mut order.status);
        order.moves += 1;
    }

    /// What an action of one transaction does where it is done; nothing where orders, payments
    /// and returns show themselves what was done.
    pub(crate) fn apply(&mut self, action: &Action) {
        match action {
            Action::AddToCart { customer, product, units } => {
                *self.customers[*customer].cart.entry(*product).or_insert(0) += units;
            }
            Action::ClearCart { customer } => self.customers[*customer].cart.clear(),
            Action::SetStock { product, units } | Action::CountStock { product, units } => {
                self.products[*product].shelf = *units;
            }
            Action::ChangeStock { product, by } => {
                let shelf = &mut self.products[*product].shelf;
                *shelf = (*shelf + by).max(0);
            }
            Action::SyncStock { items } => {
                for (product, units) in items {
                    self.products[*product].shelf = *units;
                }
            }
            Action::EditProduct { product, price, active } => {
                let product = &mut self.products[*product];
                (product.price, product.active) = (*price, *active);
            }
            Action::Suspend { customer, active } => self.customers[*customer].active = *active,
            Action::SwitchCoupon { coupon, active } => self.coupons[*coupon].active = *active,
            _ => {}
        }
    }

    /// Whether the shop must refuse an action of one transaction, as far as the model decides it.
    pub(crate) fn refuses(&self, action: &Action) -> Option<bool> {
        match action {
            // Whether a carrier could be asked decides over an order that names its option.
            Action::Place(placement) => match self.expect(placement) {
                Err(_) => Some(true),
                Ok(_) => placement.option.is_none().then_some(false),
            },
            Action::AddToCart { customer, product, units } => {
                let wanted = self.customers[*customer].cart.get(product).unwrap_or(&0) + units;
                let product = &self.products[*product];
                let is_active = self.customers[*customer].active;
                Some(!is_active || !product.active || wanted > product.shelf)
            }
            Action::ClearCart { .. }
            | Action::SetStock { .. }
            | Action::CountStock { .. }
            | Action::ChangeStock { .. }
            | Action::SyncStock { .. }
            | Action::EditProduct { .. }
            | Action::Suspend { .. }
            | Action::SwitchCoupon { .. } => Some(false),
            Action::SetStatus { order, to } => Some(self.lacks_units(*order, to)),
            Action::ForgedNotice { .. } => Some(true),
            _ => None,
        }
    }

    /// Whether an order that comes back to life lacks units.
    fn lacks_units(&self, place: usize, to: &str) -> bool {
        let order = &self.orders[place];
        let revives = !Order::holds_stock(&order.status) && Order::holds_stock(to);
        let mut lines = order.lines.iter().zip(&order.shelved);
        revives && lines.any(|((it, ..), units)| self.products[*it].shelf < *units)
    }
}
