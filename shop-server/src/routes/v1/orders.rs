//! Orders (`/api/v1/orders`), with the personal data that an ERP needs to bill and to send them.

use shop_core::clock::Timestamp;
use shop_core::fiscal::Buyer;
use shop_core::id::{AccountId, OrderId, ProductId, VariantId};
use shop_core::money::Money;
use shop_core::order::{OrderAddress, OrderItem, OrderPatch, OrderPayment, OrderStatus};
use shop_core::page::CursorPage;
use shop_core::value::{Cpf, Text, not_null, nullable};
use shop_core::views::{OrderCustomer, OrderRecord, OrderRecordFilter};

use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    vec![
        key(OrdersRead, Method::GET, "/api/v1/orders", "v1ListOrders", list).about(
            "The orders of all customers, the latest first, page by page or from cursor to cursor",
        ),
        key(OrdersRead, Method::GET, "/api/v1/orders/{id}", "v1GetOrder", get)
            .about("An order of any customer"),
        key(OrdersWrite, Method::PATCH, "/api/v1/orders/{id}", "v1UpdateOrder", update)
            .about("Move an order, or say by what its parcel is found")
            .fails(&[Code::InsufficientStock])
            .details(
                "From any status to any other. An order that is cancelled or refunded gives its \
                 stock back; one that comes back from there takes it again, if it can.",
            ),
    ]
}

/// An order as programs read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct V1Order {
    id: OrderId,
    /// The number that people use.
    order_number: String,
    user_id: AccountId,
    status: OrderStatus,
    /// The line items together.
    subtotal: Money,
    /// What sending it costs.
    shipping: Money,
    /// What a coupon took off.
    discount: Money,
    /// `subtotal - discount + shipping`.
    total: Money,
    /// What the customer wrote with it.
    notes: Option<String>,
    /// How it is sent.
    shipping_service: Option<String>,
    /// The carrier of the parcel.
    carrier: Option<String>,
    /// By which the carrier finds the parcel.
    tracking_code: Option<String>,
    items: Vec<V1OrderItem>,
    /// The payment that paid it, else the latest attempt.
    payment: OrderPayment,
    /// As the account is now; an erased one is called `Cliente`.
    customer: V1Customer,
    /// Whom the order is billed to: who bought when it was placed, a company where there is a
    /// `cnpj`. Null where no number was given.
    buyer: Option<Buyer>,
    /// As it was when the order was placed.
    address: OrderAddress,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// A line item. Name and price are as they were when the order was placed.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct V1OrderItem {
    id: String,
    product_id: ProductId,
    variant_id: Option<VariantId>,
    /// The article number that it has now, unless it was deleted.
    sku: Option<String>,
    quantity: i64,
    /// Of one unit.
    price: Money,
    /// Of all units.
    total: Money,
    product_name_snapshot: String,
    variant_snapshot: Option<String>,
}

/// The customer of an order.
#[derive(Debug, Serialize, JsonSchema)]
struct V1Customer {
    id: AccountId,
    name: String,
    email: String,
    phone: Option<String>,
    /// Eleven digits.
    cpf: Option<Cpf>,
}

/// How far an order is. Nothing about its customer: a key that may write need not be one that may
/// read.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct V1OrderState {
    id: OrderId,
    /// The number that people use.
    order_number: String,
    status: OrderStatus,
    /// The carrier of the parcel.
    carrier: Option<String>,
    /// By which the carrier finds the parcel.
    tracking_code: Option<String>,
    updated_at: Timestamp,
}

/// What a program changes of an order; what is absent stays.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::option_option, reason = "absent, null and a value are three things")]
struct V1PatchOrder {
    /// Where it moves to; from any to any. The status that it has already changes nothing.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "OrderStatus")]
    status: Option<OrderStatus>,
    /// By which the carrier finds the parcel; null forgets it. One that comes with `SHIPPED` stands
    /// in the customer's mail.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    tracking_code: Option<Option<Text<1, 60>>>,
    /// The carrier of the parcel; null clears it.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    carrier: Option<Option<Text<1, 60>>>,
}

impl V1Order {
    pub(crate) fn of(record: OrderRecord) -> Self {
        let OrderRecord { order, customer, skus, .. } = record;
        let OrderCustomer { id, name, email, phone, cpf, .. } = customer;
        let skus = skus.into_iter().chain(std::iter::repeat(None));
        let items = order.items.into_iter().zip(skus);
        Self {
            id: order.id,
            order_number: order.order_number,
            user_id: order.user_id,
            status: order.status,
            subtotal: order.subtotal,
            shipping: order.shipping,
            discount: order.discount,
            total: order.total,
            notes: order.notes,
            shipping_service: order.shipping_service,
            carrier: order.carrier,
            tracking_code: order.tracking_code,
            items: items.map(|(item, sku)| V1OrderItem::of(item, sku)).collect(),
            payment: order.payment,
            customer: V1Customer { id, name, email: email.to_string(), phone, cpf },
            buyer: order.buyer,
            address: order.address,
            created_at: order.created_at,
            updated_at: order.updated_at,
        }
    }
}

impl V1OrderItem {
    fn of(item: OrderItem, sku: Option<String>) -> Self {
        Self {
            id: item.id.to_string(),
            product_id: item.product_id,
            variant_id: item.variant_id,
            sku,
            quantity: item.quantity,
            price: item.price,
            total: item.total,
            product_name_snapshot: item.product_name_snapshot,
            variant_snapshot: item.variant_snapshot,
        }
    }
}

async fn list(
    call: Call<Key<OrdersRead>>,
    Query(filter): Query<OrderRecordFilter>,
) -> Result<CursorPage<V1Order>> {
    Ok(call.shop().orders().list_records(filter).await?.map(V1Order::of))
}

async fn get(call: Call<Key<OrdersRead>>, Id(id): Id<OrderId>) -> Result<Versioned<V1Order>> {
    let record = call.shop().orders().get_record(&id).await?;
    let revision = record.order.revision()?;
    Ok(Versioned(V1Order::of(record), revision))
}

async fn update(
    call: Call<Key<OrdersWrite>>,
    Id(id): Id<OrderId>,
    IfMatch(expected): IfMatch,
    Json(patch): Json<V1PatchOrder>,
) -> Result<Versioned<V1OrderState>> {
    let V1PatchOrder { status, tracking_code, carrier } = patch;
    let change = OrderPatch { status, tracking_code, carrier, ..OrderPatch::default() };
    let orders = call.shop().orders();
    let order = orders.update(&call.actor(), &id, change, expected).await?.order;
    let revision = order.revision()?;
    let state = V1OrderState {
        id: order.id,
        order_number: order.order_number,
        status: order.status,
        carrier: order.carrier,
        tracking_code: order.tracking_code,
        updated_at: order.updated_at,
    };
    Ok(Versioned(state, revision))
}
