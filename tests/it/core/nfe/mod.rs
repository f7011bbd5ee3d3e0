//! Electronic invoices.

mod address;
mod buyer;
mod called_off;
mod correction;
mod crash;
mod customer_copy;
mod document;
mod dropped;
mod export;
mod fiscal;
mod issuing;
mod office;
mod order;
mod read;
mod responsible;
mod returns;
mod rules;
mod samples;
mod validators;

use std::io::Cursor;

use futures_util::TryStreamExt;
use serde_json::json;
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::id::ProductId;
use shop_core::invoicing::IssuedInvoice;
use shop_core::order::Order;
use zip::ZipArchive;

use super::fixture::{Buyer, TestShop};

/// A valid CPF.
pub(crate) const CPF: &str = "52998224725";

/// An order of one product, paid by PIX.
pub(crate) async fn paid(test: &TestShop, buyer: &Buyer, product: &ProductId, units: i64) -> Order {
    let order = test.buy(buyer, product, units).await.expect("placed");
    test.shop.sandbox().pay(&order.order_number).await.expect("paid")
}

/// A buyer with a paid order of two candles.
pub(crate) async fn sold(test: &TestShop) -> Order {
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 100, 4990).await;
    paid(test, &buyer, &vela, 2).await
}

pub(crate) async fn emit(shop: &Shop, order: &Order) -> shop_core::Result<IssuedInvoice> {
    let cpf = json!(CPF);
    let cpf = serde_json::from_value(cpf).expect("a CPF");
    shop.invoices().emit(&Actor::System, &order.id, Some(cpf)).await
}

/// All that was issued in a month.
pub(crate) async fn archive(shop: &Shop, month: &str) -> ZipArchive<Cursor<Vec<u8>>> {
    let pieces = shop.invoices().export(month.parse().expect("a month"));
    let bytes = pieces.try_concat().await.expect("a ZIP");
    ZipArchive::new(Cursor::new(bytes)).expect("a ZIP")
}
