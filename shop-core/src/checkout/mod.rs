//! Checkout: a cart, or a list of items, becomes an order.

mod freight;
mod limits;
mod lines;
mod locks;
mod number;
mod place;
mod plan;
mod prefetch;
mod totals;

use std::sync::Arc;

use serde::Serialize;

use self::freight::Freight;
use self::lines::Item;
use self::place::Placement;
use self::plan::Plan;
use crate::actor::Actor;
use crate::context::Work;
use crate::coupon;
use crate::error::Result;
use crate::id::{AccountId, AddressId, CouponId, ProductId, ShippingOptionId, VariantId};
use crate::idempotency::{IdempotencyKey, IdempotentRequest};
use crate::lane;
use crate::money::Money;
use crate::order::{Order, Orders};
use crate::shipping::ShippingRules;
use crate::storage::Tx;
use crate::value::{OptionalText, Quantity};

/// An order to be placed.
#[apply(input!)]
#[derive(Serialize)]
pub struct PlaceOrder {
    /// Where it goes: an address of the customer's address book.
    pub address_id: AddressId,
    /// What is bought; the saved cart where it is left out. A price sent with an item is ignored.
    pub cart_items: Option<Vec<PlaceItem>>,
    /// The customer's note to the shop.
    pub notes: Option<OptionalText<1000>>,
    /// A coupon, checked again now.
    pub coupon_id: Option<CouponId>,
    /// A coupon by its code, as the shopper typed it: in whatever case, with blanks around it.
    /// Empty is none, and where `couponId` is there too, that one counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coupon_code: Option<OptionalText<200>>,
    /// An option of a shipping quote; the cheapest one where it is left out.
    pub shipping_option_id: Option<ShippingOptionId>,
    /// The total that the shopper saw. Where the order would have another one, because a price, the
    /// coupon or the freight changed meanwhile, it is not placed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_total: Option<Money>,
}

/// A line of an order to be placed; lines of the same product and variant are summed.
#[apply(input!)]
#[derive(Serialize)]
pub struct PlaceItem {
    /// The product.
    pub product_id: ProductId,
    /// The variant, if one was chosen.
    pub variant_id: Option<VariantId>,
    /// Units.
    pub quantity: Quantity,
}

impl PlaceItem {
    /// So many units of a product itself, without a variant.
    pub fn new(product_id: ProductId, quantity: Quantity) -> Self {
        Self { product_id, variant_id: None, quantity }
    }

    /// So many units of a variant of a product.
    pub fn of_variant(product_id: ProductId, variant_id: VariantId, quantity: Quantity) -> Self {
        Self { product_id, variant_id: Some(variant_id), quantity }
    }
}

impl PlaceOrder {
    /// An order of the saved cart, without notes or a coupon, sent in the cheapest way; set the
    /// other fields on it.
    pub fn to(address_id: AddressId) -> Self {
        Self {
            address_id,
            cart_items: None,
            notes: None,
            coupon_id: None,
            coupon_code: None,
            shipping_option_id: None,
            expected_total: None,
        }
    }

    /// The coupon that it names.
    fn coupon(&self) -> Option<coupon::Named<'_>> {
        let code = self.coupon_code.as_ref().map(OptionalText::as_str);
        match (&self.coupon_id, code.filter(|code| !code.is_empty())) {
            (Some(id), _) => Some(coupon::Named::Id(id)),
            (None, Some(code)) => Some(coupon::Named::Code(code)),
            (None, None) => None,
        }
    }
}

/// The answer to [`Orders::place`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Placed {
    /// The order as it was placed.
    pub order: Order,
    /// Whether this is the first answer again, without a second order.
    pub replayed: bool,
}

impl Orders<'_> {
    /// Places an order: takes the units off the shelf, fixes prices and totals, and gives it a
    /// number, all or nothing. With a key, a repeat gives the first answer again.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) for an address that is not the customer's and
    /// for an unknown coupon; [`Error::Refused`](crate::Error::Refused) for an empty cart, a
    /// product off sale or without the variant that it needs, too little stock, a coupon that does
    /// not hold, an unknown shipping option, more than one customer may take before paying
    /// (`orders.max_units_per_order`, `orders.max_open_unpaid`, `orders.max_per_hour`), or a key
    /// that was used for another request;
    /// [`Conflict::TotalChanged`](crate::error::Conflict::TotalChanged);
    /// [`Error::Busy`](crate::Error::Busy), also where the address or the saved cart changed while
    /// carriers were asked.
    ///
    /// Cancel safe: one transaction, done or not.
    #[tracing::instrument(name = "order.place", level = "debug", skip_all)]
    pub async fn place(
        &self,
        customer: &AccountId,
        order: PlaceOrder,
        key: Option<IdempotencyKey>,
    ) -> Result<Placed> {
        self.place_by(None, customer, order, key).await
    }

    /// Places an order for a customer, who is on the telephone or at the counter: as
    /// [`Orders::place`], but without the limits of what one customer may take before paying. The
    /// audit log keeps who did it, as `order.place`.
    ///
    /// ```
    /// # shop_core::testing::run(async |shop| {
    /// use shop_core::actor::Actor;
    /// use shop_core::audit::AuditFilter;
    /// use shop_core::checkout::{PlaceItem, PlaceOrder};
    ///
    /// let candle = shop.product("Vela de Lavanda", "49.90", 10).await?;
    /// let ana = shop.buyer("Ana").await?;
    /// let items = vec![PlaceItem::new(candle.id, 2.try_into()?)];
    /// let order = PlaceOrder { cart_items: Some(items), ..PlaceOrder::to(ana.address) };
    /// let counter = Actor::host("balcão")?;
    /// let order = shop.orders().place_for(&counter, &ana.id, order, None).await?.order;
    /// assert_eq!(order.user_id, ana.id);
    /// let log = shop.audit().list(AuditFilter::default()).await?;
    /// assert_eq!(log.data[0].action, "order.place");
    /// assert_eq!(log.data[0].actor.name.as_deref(), Some("balcão"));
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// As [`Orders::place`], but for the limits.
    ///
    /// Cancel safe: one transaction, done or not.
    #[tracing::instrument(name = "order.place_for", level = "debug", skip_all)]
    pub async fn place_for(
        &self,
        by: &Actor,
        customer: &AccountId,
        order: PlaceOrder,
        key: Option<IdempotencyKey>,
    ) -> Result<Placed> {
        self.place_by(Some(by), customer, order, key).await
    }

    async fn place_by(
        &self,
        staff: Option<&Actor>,
        customer: &AccountId,
        order: PlaceOrder,
        key: Option<IdempotencyKey>,
    ) -> Result<Placed> {
        let operation = match staff {
            None => "order.place".to_owned(),
            // Staff's keys are apart from the customer's and from those of other staff.
            Some(by) => {
                format!("order.place:{}:{}", by.kind().as_str(), by.id().unwrap_or_default())
            }
        };
        let request = IdempotentRequest::new(key, customer.as_str(), &operation, &order)?;
        let (freight, items) = if self.quotes.has_carriers() && !Freight::is_own(&order) {
            let plan::Shipment { tariffs, quoted } =
                match self.plan(customer, &order, &request).await? {
                    Plan::Replay(order) => return Ok(Placed { order: *order, replayed: true }),
                    Plan::Ship(shipment) => shipment,
                };
            let wanted = order.shipping_option_id.as_ref();
            let option = plan::choose(self.quotes, tariffs, quoted.parcel.as_ref(), wanted).await?;
            let items = quoted.items.clone();
            (Freight::Quoted { option, quoted }, items)
        } else {
            (Freight::OfTariffs, self.items(customer, &order).await?)
        };
        let (customer, staff) = (customer.clone(), staff.cloned());
        let rules = totals::Rules::of(self.cx.config());
        let placement = Placement { customer, staff, order, freight, request, rules };
        // Carriers may have taken a while.
        let placed = self.write_order(self.cx.work(), placement, &items).await?;
        self.cx.mail_written();
        Ok(placed)
    }

    /// What carriers are to be asked about, or the order that was placed by the same request.
    async fn plan(
        &self,
        customer: &AccountId,
        order: &PlaceOrder,
        request: &IdempotentRequest,
    ) -> Result<Plan> {
        let (at, customer) = (self.cx.work(), customer.clone());
        let (order, request) = (order.clone(), request.clone());
        let rules = ShippingRules::of(&self.cx.config().shipping);
        let plan = move |tx: &mut dyn Tx| plan::plan(tx, &at, &customer, &order, &request, rules);
        // Every line is priced and weighed, which takes a query or three each.
        self.cx.db().read("order.plan", plan).await
    }

    /// What is ordered, as far as it matters which rows the order will change.
    async fn items(&self, customer: &AccountId, order: &PlaceOrder) -> Result<Vec<Item>> {
        if let Some(given) = lines::given(order) {
            return lines::summed(given);
        }
        let customer = customer.clone();
        let saved = move |tx: &mut dyn Tx| {
            // Where one order at a time is placed nobody locks anything.
            if tx.dialect().is_remote { lines::saved(tx, &customer) } else { Ok(Vec::new()) }
        };
        self.cx.db().lookup("order.items", saved).await
    }

    async fn write_order(&self, at: Work, placement: Placement, items: &[Item]) -> Result<Placed> {
        let beforehand = (locks::of(&placement, items), prefetch::of(&placement, items));
        let shared = Arc::new((at, placement));
        let [draft, take, finish] = [(); 3].map(|()| Arc::clone(&shared));
        let draft = move |tx: &mut dyn Tx| place::draft(tx, &draft.0, &draft.1);
        let take = move |tx: &mut dyn Tx, draft| place::take(tx, &take.0, &take.1, draft);
        let finish = move |tx: &mut dyn Tx, draft| number::finish(tx, &finish.0, &finish.1, draft);
        let db = self.cx.db();
        db.write_concurrent(lane::ORDERS, "order.place", beforehand, draft, take, finish).await
    }
}
