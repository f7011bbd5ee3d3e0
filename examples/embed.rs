//! A whole purchase inside a program of your own, without HTTP.
//! `cargo run -p shop-examples --example embed`

use shop_core::account::{NewAddress, Register};
use shop_core::actor::Actor;
use shop_core::catalog::NewProduct;
use shop_core::checkout::{PlaceItem, PlaceOrder};
use shop_core::{Config, Shop};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let database = folder.path().join("shop.db").display().to_string();
    let shop = Shop::open(Config { database, ..Config::default() }).await?;

    let candle = NewProduct::new("Vela de Lavanda".parse()?, "49.90".parse()?, 10.try_into()?)?;
    let candle = shop.products().create(&Actor::System, candle, None).await?.product;

    let (name, email) = ("Ana Souza".parse()?, "ana@example.com".parse()?);
    let register = Register { name, email, password: "segredo-123".parse()? };
    let ana = shop.accounts().register(register).await?.account;
    let address = shop.addresses().create(&ana.id, home()?).await?;

    let items = vec![PlaceItem::new(candle.id, 2.try_into()?)];
    let order = PlaceOrder { cart_items: Some(items), ..PlaceOrder::to(address.id) };
    let order = shop.orders().place(&ana.id, order, None).await?.order;
    let pix = shop.payments().create_pix(&ana.id, &order.id, None).await?;
    println!("{}: R$ {}\n{}", order.order_number, order.total, pix.qr_code_text);

    let paid = shop.sandbox().pay(&order.order_number).await?;
    println!("{:?}, paid by {:?}", paid.status, paid.payment);
    Ok(())
}

fn home() -> Result<NewAddress, Box<dyn std::error::Error>> {
    Ok(NewAddress {
        label: "Casa".parse()?,
        street: "Rua das Flores".parse()?,
        number: "123".parse()?,
        complement: None,
        district: "Centro".parse()?,
        city: "São Paulo".parse()?,
        state: "SP".parse()?,
        zip_code: "01001-000".parse()?,
        is_default: None,
    })
}
