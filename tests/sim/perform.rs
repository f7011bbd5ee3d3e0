//! How what people and programs do is asked of the shop.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::clock::Timestamp;
use shop_core::idempotency::IdempotencyKey;
use shop_core::money::Money;
use shop_core::settlement::{ProviderNotice, SignedEvent};
use shop_core::{Result, Shop};

use super::action::{Action, Placement};
use super::bank::Bank;
use super::house::SECRET;
use super::model::Model;

/// To whom invoices are written.
const BUYER: &str = "52998224725";

/// An input as it comes over a wire.
pub(crate) fn input<T: DeserializeOwned>(json: &Value) -> T {
    serde_json::from_str(&json.to_string()).expect("a valid input")
}

fn key(text: &str) -> IdempotencyKey {
    text.parse().expect("a key")
}

fn reais(cents: i64) -> Money {
    Money::from_cents(cents)
}

/// Asks it of the shop. The answer is an order's id where one was placed.
pub(crate) async fn perform(
    shop: &Shop,
    model: &Model,
    bank: &Bank,
    action: &Action,
) -> Result<Option<String>> {
    match action {
        Action::Place(placement) => return place(shop, model, placement).await.map(Some),
        Action::PlaceAgain(nth) => return place(shop, model, &model.keyed[*nth].0).await.map(Some),
        Action::AddToCart { customer, product, units } => {
            let item = json!({ "productId": model.products[*product].id, "quantity": units });
            shop.carts().add(&model.customers[*customer].id, input(&item)).await.map(drop)
        }
        Action::ClearCart { customer } => {
            shop.carts().clear(&model.customers[*customer].id).await.map(drop)
        }
        Action::SetStatus { order, to } => {
            let order = model.orders[*order].id.as_str().into();
            let change = input(&json!({ "status": to }));
            shop.orders().update(&Actor::System, &order, change, None).await.map(drop)
        }
        Action::Suspend { customer, active } => {
            let (by, id) = (&Actor::System, &model.customers[*customer].id);
            let active = input(&json!({ "active": active }));
            shop.customers().set_active(by, id, active, None).await.map(drop)
        }
        Action::RunDue => shop.run_due().await.map(drop),
        Action::AskReturn { .. } | Action::Receive { .. } | Action::RefundReturn { .. } => {
            goods(shop, model, action).await
        }
        Action::Notice { .. } | Action::ForgedNotice { .. } | Action::Event { .. } => {
            notices(shop, bank, action).await
        }
        Action::Pix { .. }
        | Action::Card { .. }
        | Action::Intent { .. }
        | Action::Cancel { .. }
        | Action::Refund { .. }
        | Action::RefundAgain(_)
        | Action::Record { .. }
        | Action::Reconcile { .. } => money(shop, model, bank, action).await,
        Action::Invoice { .. } | Action::CancelInvoice { .. } | Action::GiveUpInvoice { .. } => {
            invoices(shop, model, action).await
        }
        _ => catalogue(shop, model, action).await,
    }?;
    Ok(None)
}

async fn place(shop: &Shop, model: &Model, placement: &Placement) -> Result<String> {
    let customer = &model.customers[placement.customer];
    let mut order = json!({ "addressId": customer.address });
    if !placement.from_cart {
        let line =
            |(it, n): &(usize, i64)| json!({ "productId": model.products[*it].id, "quantity": n });
        order["cartItems"] = placement.lines.iter().map(line).collect();
    }
    if let Some(coupon) = placement.coupon {
        order["couponCode"] = json!(model.coupons[coupon].code);
    }
    if let Some(option) = placement.option {
        order["shippingOptionId"] = json!(option);
    }
    let key = placement.key.as_deref().map(key);
    let placed = shop.orders().place(&customer.id, input(&order), key).await?;
    Ok(placed.order.id.to_string())
}

async fn money(shop: &Shop, model: &Model, bank: &Bank, action: &Action) -> Result<()> {
    let payments = shop.payments();
    let of = |place: &usize| {
        let order = &model.orders[*place];
        (&model.customers[order.customer].id, order.id.as_str().into())
    };
    match action {
        Action::Pix { order } => {
            let (customer, order) = of(order);
            payments.create_pix(customer, &order, None).await.map(drop)
        }
        Action::Card { order, token } => {
            let (customer, order) = of(order);
            let card = json!({
                "orderId": order, "token": token, "paymentMethodId": "visa", "installments": 1
            });
            payments.pay_by_card(customer, input(&card), None).await.map(drop)
        }
        Action::Intent { order } => {
            let (customer, order) = of(order);
            let intent = payments.create_intent(customer, &order, None).await?;
            bank.hand_over(&intent.payment_intent_id);
            Ok(())
        }
        Action::Cancel { order } => {
            let (customer, order) = of(order);
            payments.cancel_order(customer, &order).await.map(drop)
        }
        Action::Record { order } => {
            let transfer = input(&json!({ "method": "TRANSFER" }));
            payments.record(&Actor::System, &of(order).1, transfer, None).await.map(drop)
        }
        Action::Reconcile { order } => payments.reconcile(&of(order).1).await.map(drop),
        Action::Refund { order, amount, key } => refund(shop, &of(order).1, *amount, key).await,
        Action::RefundAgain(nth) => {
            let asked = &model.refunds[*nth];
            refund(shop, &of(&asked.order).1, asked.amount, &asked.key).await
        }
        _ => Ok(()),
    }
}

async fn refund(
    shop: &Shop,
    order: &shop_core::id::OrderId,
    amount: Option<i64>,
    name: &str,
) -> Result<()> {
    let back = input(&json!({ "amount": amount.map(reais) }));
    shop.payments().refund(&Actor::System, order, back, Some(key(name))).await.map(drop)
}

async fn goods(shop: &Shop, model: &Model, action: &Action) -> Result<()> {
    let (returns, by) = (shop.returns(), &Actor::System);
    match action {
        Action::AskReturn { order, units } => {
            let order = &model.orders[*order];
            let items = json!([{ "orderItemId": format!("{}-1", order.id), "quantity": units }]);
            let asked = input(&json!({ "items": items, "reason": "Não serviu" }));
            let customer = &model.customers[order.customer].id;
            returns.request(customer, &order.id.as_str().into(), asked, None).await.map(drop)
        }
        Action::Receive { place, restock } => {
            let id = model.returns[*place].as_str().into();
            let returned = returns.get_detail(&id).await?.returned;
            let arrived = |it: &shop_core::order_return::ReturnItem| {
                let restock = (*restock).min(it.quantity);
                json!({ "orderItemId": it.order_item_id, "quantity": it.quantity, "restock": restock })
            };
            let items: Vec<Value> = returned.items.iter().map(arrived).collect();
            let came = input(&json!({ "items": items }));
            returns.receive(by, &id, came, None, None).await.map(drop)
        }
        Action::RefundReturn { place } => {
            let id = model.returns[*place].as_str().into();
            returns.refund(by, &id, input(&json!({})), None, None).await.map(drop)
        }
        _ => Ok(()),
    }
}

async fn invoices(shop: &Shop, model: &Model, action: &Action) -> Result<()> {
    let (invoices, by) = (shop.invoices(), &Actor::System);
    let id = |order: &usize| model.orders[*order].id.as_str().into();
    match action {
        Action::Invoice { order } => {
            let buyer: shop_core::value::Cpf = BUYER.parse().expect("a CPF");
            invoices.emit(by, &id(order), Some(buyer)).await.map(drop)
        }
        Action::CancelInvoice { order } => {
            invoices.cancel(by, &id(order), input(&json!({}))).await.map(drop)
        }
        Action::GiveUpInvoice { order } => {
            invoices.disable_number(by, &id(order), input(&json!({}))).await.map(drop)
        }
        _ => Ok(()),
    }
}

async fn catalogue(shop: &Shop, model: &Model, action: &Action) -> Result<()> {
    let (stock, by) = (shop.stock(), &Actor::System);
    match action {
        Action::SetStock { product, units } => {
            let units = (*units).try_into().expect("units");
            stock.set(by, &model.products[*product].id, None, units, None).await.map(drop)
        }
        Action::CountStock { product, units } => {
            let units = (*units).try_into().expect("units");
            stock.count(by, &model.products[*product].sku, units, None).await.map(drop)
        }
        Action::ChangeStock { product, by: delta } => {
            let id = &model.products[*product].id;
            let change = json!({ "type": "delta", "productId": id, "delta": delta });
            stock.apply(by, input(&change), None).await.map(drop)
        }
        Action::SyncStock { items } => {
            let item = |(product, units): &(usize, i64)| json!({ "sku": model.products[*product].sku, "stock": units });
            let items: Vec<Value> = items.iter().map(item).collect();
            let sync = json!({ "type": "sync", "items": items });
            stock.apply(by, input(&sync), None).await.map(drop)
        }
        Action::EditProduct { product, price, active } => {
            let patch = input(&json!({ "price": reais(*price), "active": active }));
            let id = &model.products[*product].id;
            shop.products().update(by, id, patch, None).await.map(drop)
        }
        Action::SwitchCoupon { coupon, active } => {
            let patch = input(&json!({ "active": active }));
            shop.coupons().update(by, &model.coupons[*coupon].id, patch, None).await.map(drop)
        }
        _ => Ok(()),
    }
}

async fn notices(shop: &Shop, bank: &Bank, action: &Action) -> Result<()> {
    let (payments, now) = (shop.payments(), shop.now());
    match action {
        Action::Notice { payment } => payments.receive_notice(notice(SECRET, payment, now)).await,
        Action::ForgedNotice { payment } => {
            payments.receive_notice(notice("guessed", payment, now)).await
        }
        Action::Event { payment } => match bank.event(payment) {
            Some(event) => {
                let body = event.to_string().into_bytes();
                let seconds = now.seconds();
                let v1 = hmac(SECRET, &[format!("{seconds}.").as_bytes(), &body].concat());
                let signature = Some(format!("t={seconds},v1={v1}"));
                payments.receive_event(SignedEvent { signature, body }).await
            }
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

fn notice(secret: &str, id: &str, now: Timestamp) -> ProviderNotice {
    let (request, seconds) = (format!("request-{id}"), now.seconds());
    let v1 = hmac(secret, format!("id:{id};request-id:{request};ts:{seconds};").as_bytes());
    ProviderNotice {
        data_id: Some(id.to_owned()),
        request_id: Some(request),
        signature: Some(format!("ts={seconds},v1={v1}")),
        kind: Some("payment".to_owned()),
    }
}

fn hmac(secret: &str, text: &[u8]) -> String {
    use hmac::{Hmac, KeyInit, Mac};
    let mac = Hmac::<sha2::Sha256>::new_from_slice(secret.as_bytes());
    let mut mac = mac.expect("any key");
    mac.update(text);
    hex::encode(mac.finalize().into_bytes())
}
