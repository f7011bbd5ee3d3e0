//! Orders: what was bought, at which price, and the state of each.

mod address;
mod customer_notice;
pub(crate) mod daily_stats;
mod event;
mod link;
mod mail;
mod manage;
mod note;
pub(crate) mod number;
mod payment;
mod privacy;
mod status;
pub(crate) mod store;
mod term;
mod told;
mod unpaid;
mod watch;

use serde::Deserialize;

use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::{Entity, Error, Result};
use crate::fiscal::Buyer;
use crate::id::{AccountId, AddressId, CouponId, OrderId, OrderItemId, ProductId, VariantId};
use crate::money::Money;
use crate::shipping::QuoteService;
use crate::value::{Cep, Uf, wire_enum};

pub use self::address::NewOrderAddress;
pub use self::event::{EventOrder, EventOrderItem, EventRefund, EventStatusChange};
pub use self::link::{LinkedOrder, OrderToken};
pub(crate) use self::link::{open as open_link, url as link_url};
pub use self::mail::OrderMail;
pub use self::manage::OrderPatch;
pub(crate) use self::manage::apply;
pub use self::note::{NewOrderNote, OrderNote};
pub(crate) use self::note::{add_own as add_own_note, of_order as notes, write as write_note};
pub use self::payment::OrderPayment;
pub use self::privacy::{ExportedOrder, ExportedPayment};
pub(crate) use self::privacy::{anonymise, export, redact};
pub use self::status::OrderActor;
pub(crate) use self::status::{Change, MovedBy, change_status, stock_suffices};
pub(crate) use self::store::{
    OrderUnits, Withdrawn, addresses_of, adopt, being_prepared, cancelled_by_sweeper, claim_units,
    delivered_at, find, find_by_number, has_any, has_open, has_paid_for, is_unpaid_too_long,
    item_id, must_exist, number_of, owned, position_of, release_units, returned_units, set_buyer,
    set_tracking, shelve, stock_lines, sweep_again, unit_weights, unpaid, was_sent,
};
#[cfg(feature = "nfe")]
pub(crate) use self::store::{
    closed_from, is_opened_unsent, numbers_of, numbers_of_account, weight_grams,
    withdrawn_before_sending,
};

pub(crate) use self::term::Term;
pub(crate) use self::told::told_codes;
pub(crate) use self::unpaid::UnpaidCutoff;
pub use self::watch::{OrderProgress, OrderWatch};

wire_enum! {
    /// The state of an order.
    #[derive(Hash)]
    #[cfg_attr(feature = "schema", schemars(inline))]
    pub enum OrderStatus {
        /// Awaits payment.
        Pending = "PENDING",
        /// Paid, being prepared.
        Processing = "PROCESSING",
        /// Handed to the carrier.
        Shipped = "SHIPPED",
        /// Arrived.
        Delivered = "DELIVERED",
        /// Called off by staff, or by the shop because it stayed unpaid.
        Cancelled = "CANCELLED",
        /// The money went back.
        Refunded = "REFUNDED",
    }
}

impl OrderStatus {
    /// Whether an order in this status holds its units: they are not for sale.
    pub fn holds_stock(self) -> bool {
        !matches!(self, Self::Cancelled | Self::Refunded)
    }

    /// Whether goods of an order in this status are here to be sent, or some of them.
    pub(crate) fn is_shippable(self) -> bool {
        matches!(self, Self::Processing | Self::Shipped)
    }

    /// Whether an order in this status counts as revenue.
    pub fn is_revenue(self) -> bool {
        matches!(self, Self::Processing | Self::Shipped | Self::Delivered)
    }
}

/// An order, complete.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct Order {
    /// A UUID of version 7.
    pub id: OrderId,
    /// The number that people use: `PED-20261121-0001`, with the day in São Paulo.
    pub order_number: String,
    /// The customer's account.
    pub user_id: AccountId,
    /// The address it was placed with; the copy in `address` outlives it.
    pub address_id: AddressId,
    /// The line items together.
    pub subtotal: Money,
    /// What sending it costs.
    pub shipping: Money,
    /// What a coupon took off, never more than the subtotal.
    pub discount: Money,
    /// `subtotal - discount + shipping`.
    pub total: Money,
    /// The order's state.
    pub status: OrderStatus,
    /// What the customer wrote with it.
    pub notes: Option<String>,
    /// How it is sent, e.g. "Econômica".
    pub shipping_service: Option<String>,
    /// By which the carrier finds the parcel.
    pub tracking_code: Option<String>,
    /// Who carries it.
    pub carrier: Option<String>,
    /// What was bought.
    pub items: Vec<OrderItem>,
    /// Where it goes, as it was when the order was placed.
    pub address: OrderAddress,
    /// Who bought, for the invoice, as the account said when the order was placed.
    #[serde(default)]
    pub buyer: Option<Buyer>,
    /// The payment that paid it, else one that was refunded or charged back, else one under review,
    /// else the latest attempt.
    #[serde(deserialize_with = "OrderPayment::or_before_any")]
    pub payment: OrderPayment,
    /// When it was placed.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A line item. Name and price are as they were when the order was placed.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct OrderItem {
    /// The order's id and the position of the line, from 1: `<order>-2`.
    pub id: OrderItemId,
    /// The product, which may have been deleted since.
    pub product_id: ProductId,
    /// The variant, if one was chosen.
    pub variant_id: Option<VariantId>,
    /// Units.
    pub quantity: i64,
    /// The price of one unit.
    pub price: Money,
    /// `price` times `quantity`.
    pub total: Money,
    /// The product's name when it was bought.
    pub product_name_snapshot: String,
    /// The variant's values when it was bought, e.g. "200 g".
    pub variant_snapshot: Option<String>,
    /// What a shopper needs to recognise the line.
    pub product: OrderProduct,
}

/// The product of a line item, as shown to the shopper.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct OrderProduct {
    /// The name when it was bought.
    pub name: String,
    /// Its main picture, if it had one.
    pub images: Vec<OrderImage>,
}

/// A picture of a line item's product.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct OrderImage {
    /// The address of the file.
    pub url: String,
    /// Whether it is the main one.
    pub is_primary: bool,
}

/// Where an order goes.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct OrderAddress {
    /// Street.
    pub street: String,
    /// House number; a text, for there is "s/n".
    pub number: String,
    /// Flat, block and the like.
    pub complement: Option<String>,
    /// District.
    pub district: String,
    /// City.
    pub city: String,
    /// State.
    pub state: Uf,
    /// Postal code.
    pub zip_code: Cep,
}

/// Orders.
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::checkout::{PlaceItem, PlaceOrder};
/// use shop_core::order::OrderStatus;
///
/// let candle = shop.product("Vela de Lavanda", "49.90", 10).await?;
/// let ana = shop.buyer("Ana").await?;
/// let items = vec![PlaceItem::new(candle.id, 2.try_into()?)];
/// let order = PlaceOrder { cart_items: Some(items), ..PlaceOrder::to(ana.address) };
/// let order = shop.orders().place(&ana.id, order, None).await?.order;
/// assert_eq!(order.total.to_string(), "99.80");
///
/// shop.sandbox().pay(&order.order_number).await?;
/// let order = shop.orders().get_for_customer(&ana.id, &order.id).await?;
/// assert_eq!(order.status, OrderStatus::Processing);
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Orders<'a> {
    pub(crate) cx: &'a Context,
    pub(crate) quotes: &'a QuoteService,
}

impl<'a> Orders<'a> {
    pub(crate) fn new(cx: &'a Context, quotes: &'a QuoteService) -> Self {
        Self { cx, quotes }
    }

    /// The customer's orders, newest first.
    ///
    /// Cancel safe: reads only.
    pub async fn list_for_customer(&self, customer: &AccountId) -> Result<Vec<Order>> {
        let customer = customer.clone();
        self.cx.db().read("order.list", move |tx| store::of_account(tx, &customer)).await
    }

    /// One of the customer's orders.
    ///
    /// # Errors
    /// [`Error::NotFound`] also for another customer's.
    ///
    /// Cancel safe: reads only.
    pub async fn get_for_customer(&self, customer: &AccountId, id: &OrderId) -> Result<Order> {
        let (customer, id) = (customer.clone(), id.clone());
        self.cx
            .db()
            .lookup("order.get", move |tx| store::owned(tx, &customer, &id))
            .await?
            .ok_or(Error::NotFound(Entity::Order))
    }

    /// An order by its number, for staff.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    ///
    /// Cancel safe: reads only.
    pub async fn get_by_number(&self, number: &str) -> Result<Order> {
        let number = number.to_owned();
        self.cx
            .db()
            .lookup("order.get_by_number", move |tx| store::find_by_number(tx, &number))
            .await?
            .ok_or(Error::NotFound(Entity::Order))
    }
}
