//! Placing an order.
//!
//! One job, of three parts: the first reads and checks all that the order is made of, the second
//! takes its units off the shelf, the last gives it its number and writes it ([`super::number`]).
//!
//! Carriers are never asked inside a transaction. Where they have a say, they are asked before
//! ([`super::plan`]); the job reads every price again and refuses where the parcel is not the one
//! that was quoted ([`Freight`]), so nothing that changed in between can slip through.
//!
//! Orders are placed beside each other. Units and uses of coupons are guarded by their statements,
//! a saved cart is read by the statement that empties it, and two orders of one customer, or with
//! one idempotency key, run one after the other where what they ask for could change
//! ([`super::locks`]).

use super::PlaceOrder;
use super::freight::Freight;
use super::lines::{PricedLine, given, packed, price_lines, saved_line, summed};
use super::plan::destination;
use super::totals::{Rules, Totals};
use crate::account::{self, Address, Known};
use crate::actor::Actor;
use crate::cart;
use crate::catalog::Offered;
use crate::context::Work;
use crate::coupon;
use crate::error::{Conflict, Result};
use crate::fiscal::Buyer;
use crate::id::{AccountId, CouponId, OrderId, OrderItemId};
use crate::idempotency::IdempotentRequest;
use crate::money::Money;
use crate::order::store;
use crate::order::{
    Order, OrderAddress, OrderImage, OrderItem, OrderPayment, OrderProduct, OrderStatus,
};
use crate::shipping::ShippingOption;
use crate::shipping::packing::PackingPlan;
use crate::stock::{self, StockChange, StockLine};
use crate::storage::Tx;
use crate::value::{Mailbox, Weight};

/// Everything that the job needs.
pub(super) struct Placement {
    pub(super) customer: AccountId,
    /// Who places it for the customer, if it is not the customer.
    pub(super) staff: Option<Actor>,
    pub(super) order: PlaceOrder,
    pub(super) freight: Freight,
    pub(super) request: IdempotentRequest,
    pub(super) rules: Rules,
}

/// What the first two parts of the job come to.
pub(super) enum Draft {
    /// The request is a repeat; here is its first answer.
    Replay(Box<Order>),
    /// An order that lacks its number.
    New(Box<NewOrder>),
}

/// An order with all that is written of it once it has its number.
pub(super) struct NewOrder {
    pub(super) order: Order,
    pub(super) coupon: Option<CouponId>,
    /// How it is sent.
    pub(super) shipping: Option<ShippingOption>,
    /// For each line what it takes from the shelf, and its weight.
    pub(super) items: Vec<(StockLine, Weight)>,
    pub(super) plan: PackingPlan,
    /// What became of the shelf, once the units are taken.
    pub(super) changes: Vec<StockChange>,
    /// Whom to write to.
    pub(super) to: Option<Mailbox>,
}

/// The first part of the job: all of the order but its units and its number.
pub(super) fn draft(tx: &mut dyn Tx, at: &Work, placement: &Placement) -> Result<Draft> {
    let Placement { customer, staff, order, freight, request, rules } = placement;
    if let Some(order) = request.claim(tx, at.now())? {
        return Ok(Draft::Replay(Box::new(order)));
    }
    let (address, state) = destination(tx, customer, &order.address_id)?;
    let shipping = freight.option(tx, order, &state)?;
    let given = match given(order) {
        Some(given) => given,
        None => cart::take_lines(tx, customer.as_str())?.into_iter().map(saved_line).collect(),
    };
    let items = summed(given)?;
    freight.check(&address.zip_code, &items)?;
    let lines = price_lines(tx, &items)?;
    let id: OrderId = at.id();
    let subtotal = lines.iter().map(PricedLine::total).sum();
    let named = order.coupon().map(|named| coupon::named(tx, at, &named, subtotal));
    let (coupon, discount) = named.transpose()?.unzip();
    let discount = discount.unwrap_or(Money::ZERO);
    let totals = Totals::new(subtotal, discount, shipping.as_ref(), rules);
    totals.check()?;
    let is_expected = order.expected_total.is_none_or(|expected| expected == totals.total);
    Conflict::TotalChanged.unless(is_expected)?;
    if shipping.is_none() && !rules.shipping.is_free(subtotal) {
        tracing::warn!(state = %address.state, "no shipping option; the fallback price applies");
    }
    let plan = packed(tx, &lines)?;
    freight.check_packed(order, subtotal, &plan, rules.shipping)?;
    let account = account::by_id(tx, customer)?;
    // Suspended or erased since the request came. Staff may order for whom they suspended.
    if let (None, Some(known)) = (staff, &account) {
        known.account.check_active()?;
    }
    if let Some(coupon) = &coupon {
        coupon::redeem(tx, coupon, &id)?;
    }
    let to = account.as_ref().and_then(Known::mailbox);
    let buyer = account.and_then(|known| known.account.buyer());
    let sent = (address, buyer, shipping.as_ref());
    let (order, items) = new_order(at, placement, id, sent, lines, &totals);
    let changes = Vec::new();
    let new = NewOrder { order, coupon, shipping, items, plan, changes, to };
    stock::plan_taking(tx, &new.lines());
    Ok(Draft::New(Box::new(new)))
}

/// The second part of the job: takes the units.
pub(super) fn take(
    tx: &mut dyn Tx,
    at: &Work,
    placement: &Placement,
    draft: Draft,
) -> Result<Draft> {
    let Draft::New(mut new) = draft else { return Ok(draft) };
    new.changes = stock::take_or_refuse(tx, at, &new.lines(), &new.order.id)?;
    // After the stock, for what the shelf does not have is the more useful refusal.
    let Placement { customer, staff, rules, .. } = placement;
    if staff.is_none() {
        let units = new.order.items.iter().map(|item| item.quantity).sum();
        rules.limits.check(tx, customer, units, at.now())?;
    }
    Ok(Draft::New(new))
}

impl NewOrder {
    /// The lines with their products' names, in the order in which every transaction locks items
    /// ([`store::stock_lines`]).
    fn lines(&self) -> Vec<(&StockLine, &str)> {
        let names = self.order.items.iter().map(|item| item.product_name_snapshot.as_str());
        let mut lines: Vec<_> = self.items.iter().map(|(line, _)| line).zip(names).collect();
        lines.sort_unstable_by(|(one, _), (other, _)| one.item_id.cmp(&other.item_id));
        lines
    }
}

/// The order without its number, and for each of its lines what it takes and the weight.
fn new_order(
    at: &Work,
    placement: &Placement,
    id: OrderId,
    (address, buyer, shipping): (Address, Option<Buyer>, Option<&ShippingOption>),
    lines: Vec<PricedLine>,
    totals: &Totals,
) -> (Order, Vec<(StockLine, Weight)>) {
    let mut order = Order {
        id,
        order_number: String::new(),
        user_id: placement.customer.clone(),
        address_id: placement.order.address_id.clone(),
        subtotal: totals.subtotal,
        shipping: totals.shipping,
        discount: totals.discount,
        total: totals.total,
        status: OrderStatus::Pending,
        notes: placement.order.notes.as_ref().map(ToString::to_string).filter(|n| !n.is_empty()),
        shipping_service: shipping.map(|option| option.name.clone()),
        tracking_code: None,
        carrier: None,
        items: Vec::with_capacity(lines.len()),
        address: address.into(),
        buyer,
        payment: OrderPayment::before_any(totals.total),
        created_at: at.now(),
        updated_at: at.now(),
    };
    let mut items = Vec::with_capacity(lines.len());
    for (position, line) in (1..).zip(lines) {
        order.items.push(item(store::item_id(&order.id, position), &line));
        let weight = line.offered.packed.weight();
        items.push((line.stock, weight));
    }
    (order, items)
}

fn item(id: OrderItemId, line: &PricedLine) -> OrderItem {
    let Offered { name, price, values, image, .. } = &line.offered;
    let image = image.clone().map(|url| OrderImage { url, is_primary: true });
    OrderItem {
        id,
        product_id: line.product_id.clone(),
        variant_id: line.variant_id.clone(),
        quantity: line.stock.quantity,
        price: *price,
        total: line.total(),
        product_name_snapshot: name.clone(),
        variant_snapshot: values.clone(),
        product: OrderProduct { name: name.clone(), images: image.into_iter().collect() },
    }
}

/// As an order keeps it: an order's address does not change with the address book.
impl From<Address> for OrderAddress {
    fn from(address: Address) -> Self {
        let Address { street, number, complement, district, city, state, zip_code, .. } = address;
        Self { street, number, complement, district, city, state, zip_code }
    }
}
