//! The shop on its first day.

use serde_json::json;
use shop_core::account::ExternalCustomer;
use shop_core::actor::Actor;
use shop_core::{Result, Shop};

use super::model::{Coupon, Customer, Model, Off, Product};
use super::perform::input;
use super::rng::Rng;

/// Products, coupons and customers.
pub(crate) async fn furnish(shop: &Shop, rng: &mut Rng) -> Result<Model> {
    let mut model = Model::default();
    for nth in 0..4 {
        model.products.push(product(shop, nth, rng).await?);
    }
    for (nth, off) in [Off::Percent(10), Off::Percent(33), Off::Cents(1_500), Off::Cents(500_000)]
        .into_iter()
        .enumerate()
    {
        model.coupons.push(coupon(shop, nth, off, rng).await?);
    }
    for nth in 0..3 {
        model.customers.push(customer(shop, nth).await?);
    }
    Ok(model)
}

async fn product(shop: &Shop, nth: usize, rng: &mut Rng) -> Result<Product> {
    let (price, shelf) = (rng.between(100, 9_000), rng.between(2, 15));
    let sku = format!("SKU-{nth}");
    let new = input(&json!({
        "name": format!("Vela {nth}"), "slug": format!("vela-{nth}"), "price": shop_core::money::Money::from_cents(price),
        "stock": shelf, "sku": sku, "active": true,
    }));
    let made = shop.products().create(&Actor::System, new, None).await?.product;
    Ok(Product { id: made.id, sku, price, active: true, shelf })
}

async fn coupon(shop: &Shop, nth: usize, off: Off, rng: &mut Rng) -> Result<Coupon> {
    let (code, max_uses) = (format!("CUPOM{nth}"), rng.between(1, 4));
    let (min, (kind, value)) = (
        rng.between(0, 5_000),
        match off {
            Off::Percent(percent) => ("PERCENT", percent * 100),
            Off::Cents(cents) => ("FIXED", cents),
        },
    );
    let reais = shop_core::money::Money::from_cents;
    let new = input(&json!({
        "code": code, "type": kind, "value": reais(value), "minOrderValue": reais(min),
        "maxUses": max_uses, "active": true,
    }));
    let id = shop.coupons().create(&Actor::System, new).await?.id;
    let max_uses = usize::try_from(max_uses).unwrap_or(1);
    Ok(Coupon {
        id,
        code,
        off,
        min,
        max_uses,
        active: true,
        uses: std::collections::BTreeSet::new(),
    })
}

async fn customer(shop: &Shop, nth: usize) -> Result<Customer> {
    let name = format!("Cliente {nth}").parse().expect("a name");
    let email = format!("cliente{nth}@example.com").parse().expect("an address");
    let key = format!("cliente-{nth}").parse().expect("a key");
    let account = shop.accounts().ensure(&key, ExternalCustomer::new(name, email)).await?;
    let home = input(&json!({
        "label": "Casa", "street": "Rua das Flores", "number": "123", "district": "Centro",
        "city": "São Paulo", "state": "SP", "zipCode": "01001000"
    }));
    let address = shop.addresses().create(&account.id, home).await?.id;
    Ok(Customer { id: account.id, address, active: true, cart: std::collections::BTreeMap::new() })
}
