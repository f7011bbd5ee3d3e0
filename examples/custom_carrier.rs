//! A carrier of one's own: a courier of the neighbourhood, which is preferred in its own
//! neighbourhood.
//! `cargo run -p shop-examples --example custom_carrier`

use std::error::Error;
use std::sync::Arc;

use shop_core::BoxFuture;
use shop_core::actor::Actor;
use shop_core::checkout::{PlaceItem, PlaceOrder};
use shop_core::clock::Timestamp;
use shop_core::money::Money;
use shop_core::shipping::{
    CalculateShipping, CarrierError, CarrierOption, CarrierQuotes, NewTariff, Parcel,
};
use shop_core::testing::TestShop;

/// What the courier carries at most, in grams.
const LOAD: i64 = 15_000;

/// Rides through the centre of São Paulo, and asks by distance and weight.
struct Courier;

impl CarrierQuotes for Courier {
    fn name(&self) -> &'static str {
        "Entregas do Bairro"
    }

    fn quote<'a>(
        &'a self,
        parcel: &'a Parcel,
        _: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<CarrierOption>, CarrierError>> {
        // One that has to ask somebody does so in here; a shop waits for eight seconds at most.
        Box::pin(async move { Ok(offer(parcel).into_iter().collect()) })
    }
}

fn offer(parcel: &Parcel) -> Option<CarrierOption> {
    let fare = match parcel.to.as_str().get(..3)? {
        "010" => 690,
        "011" | "012" | "013" => 990,
        _ => return None,
    };
    let grams = parcel.weight.grams();
    (grams <= LOAD).then(|| CarrierOption {
        id: "bairro-1".to_owned(),
        name: "Bicicleta, no mesmo dia".to_owned(),
        price: Money::from_cents(fare + grams / 1000 * 50),
        estimated_days: 0,
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let shop = TestShop::with(|builder| builder.carriers(vec![Arc::new(Courier)])).await?;
    let tariff = NewTariff {
        name: "Brasil".parse()?,
        states: vec!["SP".parse()?, "RJ".parse()?],
        price: "24.90".parse()?,
        estimated_days: 7,
    };
    shop.shipping().create_tariff(&Actor::System, tariff).await?;

    for (cep, cents) in [("01001-000", 690), ("01310-100", 990), ("20010-020", 2490)] {
        let wanted = CalculateShipping::new(cep.parse()?, "49.90".parse()?);
        let quote = shop.shipping().calculate(wanted).await?;
        let best = quote.options.first().ok_or("nobody goes there")?;
        println!("{cep}: {} R$ {}, {} dias", best.name, best.price, best.estimated_days);
        assert_eq!(best.price, Money::from_cents(cents), "{cep}");
    }

    let candle = shop.product("Vela de Lavanda", "49.90", 10).await?;
    let ana = shop.buyer("Ana").await?;
    let items = vec![PlaceItem::new(candle.id, 1.try_into()?)];
    let order = PlaceOrder { cart_items: Some(items), ..PlaceOrder::to(ana.address) };
    let order = shop.orders().place(&ana.id, order, None).await?.order;
    println!("{}: frete R$ {}, total R$ {}", order.order_number, order.shipping, order.total);
    assert_eq!(order.total, Money::from_cents(4990 + 690));
    Ok(())
}
