//! Holds the shop's books against the model and against the provider's own.

use std::collections::BTreeMap;

use super::action::{Action, Placement};
use super::books::{Books, OrderRow, PaymentRow};
use super::house::House;
use super::model::{Model, Order};
use super::papers;

/// What became of an action.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    /// The answer; none where nobody waited for it any more.
    pub(crate) answer: Option<Result<Option<String>, String>>,
    /// Whether nothing was made to fail inside the shop: then the answer says what was done.
    pub(crate) certain: bool,
}

impl Outcome {
    fn is_ok(&self) -> bool {
        matches!(self.answer, Some(Ok(_)))
    }
}

/// What is wrong.
pub(crate) type Verdict = Result<(), String>;

pub(crate) fn ensure(holds: bool, what: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(what()) }
}

/// One step, as it is judged.
pub(crate) struct Step<'a> {
    pub(crate) action: &'a Action,
    pub(crate) outcome: &'a Outcome,
    pub(crate) before: &'a Books,
    pub(crate) now: &'a Books,
    /// The third parties, with books of their own.
    pub(crate) house: &'a House,
    /// The shop's time.
    pub(crate) time: i64,
}

impl Step<'_> {
    /// Takes into the model what the shop did, or says why it must not have.
    pub(crate) fn judge(&self, model: &mut Model) -> Verdict {
        self.answer(model)?;
        self.orders(model)?;
        self.payments(model)?;
        self.refunds(model)?;
        self.returns(model)?;
        papers::judge(self, model)?;
        self.follow(model)
    }

    /// The shop refuses what it must refuse, and nothing else.
    fn answer(&self, model: &Model) -> Verdict {
        if !self.outcome.certain {
            return Ok(());
        }
        let refuses = model.refuses(self.action).or_else(|| self.not_payable(model));
        match (&self.outcome.answer, refuses) {
            (Some(Ok(_)), Some(true)) => Err("the shop took what it must refuse".to_owned()),
            (Some(Err(why)), Some(false)) => Err(format!("the shop refused it: {why}")),
            (Some(Err(why)), _) if why.starts_with("Internal") => Err(format!("it failed: {why}")),
            _ => Ok(()),
        }
    }

    /// An order that is paid or closed cannot be paid.
    fn not_payable(&self, model: &Model) -> Option<bool> {
        let (Action::Pix { order }
        | Action::Card { order, .. }
        | Action::Intent { order }
        | Action::Record { order }) = self.action
        else {
            return None;
        };
        let order = &model.orders[*order];
        let mut of_order = self.before.payments.values().filter(|it| it.order == order.id);
        let paid = order.total == 0 || of_order.any(|it| it.status == "PAID");
        (paid || !Order::holds_stock(&order.status)).then_some(true)
    }

    fn orders(&self, model: &mut Model) -> Verdict {
        let known: Vec<&String> = model.orders.iter().map(|it| &it.id).collect();
        for id in known {
            ensure(self.now.orders.contains_key(id), || format!("order {id} is gone"))?;
        }
        let new: Vec<(&String, &OrderRow)> =
            self.now.orders.iter().filter(|(id, _)| model.order(id).is_none()).collect();
        match (self.placement(model), &new[..]) {
            (None, []) => {}
            (Some(placement), []) => {
                let done = self.outcome.certain && self.outcome.is_ok();
                let first = self.repeated().and_then(|nth| model.keyed[nth].1.clone());
                let same = first.is_some() && self.outcome.answer == Some(Ok(first));
                ensure(!done || same, || "an order was answered that is not there".to_owned())?;
                drop(placement);
            }
            (Some(placement), [(id, row)]) => self.placed(model, &placement, id, row)?,
            (_, new) => return Err(format!("{} orders that nobody placed", new.len())),
        }
        for place in 0..model.orders.len() {
            self.moves(model, place)?;
        }
        self.moved(model)
    }

    /// A move that was answered is made.
    fn moved(&self, model: &Model) -> Verdict {
        let (order, to) = match self.action {
            Action::Cancel { order } => (*order, "CANCELLED"),
            Action::SetStatus { order, to } => (*order, *to),
            _ => return Ok(()),
        };
        let is = &model.orders[order].status;
        ensure(!self.outcome.is_ok() || is == to, || format!("it is {is}, was answered as {to}"))
    }

    /// The order that is wanted in this step.
    fn placement(&self, model: &Model) -> Option<Placement> {
        match self.action {
            Action::Place(placement) => Some(placement.clone()),
            Action::PlaceAgain(nth) => Some(model.keyed[*nth].0.clone()),
            _ => None,
        }
    }

    fn repeated(&self) -> Option<usize> {
        if let Action::PlaceAgain(nth) = self.action { Some(*nth) } else { None }
    }

    fn placed(
        &self,
        model: &mut Model,
        placement: &Placement,
        id: &str,
        row: &OrderRow,
    ) -> Verdict {
        if let Some(first) = self.repeated().and_then(|nth| model.keyed[nth].1.as_ref()) {
            return Err(format!("a repeat of order {first} placed another one"));
        }
        let refused = self.outcome.certain && !self.outcome.is_ok();
        ensure(!refused, || "an order was refused and is there".to_owned())?;
        let totals = model.expect(placement).map_err(|why| format!("placed though {why}"))?;
        let found = (row.subtotal, row.discount, row.total);
        let wanted =
            (totals.subtotal, totals.discount, totals.subtotal - totals.discount + row.shipping);
        ensure(found == wanted, || format!("it comes to {found:?}, not {wanted:?}"))?;
        let carrier = &self.house.carrier;
        let (told, well) = (carrier.offers(row.shipping, self.time), carrier.is_well(self.time));
        let fits = totals.may_cost(row.shipping, placement.option, told, well);
        ensure(fits, || format!("sending it costs {}", row.shipping))?;
        let lines = model.lines(placement).len();
        ensure(row.lines.len() == lines, || "it has other lines".to_owned())?;
        let customer = model.customers[placement.customer].id.as_str();
        ensure(row.customer == customer, || "it is another customer's".to_owned())?;
        model.take(placement, id.to_owned(), row, self.time);
        // The shop lists lines in an order of its own.
        let place = model.orders.len() - 1;
        let item = |it: usize| model.products[it].id.to_string();
        let mut lines = model.orders[place].lines.clone();
        lines.sort_by_key(|(it, ..)| row.lines.iter().position(|line| line.item == item(*it)));
        for ((it, n, price), line) in lines.iter().zip(&row.lines) {
            let same = (item(*it), *n, *price) == (line.item.clone(), line.quantity, line.price);
            ensure(same, || format!("its line is {line:?}"))?;
        }
        model.orders[place].lines = lines;
        Ok(())
    }

    /// The order's moves since the last step, each of which somebody may make.
    fn moves(&self, model: &mut Model, place: usize) -> Verdict {
        let id = model.orders[place].id.clone();
        let row = &self.now.orders[&id];
        let paid = self.paid(&id);
        let since = row.history.get(model.orders[place].moves..).unwrap_or_default();
        if matches!(self.action, Action::SetStatus { order, .. } if *order == place) {
            ensure(since.len() < 2, || format!("{} was moved twice", row.number))?;
        }
        // Money that arrived in this step counts before the order is moved by it, staff's move
        // before nothing.
        model.orders[place].was_paid |= paid;
        for (to, by) in since {
            let from = model.orders[place].status.clone();
            self.may_move(&model.orders[place], place, (&from, to), by)
                .map_err(|why| format!("{} {from} -> {to} by {by}: {why}", row.number))?;
            let returned: Vec<i64> = row.lines.iter().map(|line| line.returned).collect();
            model.move_order(place, to, &returned);
            by.clone_into(&mut model.orders[place].moved_by);
        }
        let order = &model.orders[place];
        ensure(order.status == row.status, || {
            format!("{} is {}, its history says {}", row.number, row.status, order.status)
        })?;
        let shelved: Vec<i64> = row.lines.iter().map(|line| line.shelved).collect();
        ensure(order.shelved == shelved, || {
            format!("{} gave {shelved:?} back, not {:?}", row.number, order.shelved)
        })
    }

    /// Whether a payment paid an order, also where its money went back since.
    fn paid(&self, order: &str) -> bool {
        let mut of_order = self.now.payments.values().filter(|it| it.order == order);
        // What only ever was under review may be refunded or charged back, too.
        let went_back = |status: &str| ["REFUNDED", "CHARGED_BACK"].contains(&status);
        of_order.any(|it| it.status == "PAID" || (it.was_paid && went_back(&it.status)))
    }

    fn may_move(&self, order: &Order, place: usize, hop: (&str, &str), by: &str) -> Verdict {
        let may = match by {
            "PAYMENT" => match hop {
                ("PENDING", "PROCESSING") => order.was_paid || order.total == 0,
                // Late money revives only what nobody called off.
                ("CANCELLED", "PROCESSING") => order.was_paid && order.moved_by == "SWEEPER",
                (_, "REFUNDED") => self.went_back(&order.id),
                _ => false,
            },
            "SWEEPER" => {
                let hours = (self.time - order.created_at) / 3_600_000;
                let swept = matches!(self.action, Action::RunDue);
                let unpaid = !self.is_paid_somewhere(&order.id);
                swept && hop == ("PENDING", "CANCELLED") && unpaid && hours >= 24
            }
            "CUSTOMER" => {
                let own = matches!(self.action, Action::Cancel { order } if *order == place);
                let unpaid = !self.is_paid_somewhere(&order.id);
                own && hop == ("PENDING", "CANCELLED") && unpaid
            }
            _ => {
                matches!(self.action, Action::SetStatus { order, to } if *order == place && *to == hop.1)
            }
        };
        ensure(may, || format!("not by {:?}", self.action))
    }

    /// Whether a payment pays the order, or a provider has money of it that the shop did not ask
    /// for.
    fn is_paid_somewhere(&self, order: &str) -> bool {
        let pays = |it: &PaymentRow| it.order == order && it.status == "PAID";
        let unknown = |key: &str| {
            let row = self.now.payments.get(key);
            row.is_some_and(|it| it.order == order && it.captured == 0 && it.at_provider.is_some())
        };
        self.now.payments.values().any(pays)
            || self.house.bank.all().iter().any(|it| it.has_money() && unknown(&it.key))
    }

    /// Whether all of a payment of the order went back.
    fn went_back(&self, order: &str) -> bool {
        let mut of_order = self.now.payments.values().filter(|it| it.order == order);
        of_order.any(|it| it.status == "REFUNDED" && it.refunded == it.captured)
    }

    fn returns(&self, model: &mut Model) -> Verdict {
        let known = |id: &String| model.returns.contains(id);
        let new: Vec<String> = self.now.returns.keys().filter(|id| !known(id)).cloned().collect();
        let asks = matches!(self.action, Action::AskReturn { .. });
        ensure(new.len() <= usize::from(asks), || format!("{} returns too many", new.len()))?;
        model.returns.extend(new);
        for (id, now) in &self.now.returns {
            let before = self.before.returns.get(id);
            let order =
                model.order(&now.order).ok_or_else(|| format!("return {id} of no order"))?;
            for (line, (position, received, restocked)) in now.lines.iter().enumerate() {
                let was = before.and_then(|it| it.lines.get(line)).map_or(0, |it| it.2);
                let receives = matches!(self.action, Action::Receive { place, .. }
                    if model.returns.get(*place) == Some(id));
                ensure(*restocked == was || receives, || format!("{id} put units on the shelf"))?;
                ensure(*restocked <= received.unwrap_or(0), || format!("{id} shelved too many"))?;
                let line = usize::try_from(position - 1).unwrap_or(0);
                let product = model.orders[order].lines[line].0;
                model.products[product].shelf += restocked - was;
            }
        }
        Ok(())
    }

    /// What the model alone decides: with the action done, or, where that may be, without.
    fn follow(&self, model: &mut Model) -> Verdict {
        let mut done = model.clone();
        done.apply(self.action);
        let (with, without) = (agree(&done, self.now), agree(model, self.now));
        let (may, may_not) = match &self.outcome.answer {
            Some(Ok(_)) if self.outcome.certain => (true, false),
            Some(Err(_)) if self.outcome.certain => (false, true),
            // An answer is given after the commit.
            Some(Ok(_)) => (true, false),
            _ => (true, true),
        };
        if may && with.is_ok() {
            *model = done;
            return Ok(());
        }
        if may_not { without } else { with }
    }
}

/// The books as far as the model knows them by itself.
fn agree(model: &Model, books: &Books) -> Verdict {
    for product in &model.products {
        let id = product.id.as_str();
        let (units, ledger) = books.stock.get(id).copied().unwrap_or_default();
        ensure(units == product.shelf, || {
            format!("{} has {units} units, not {}", product.sku, product.shelf)
        })?;
        ensure(units == ledger, || format!("{} moved by {ledger}, has {units}", product.sku))?;
        let found = books.products.get(id).copied();
        ensure(found == Some((product.price, product.active)), || {
            format!("{} is {found:?}", product.sku)
        })?;
    }
    for coupon in &model.coupons {
        let (id, uses) = (coupon.id.as_str(), coupon.uses.len());
        let found = books.coupons.get(id).copied().unwrap_or_default();
        ensure(found == (i64::try_from(uses).unwrap_or(-1), coupon.active), || {
            format!("{} counts {found:?}, {uses} orders use it", coupon.code)
        })?;
        let users = books.coupon_uses.iter().filter(|(_, it)| *it == id);
        let same = users.clone().count() == uses
            && users.into_iter().all(|(o, _)| coupon.uses.contains(o));
        ensure(same, || format!("{} is used by other orders", coupon.code))?;
    }
    for customer in &model.customers {
        let active = books.accounts.get(customer.id.as_str());
        ensure(active == Some(&customer.active), || format!("{} is {active:?}", customer.id))?;
        let own = books.carts.iter().filter(|((owner, _), _)| owner == customer.id.as_str());
        let own: BTreeMap<usize, i64> =
            own.filter_map(|((_, item), n)| Some((model.product(item)?, *n))).collect();
        ensure(own == customer.cart, || format!("the cart of {} has {own:?}", customer.id))?;
    }
    Ok(())
}
