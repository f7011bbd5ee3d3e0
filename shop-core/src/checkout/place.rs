//! Placing an order.
//!
//! Two jobs with the shipping quote between them: carriers are never asked inside a transaction.
//! The second job reads every price again, so nothing that changed in between can
//! slip through.

use std::collections::BTreeMap;

use serde::Serialize;

use super::totals::{Rules, Totals};
use super::{PlaceItem, PlaceOrder, Placed};
use crate::account::{self, Address};
use crate::actor::Actor;
use crate::audit;
use crate::cart;
use crate::catalog::{self, Offered};
use crate::context::Work;
use crate::coupon;
use crate::error::{Entity, Error, FieldErrors, Refusal, Result};
use crate::event::{self, EventName};
use crate::id::{
    AccountId, CouponId, OrderId, OrderItemId, ProductId, ShippingOptionId, VariantId,
};
use crate::idempotency::IdempotentRequest;
use crate::money::Money;
use crate::order::store::{self, NewOrder};
use crate::order::{
    EventOrder, Order, OrderAddress, OrderImage, OrderItem, OrderMail, OrderPayment, OrderProduct,
    OrderStatus, number,
};
use crate::settlement;
use crate::shipping::packing::{self, PackLine, PackingPlan};
use crate::shipping::{self, Parcel, QuoteService, ShippingOption, ShippingRules};
use crate::stock::{self, StockChange, StockLine};
use crate::storage::Tx;
use crate::value::{Cep, InvalidValue, Quantity, Weight};

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
    let tariffs = shipping::static_options(tx, &address.state)?;
    let wanted = order.shipping_option_id.as_ref();
    let own_tariff = wanted.is_some_and(|id| id.as_str().starts_with(shipping::STATIC));
    let parcel = match carriers {
        Some(rules) if !own_tariff => parcel(tx, customer, order, address.zip_code, rules)?,
        _ => None,
    };
    Ok(Plan::Ship(Shipment { tariffs, parcel }))
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
    let Shipment { tariffs, parcel } = shipment;
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

/// The second job: the order, whole or not at all.
pub(super) fn place(tx: &mut dyn Tx, at: &Work, placement: &Placement) -> Result<Placed> {
    let Placement { customer, staff, order, shipping: option, request, rules } = placement;
    if let Some(order) = request.stored_answer(tx, at.now())? {
        return Ok(Placed { order, replayed: true });
    }
    let address = account::address(tx, customer, &order.address_id)?
        .ok_or(Error::NotFound(Entity::Address))?;
    let wanted = wanted_lines(tx, customer, order)?;
    let lines = price_lines(tx, &wanted)?;
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
    let order = new_order(tx, at, placement, (id, coupon), address.into(), lines, &totals)?;
    packing::insert(tx, &order.id, &plan, option.as_ref())?;
    if placement.order.cart_items.is_none() {
        cart::empty(tx, customer.as_str())?;
    }
    event::emit(tx, at, EventName::OrderCreated, &EventOrder::from(&order))?;
    if let Some(by) = staff {
        note_staff(tx, at, by, &order)?;
    }
    let mail = OrderMail::OrderPlaced { order: Box::new(order.clone()) };
    account::enqueue_mail(tx, at, customer, &mail)?;
    stock::announce(tx, at, &changes)?;
    let order = settlement::pay_nothing(tx, at, order)?;
    request.store_answer(tx, at.now(), &order)?;
    Ok(Placed { order, replayed: false })
}

/// Writes down who placed an order for its customer.
fn note_staff(tx: &mut dyn Tx, at: &Work, by: &Actor, order: &Order) -> Result<()> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Noted<'a> {
        order_number: &'a str,
        customer_id: &'a AccountId,
        total: Money,
    }
    let Order { id, order_number, user_id: customer_id, total, .. } = order;
    let noted = Noted { order_number, customer_id, total: *total };
    audit::record(tx, at, by, "order.place", id.as_str(), &(), &noted)
}

/// The lines asked for, those of the same item summed.
fn wanted_lines(
    tx: &mut dyn Tx,
    customer: &AccountId,
    order: &PlaceOrder,
) -> Result<Vec<(ProductId, Option<VariantId>, i64)>> {
    let given = match &order.cart_items {
        Some(items) => items.iter().map(line_of).collect(),
        None => cart::saved_lines(tx, customer.as_str())?
            .into_iter()
            .map(|line| (line.product_id, line.variant_id, line.quantity))
            .collect::<Vec<_>>(),
    };
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

fn line_of(item: &PlaceItem) -> (ProductId, Option<VariantId>, i64) {
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

fn price_lines(
    tx: &mut dyn Tx,
    wanted: &[(ProductId, Option<VariantId>, i64)],
) -> Result<Vec<PricedLine>> {
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
    let mut changes = Vec::with_capacity(lines.len());
    // In the order in which every transaction locks items ([`store::stock_lines`]).
    let mut lines: Vec<_> = lines.iter().collect();
    lines.sort_unstable_by(|one, other| one.stock.item_id.cmp(&other.stock.item_id));
    for line in lines {
        changes.push(stock::take_or_refuse(tx, at, &line.stock, &line.offered.name, order)?);
    }
    Ok(changes)
}

fn new_order(
    tx: &mut dyn Tx,
    at: &Work,
    placement: &Placement,
    (id, coupon): (OrderId, Option<CouponId>),
    address: OrderAddress,
    lines: Vec<PricedLine>,
    totals: &Totals,
) -> Result<Order> {
    let mut order = Order {
        id,
        order_number: number::next(tx, &placement.rules.order_prefix, at.now())?,
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
        address,
        buyer: account::get(tx, &placement.customer)?.and_then(|account| account.buyer()),
        payment: OrderPayment::before_any(totals.total),
        created_at: at.now(),
        updated_at: at.now(),
    };
    store::insert(tx, &NewOrder { order: &order, coupon: coupon.as_ref() })?;
    for (position, line) in (1..).zip(lines) {
        let item = item(store::item_id(&order.id, position), &line);
        let PricedLine { stock, offered, .. } = line;
        let weight = offered.packed.weight.unwrap_or(Weight::DEFAULT);
        store::insert_item(tx, &order.id, position, &stock.item_id, weight, &item)?;
        order.items.push(item);
    }
    Ok(order)
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
