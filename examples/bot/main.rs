//! A bot that sells by chat, as one on Telegram would, through the library and without HTTP. A chat
//! is a line of standard input, its answer a few lines of standard output.
//! `cargo run -p shop-examples --example bot`, then `/produtos`; or `< examples/bot/conversation.txt`.
//!
//! What a real bot adds is the transport: a loop that polls the messenger and calls
//! [`chat::Chat::hear`] with what somebody wrote.

mod chat;

use std::error::Error;
use std::io::{BufRead, IsTerminal};

use shop_core::actor::Actor;
use shop_core::shipping::NewTariff;
use shop_core::testing::TestShop;

use self::chat::Chat;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let shop = TestShop::open().await?;
    for (name, price, units) in [
        ("Vela de Lavanda", "49.90", 10),
        ("Vela de Baunilha", "54.90", 1),
        ("Difusor", "89.00", 3),
    ] {
        shop.product(name, price, units).await?;
    }
    let tariff = NewTariff {
        name: "Sudeste".parse()?,
        states: vec!["SP".parse()?],
        price: "18.50".parse()?,
        estimated_days: 5,
    };
    shop.shipping().create_tariff(&Actor::System, tariff).await?;

    let mut chat = Chat::begin(&shop)?;
    let script = !std::io::stdin().is_terminal();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if script {
            println!("> {line}");
        }
        for said in chat.hear(line.trim()).await {
            println!("{said}");
        }
    }
    Ok(())
}
