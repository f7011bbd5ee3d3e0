//! Placing an order.
//!
//! Two jobs with the shipping quote between them: carriers are never asked inside a transaction.
//! The second job reads every price again, so nothing that changed in between can
//! slip through. Its last part gives the order its number and writes it ([`super::number`]).
//!
//! Orders are placed beside each other. Units and uses of coupons are guarded by their statements, a
//! saved cart is read by the statement that empties it, and two orders of one customer, or with one
//! idempotency key, run one after the other where what they ask for could change ([`super::locks`]).

use std::collections::BTreeMap;

use super::totals::{Rules, Totals};
use super::{PlaceItem, PlaceOrder};
use crate::account::{self, Address, Known};
use crate::actor::Actor;
use crate::cart::{self, SavedLine};
use crate::catalog::{self, Offered};
use crate::context::Work;
use crate::coupon;
use crate::error::{Entity, Error, FieldErrors, Refusal, Result};
use crate::fiscal::Buyer;
use crate::id::{
    AccountId, CouponId, OrderId, OrderItemId, ProductId, ShippingOptionId, VariantId,
};
use crate::idempotency::IdempotentRequest;
use crate::money::Money;
use crate::order::store;
use crate::order::{
    Order, OrderAddress, OrderImage, OrderItem, OrderPayment, OrderProduct, OrderStatus,
};
use crate::shipping::packing::{PackLine, PackingPlan};
use crate::shipping::{self, Parcel, QuoteService, ShippingOption, ShippingRules};
use crate::stock::{self, StockChange, StockLine};
use crate::storage::Tx;
use crate::value::{Cep, InvalidValue, Mailbox, Quantity, Weight};

/// How many different lines an order may have.
const MAX_LINES: usize = 200;

/// What the first job found.
pub(super) enum Plan {
    /// The request is a repeat; here is its first answer.
    Replay(Box<Order>),
    /// It is a parcel to be sent.
    Ship(Shipment),
}

/// What is known of a parcel before its order is placed.
pub(super) struct Shipment {
    /// What the shop's own tariffs offer, cheapest first.
    tariffs: Vec<ShippingOption>,
    /// What to ask carriers about, where they have a say.
    parcel: Option<Parcel>,
    /// What is ordered, as far as it matters which rows the order will change.
    pub(super) items: Vec<Item>,
}

/// Everything that the second job needs.
pub(super) struct Placement {
    pub(super) customer: AccountId,
    /// Who places it for the customer, if it is not the customer.
    pub(super) staff: Option<Actor>,
    pub(super) order: PlaceOrder,
    pub(super) shipping: Option<ShippingOption>,
    pub(super) request: IdempotentRequest,
    pub(super) rules: Rules,
}

/// The first job: is this a repeat, and what parcel goes where? With rules where carriers are asked.
pub(super) fn plan(
    tx: &mut dyn Tx,
    at: &Work,
    customer: &AccountId,
    order: &PlaceOrder,
    request: &IdempotentRequest,
    carriers: Option<ShippingRules>,
) -> Result<Plan> {
    if let Some(first) = request.stored_answer(tx, at.now())? {
        return Ok(Plan::Replay(Box::new(first)));
    }
    let address = account::address(tx, customer, &order.address_id)?
        .ok_or(Error::NotFound(Entity::Address))?;
    // Where the postal code is: a parcel travels by it, whatever state the customer wrote.
    let state = shipping::state_of(&address.zip_code).unwrap_or(address.state);
    let tariffs = shipping::static_options(tx, &state)?;
    let wanted = order.shipping_option_id.as_ref();
    let own_tariff = wanted.is_some_and(|id| id.as_str().starts_with(shipping::STATIC));
    let parcel = match carriers {
        Some(rules) if !own_tariff => parcel(tx, customer, order, address.zip_code, rules)?,
        _ => None,
    };
    let items = match &order.cart_items {
        Some(items) => items.iter().map(line_of).collect(),
        // Where one order at a time is placed nobody locks anything.
        None if !tx.dialect().is_remote => Vec::new(),
        None => cart::saved_lines(tx, customer.as_str())?.into_iter().map(saved_line).collect(),
    };
    Ok(Plan::Ship(Shipment { tariffs, parcel, items }))
}

/// What carriers would be asked about; nothing where shipping is free and any option will do.
fn parcel(
    tx: &mut dyn Tx,
    customer: &AccountId,
    order: &PlaceOrder,
    to: Cep,
    rules: ShippingRules,
) -> Result<Option<Parcel>> {
    let wanted = wanted_lines(tx, customer, order)?;
    let lines = price_lines(tx, &wanted)?;
    let subtotal: Money = lines.iter().map(PricedLine::total).sum();
    if rules.is_free(subtotal) && order.shipping_option_id.is_none() {
        return Ok(None);
    }
    Ok(Parcel::packed(to, &packed(tx, &lines)?))
}

/// How the lines travel.
fn packed(tx: &mut dyn Tx, lines: &[PricedLine]) -> Result<PackingPlan> {
    let lines: Vec<PackLine> = lines.iter().map(PricedLine::to_pack).collect();
    Ok(PackingPlan::pack(&shipping::all_boxes(tx)?, &lines))
}

/// Between the jobs: the option asked for, else the cheapest that a carrier offers, else the
/// cheapest tariff; `None` where nothing at all can be quoted.
pub(super) async fn choose(
    quotes: &QuoteService,
    shipment: Shipment,
    wanted: Option<&ShippingOptionId>,
) -> Result<Option<ShippingOption>> {
    let Shipment { tariffs, parcel, .. } = shipment;
    match (wanted, parcel) {
        (None, Some(parcel)) => {
            let offered = quotes.quote(&parcel).await.into_iter().next();
            Ok(offered.or_else(|| tariffs.into_iter().next()))
        }
        (None, None) => Ok(tariffs.into_iter().next()),
        (Some(id), parcel) => {
            let found = match parcel {
                Some(parcel) => quotes.named(&parcel, id).await,
                None => tariffs.into_iter().find(|option| option.id == *id),
            };
            found.map(Some).ok_or(Error::Refused(Refusal::UnknownShippingOption))
        }
    }
}

/// What the first part of the second job comes to.
pub(super) enum Draft {
    /// The request is a repeat; here is its first answer.
    Replay(Box<Order>),
    /// An order that lacks its number.
    New(Box<NewOrder>),
}

/// An order whose units are off the shelf, with all that is written of it once it has its number.
pub(super) struct NewOrder {
    pub(super) order: Order,
    pub(super) coupon: Option<CouponId>,
    /// For each line which item it takes from the shelf, and its weight.
    pub(super) items: Vec<(String, Weight)>,
    pub(super) plan: PackingPlan,
    pub(super) changes: Vec<StockChange>,
    /// Whom to write to.
    pub(super) to: Option<Mailbox>,
}

/// The first part of the second job: all of the order but its number.
pub(super) fn draft(tx: &mut dyn Tx, at: &Work, placement: &Placement) -> Result<Draft> {
    let Placement { customer, staff, order, shipping: option, request, rules } = placement;
    if let Some(order) = request.claim(tx, at.now())? {
        return Ok(Draft::Replay(Box::new(order)));
    }
    let address = account::address(tx, customer, &order.address_id)?
        .ok_or(Error::NotFound(Entity::Address))?;
    let given = match &order.cart_items {
        Some(items) => items.iter().map(line_of).collect(),
        None => cart::take_lines(tx, customer.as_str())?.into_iter().map(saved_line).collect(),
    };
    let lines = price_lines(tx, &summed(given)?)?;
    let id: OrderId = at.id();
    let subtotal = lines.iter().map(PricedLine::total).sum();
    let (coupon, discount) = redeem(tx, at, order, &id, subtotal)?.unzip();
    let discount = discount.unwrap_or(Money::ZERO);
    let totals = Totals::new(subtotal, discount, option.as_ref(), rules);
    totals.check()?;
    if option.is_none() && !rules.shipping.is_free(subtotal) {
        tracing::warn!(state = %address.state, "no shipping option; the fallback price applies");
    }
    let changes = take_stock(tx, at, &lines, &id)?;
    // After the stock, for what the shelf does not have is the more useful refusal.
    let units = lines.iter().map(|line| line.stock.quantity).sum();
    if staff.is_none() {
        rules.limits.check(tx, customer, units, at.now())?;
    }
    let plan = packed(tx, &lines)?;
    let account = account::by_id(tx, customer)?;
    let to = account.as_ref().and_then(Known::mailbox);
    let buyer = account.and_then(|known| known.account.buyer());
    let (order, items) = new_order(at, placement, id, (address, buyer), lines, &totals);
    Ok(Draft::New(Box::new(NewOrder { order, coupon, items, plan, changes, to })))
}

/// A product or a variant, and how many units.
pub(super) type Item = (ProductId, Option<VariantId>, i64);

/// The lines asked for, those of the same item summed.
fn wanted_lines(tx: &mut dyn Tx, customer: &AccountId, order: &PlaceOrder) -> Result<Vec<Item>> {
    summed(match &order.cart_items {
        Some(items) => items.iter().map(line_of).collect(),
        None => cart::saved_lines(tx, customer.as_str())?.into_iter().map(saved_line).collect(),
    })
}

fn saved_line(line: SavedLine) -> Item {
    (line.product_id, line.variant_id, line.quantity)
}

/// Lines, those of the same item summed.
fn summed(given: Vec<Item>) -> Result<Vec<Item>> {
    if given.is_empty() {
        return Err(Error::Refused(Refusal::EmptyCart));
    }
    let mut sums: BTreeMap<(ProductId, Option<VariantId>), i64> = BTreeMap::new();
    for (product, variant, quantity) in given {
        *sums.entry((product, variant)).or_default() += quantity;
    }
    check_sums(&sums)?;
    Ok(sums.into_iter().map(|((product, variant), n)| (product, variant, n)).collect())
}

fn line_of(item: &PlaceItem) -> Item {
    (item.product_id.clone(), item.variant_id.clone(), item.quantity.get())
}

fn check_sums(sums: &BTreeMap<(ProductId, Option<VariantId>), i64>) -> Result<()> {
    let mut fields = FieldErrors::default();
    if sums.len() > MAX_LINES {
        fields.add("cartItems", InvalidValue::TooManyProducts { most: MAX_LINES as u64 });
    }
    if let Some(Err(error)) = sums.values().map(|n| Quantity::try_from(*n)).find(Result::is_err) {
        fields.add("cartItems", error);
    }
    fields.into_result()
}

/// A line with the price and name of this moment.
struct PricedLine {
    stock: StockLine,
    product_id: ProductId,
    variant_id: Option<VariantId>,
    offered: Offered,
}

impl PricedLine {
    fn total(&self) -> Money {
        self.offered.price * self.stock.quantity
    }

    fn to_pack(&self) -> PackLine {
        let variant = self.variant_id.as_ref();
        PackLine::of(&self.product_id, variant, self.stock.quantity, &self.offered)
    }
}

fn price_lines(tx: &mut dyn Tx, wanted: &[Item]) -> Result<Vec<PricedLine>> {
    wanted
        .iter()
        .map(|(product, variant, n)| price_line(tx, product, variant.as_ref(), *n))
        .collect()
}

fn price_line(
    tx: &mut dyn Tx,
    product: &ProductId,
    variant: Option<&VariantId>,
    quantity: i64,
) -> Result<PricedLine> {
    let offered = catalog::offered(tx, product, variant)?;
    let item_id = variant.map_or(product.as_str(), VariantId::as_str).to_owned();
    Ok(PricedLine {
        stock: StockLine {
            item_id,
            product_id: product.to_string(),
            quantity,
            units: quantity,
            new_lines: 1,
        },
        product_id: product.clone(),
        variant_id: variant.cloned(),
        offered,
    })
}

/// The order's coupon and what it takes off; it is used from here on.
fn redeem(
    tx: &mut dyn Tx,
    at: &Work,
    order: &PlaceOrder,
    id: &OrderId,
    subtotal: Money,
) -> Result<Option<(CouponId, Money)>> {
    let code = order.coupon_code.as_ref().map(|code| code.as_str().trim());
    let named = match (&order.coupon_id, code.filter(|code| !code.is_empty())) {
        (Some(coupon), _) => coupon::Named::Id(coupon),
        (None, Some(code)) => coupon::Named::Code(code),
        (None, None) => return Ok(None),
    };
    coupon::redeem(tx, at, &named, id, subtotal).map(Some)
}

fn take_stock(
    tx: &mut dyn Tx,
    at: &Work,
    lines: &[PricedLine],
    order: &OrderId,
) -> Result<Vec<StockChange>> {
    // In the order in which every transaction locks items ([`store::stock_lines`]).
    let mut lines: Vec<_> = lines.iter().collect();
    lines.sort_unstable_by(|one, other| one.stock.item_id.cmp(&other.stock.item_id));
    let lines: Vec<_> =
        lines.into_iter().map(|line| (&line.stock, line.offered.name.as_str())).collect();
    stock::take_or_refuse(tx, at, &lines, order)
}

/// The order without its number, and for each of its lines the item on the shelf and the weight.
fn new_order(
    at: &Work,
    placement: &Placement,
    id: OrderId,
    (address, buyer): (Address, Option<Buyer>),
    lines: Vec<PricedLine>,
    totals: &Totals,
) -> (Order, Vec<(String, Weight)>) {
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
        shipping_service: placement.shipping.as_ref().map(|option| option.name.clone()),
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
        let weight = line.offered.packed.weight.unwrap_or(Weight::DEFAULT);
        items.push((line.stock.item_id, weight));
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
