//! Follows the log of events as a program does, and holds it, mails and views against the model.

use std::collections::BTreeMap;

use serde_json::Value;
use shop_core::catalog::ProductFilter;
use shop_core::event::{Event, EventId};
use shop_core::money::Money;
use shop_core::page::PageLimit;
use shop_core::{Error, Shop};

use super::books::Books;
use super::judge::{Verdict, ensure};
use super::mailbox::Mailbox;
use super::model::{Model, Order};

/// For how long mails are looked at: afterwards the shop forgets them.
const MAILS_STAY: i64 = 20 * 24 * 3_600_000;

/// What the log said so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    last: Option<EventId>,
    /// The names of each order's events.
    counts: BTreeMap<(String, String), usize>,
    /// The moves of each order.
    moves: BTreeMap<String, Vec<(String, String)>>,
    /// What was refunded of each order.
    refunds: BTreeMap<String, Vec<i64>>,
    /// The last that was said of each item's units.
    units: BTreeMap<String, i64>,
}

impl Log {
    /// Reads on from where it stood.
    pub(crate) async fn read(&mut self, shop: &Shop) -> Verdict {
        loop {
            let page = shop.events().list(self.last, 100).await.map_err(|it| it.to_string())?;
            ensure(!page.gap, || "events were lost".to_owned())?;
            for event in &page.data {
                ensure(self.last.is_none_or(|last| event.id > last), || {
                    format!("event {} comes after {:?}", event.id, self.last)
                })?;
                self.last = Some(event.id);
                self.take(event)?;
            }
            if !page.has_more {
                return Ok(());
            }
        }
    }

    fn take(&mut self, event: &Event) -> Verdict {
        let name = event.event.as_str();
        let data: Value = serde_json::from_str(event.data.get()).map_err(|it| it.to_string())?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if name == "stock.updated" {
            for item in data["items"].as_array().into_iter().flatten() {
                self.units.insert(text(&item["productId"]), item["stock"].as_i64().unwrap_or(-1));
            }
            return Ok(());
        }
        let order = if data["order"].is_object() { &data["order"] } else { &data };
        let id = text(if data["orderId"].is_string() { &data["orderId"] } else { &order["id"] });
        *self.counts.entry((id.clone(), name.to_owned())).or_default() += 1;
        if name == "order.status_changed" {
            let hop = (text(&data["previousStatus"]), text(&order["status"]));
            self.moves.entry(id).or_default().push(hop);
        } else if name == "order.refunded" {
            let amount: Money =
                serde_json::from_str(&data["amount"].to_string()).map_err(|it| it.to_string())?;
            self.refunds.entry(id).or_default().push(amount.cents());
        }
        Ok(())
    }

    fn count(&self, order: &str, name: &str) -> usize {
        self.counts.get(&(order.to_owned(), name.to_owned())).copied().unwrap_or(0)
    }

    /// Each thing was told once, and in order.
    pub(crate) fn agrees(&self, model: &Model, books: &Books) -> Verdict {
        for order in &model.orders {
            self.order(order, books).map_err(|why| format!("events of {}: {why}", order.number))?;
        }
        for product in &model.products {
            let said = self.units.get(product.id.as_str()).copied();
            ensure(said.is_none_or(|it| it == product.shelf), || {
                format!("{} has {} units, the last event says {said:?}", product.sku, product.shelf)
            })?;
        }
        Ok(())
    }

    fn order(&self, order: &Order, books: &Books) -> Verdict {
        let (id, row) = (order.id.as_str(), &books.orders[&order.id]);
        ensure(self.count(id, "order.created") == 1, || "not created once".to_owned())?;
        let moves = self.moves.get(id).map(Vec::as_slice).unwrap_or_default();
        let told: Vec<&String> = moves.iter().map(|(_, to)| to).collect();
        let made: Vec<&String> = row.history.iter().map(|(to, _)| to).collect();
        ensure(told == made, || format!("moves {told:?} instead of {made:?}"))?;
        let mut at = "PENDING";
        for (from, to) in moves {
            ensure(from == at, || format!("{from} -> {to} after {at}"))?;
            at = to;
        }
        for (status, name) in [("SHIPPED", "order.shipped"), ("DELIVERED", "order.delivered")] {
            let times = made.iter().filter(|it| it.as_str() == status).count();
            ensure(self.count(id, name) == times, || format!("not {times} times {name}"))?;
        }
        let (paid, least, most) = self.paid(id, order.total, books);
        ensure((least..=most).contains(&paid), || format!("paid {paid} times, not {least}"))?;
        let mut told = self.refunds.get(id).cloned().unwrap_or_default();
        let mut done = amounts_done(id, books);
        told.sort_unstable();
        done.sort_unstable();
        ensure(told == done, || format!("refunds {told:?} instead of {done:?}"))?;
        let of_order = books.returns.values().filter(|it| it.order == id);
        let (asked, back) =
            (of_order.clone().count(), of_order.filter(|it| it.status == "REFUNDED").count());
        ensure(self.count(id, "return.requested") == asked, || "returns not told".to_owned())?;
        ensure(self.count(id, "return.refunded") == back, || "refunded returns".to_owned())
    }

    /// How often an order was told to be paid, and how often that may be: of a payment that is gone
    /// again one cannot see whether it paid the order or was under review.
    fn paid(&self, id: &str, total: i64, books: &Books) -> (usize, usize, usize) {
        let of_order = books.payments.values().filter(|it| it.order == id);
        let is = |status: &'static [&str]| {
            of_order.clone().filter(|it| status.contains(&it.status.as_str())).count()
        };
        let least = is(&["PAID"]) + usize::from(total == 0);
        (self.count(id, "order.paid"), least, least + is(&["REFUNDED", "CHARGED_BACK"]))
    }

    /// Every mail that a customer is to get was written, once. Where staff moved an order back,
    /// what had not left was taken back, and what had is not said again.
    pub(crate) fn mails(&self, model: &Model, books: &Books, now: i64) -> Verdict {
        for order in model.orders.iter().filter(|it| now - it.created_at < MAILS_STAY) {
            let id = order.id.as_str();
            let history = &books.orders[id].history;
            let exactly = |mails| (mails, mails);
            let wanted = [
                ("order-placed", exactly(1)),
                ("payment-received", exactly(self.count(id, "order.paid"))),
                ("order-shipped", said(history, "SHIPPED")),
                ("order-delivered", said(history, "DELIVERED")),
                ("order-cancelled", said(history, "CANCELLED")),
                ("money-refunded", exactly(amounts_done(id, books).len())),
            ];
            for (kind, (least, most)) in wanted {
                let key = (id.to_owned(), kind.to_owned());
                let found = books.mails.get(&key).copied().unwrap_or(0);
                let fits = usize::try_from(found).is_ok_and(|it| (least..=most).contains(&it));
                ensure(fits, || {
                    format!("{} has {found} mails {kind}, not {least} to {most}", order.number)
                })?;
            }
        }
        for (place, customer) in model.customers.iter().enumerate() {
            let own = model.orders.iter().filter(|it| it.customer == place);
            let moves: usize = own.clone().map(|it| it.moves).sum();
            let again = |it: &Order| {
                let history = &books.orders[it.id.as_str()].history;
                ["SHIPPED", "DELIVERED"]
                    .map(|to| count(history, to).saturating_sub(1))
                    .iter()
                    .sum::<usize>()
            };
            let least = moves.saturating_sub(own.map(again).sum::<usize>());
            let told = books.notifications.get(customer.id.as_str()).copied().unwrap_or(0);
            ensure(usize::try_from(told).is_ok_and(|it| (least..=moves).contains(&it)), || {
                format!("{} was notified {told} times of {moves} moves", customer.id)
            })?;
        }
        Ok(())
    }
}

/// How often an order was moved to a status.
fn count(history: &[(String, String)], status: &str) -> usize {
    history.iter().filter(|(to, _)| to == status).count()
}

/// How many mails say that an order has a status: at least and at most. What was said of its way
/// once is not said again, and of an order that moved back only what it is now is sure to be said.
fn said(history: &[(String, String)], status: &str) -> (usize, usize) {
    const WAY: [&str; 6] =
        ["PENDING", "PROCESSING", "SHIPPED", "DELIVERED", "CANCELLED", "REFUNDED"];
    let most = match (status, count(history, status)) {
        ("CANCELLED", moves) => moves,
        (_, moves) => moves.min(1),
    };
    let places = history.iter().map(|(to, _)| WAY.iter().position(|it| it == to));
    let is_now = history.last().is_some_and(|(to, _)| to == status);
    if places.is_sorted() { (most, most) } else { (usize::from(is_now), most) }
}

fn amounts_done(order: &str, books: &Books) -> Vec<i64> {
    let of_order = books.refunds.values().filter(|it| it.order == order && it.status == "DONE");
    of_order.map(|it| it.amount).collect()
}

/// No mail came twice, and those that count as sent came.
pub(crate) fn letters(mailbox: &Mailbox, books: &Books) -> Verdict {
    let repeated = mailbox.repeated();
    ensure(repeated.is_empty(), || format!("mails came again: {repeated:?}"))?;
    let lost = books.sent.iter().find(|id| !mailbox.has(id));
    ensure(lost.is_none(), || format!("mail {lost:?} counts as sent and did not come"))
}

/// What everybody sees is what there is.
pub(crate) async fn views(shop: &Shop, model: &Model, chance: usize) -> Verdict {
    let text = |error: Error| error.to_string();
    let filter = ProductFilter { limit: PageLimit::try_from(100).ok(), ..ProductFilter::default() };
    let page = shop.products().list(filter).await.map_err(text)?;
    let mut seen: Vec<(String, i64, i64)> =
        page.data.iter().map(|it| (it.id.to_string(), it.price.cents(), it.stock)).collect();
    let on_sale = model.products.iter().filter(|it| it.active);
    let mut there: Vec<(String, i64, i64)> =
        on_sale.map(|it| (it.id.to_string(), it.price, it.shelf)).collect();
    seen.sort();
    there.sort();
    ensure(seen == there, || format!("shoppers see {seen:?} instead of {there:?}"))?;
    totals(shop, model).await?;
    customers(shop, model, chance).await
}

async fn totals(shop: &Shop, model: &Model) -> Verdict {
    let totals = shop.dashboard().get_totals().await.map_err(|it| it.to_string())?;
    let counted = (totals.total_orders, totals.pending_orders, totals.total_revenue.cents());
    let count = |n: usize| i64::try_from(n).unwrap_or(-1);
    let pending = model.orders.iter().filter(|it| it.status == "PENDING").count();
    let revenue = model.orders.iter().filter(|it| it.is_revenue()).map(|it| it.total).sum();
    let there = (count(model.orders.len()), count(pending), revenue);
    ensure(counted == there, || format!("the dashboard says {counted:?} instead of {there:?}"))
}

/// A customer sees the orders that are the customer's, and no others; a suspended one has no
/// session.
async fn customers(shop: &Shop, model: &Model, chance: usize) -> Verdict {
    let nth = chance % model.customers.len().max(1);
    let Some(customer) = model.customers.get(nth) else { return Ok(()) };
    let listed =
        shop.orders().list_for_customer(&customer.id).await.map_err(|it| it.to_string())?;
    let mut seen: Vec<String> = listed.iter().map(|it| it.id.to_string()).collect();
    let own = model.orders.iter().filter(|it| it.customer == nth);
    let mut there: Vec<String> = own.map(|it| it.id.clone()).collect();
    seen.sort();
    there.sort();
    ensure(seen == there, || format!("customer {nth} sees {seen:?} instead of {there:?}"))?;
    if let Some(foreign) = model.orders.iter().find(|it| it.customer != nth) {
        let id = foreign.id.as_str().into();
        let seen = shop.orders().get_for_customer(&customer.id, &id).await.is_ok();
        ensure(!seen, || format!("customer {nth} sees {}", foreign.number))?;
    }
    let session = shop.sessions().issue(&customer.id).await;
    ensure(session.is_ok() == customer.active, || format!("customer {nth}: {:?}", session.err()))?;
    let cart = shop.carts().get(&customer.id).await.map_err(|it| it.to_string())?;
    let wanted: i64 = customer.cart.iter().map(|(it, n)| model.products[*it].price * n).sum();
    ensure(cart.subtotal.cents() == wanted, || format!("cart {nth} comes to {}", cart.subtotal))
}
