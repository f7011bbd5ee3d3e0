use clap::Subcommand;
use serde_json::json;
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::shipment::{ConnectAnswer, MelhorEnvioState};

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::output::Table;

/// The connection with Melhor Envio.
#[derive(Debug, Subcommand)]
pub(crate) enum ConnectionCommand {
    /// Connects the shop with Melhor Envio: prints the address on which its account's holder allows
    /// it
    Connect {
        /// Where the browser was sent afterwards, for a shop that browsers do not reach
        #[arg(long, value_name = "ADDRESS")]
        answer: Option<String>,
    },
    /// Shows whether the shop is connected with Melhor Envio
    Connection,
    /// Forgets the connection with Melhor Envio
    Disconnect,
}

impl ConnectionCommand {
    pub(crate) async fn run(self, shop: &Shop, invocation: &Invocation) -> Result<(), Failure> {
        let (melhor_envio, format, by) = (shop.melhor_envio(), invocation.format, Actor::System);
        let state = match self {
            Self::Connect { answer: None } => {
                let begun = melhor_envio.connect(&by).await?;
                let table = || Table { head: ["ADDRESS"], rows: vec![[begun.address.clone()]] };
                return format.write(&begun, table);
            }
            Self::Connect { answer: Some(address) } => {
                melhor_envio.complete(parse_answer(&address)?).await?
            }
            Self::Connection => melhor_envio.state().await?,
            Self::Disconnect => {
                invocation.confirm("the shop buys no labels until it is connected anew")?;
                melhor_envio.disconnect(&by).await?;
                melhor_envio.state().await?
            }
        };
        format.write(&state, || table(&state))
    }
}

/// What stands behind the `?` of the address.
fn parse_answer(address: &str) -> Result<ConnectAnswer, Failure> {
    let query = address.split_once('?').map(|(_, query)| query.split('#').next());
    let pairs = query.flatten().into_iter().flat_map(|query| query.split('&'));
    let fields = pairs.filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        let value = percent_encoding::percent_decode_str(value).decode_utf8().ok()?;
        Some((name.to_owned(), json!(value)))
    });
    let fields: serde_json::Map<String, serde_json::Value> = fields.collect();
    serde_json::from_value(fields.into())
        .map_err(|_| Failure::new("the address has no state: give all of it, in quotes".to_owned()))
}

fn table(state: &MelhorEnvioState) -> Table<4> {
    let at =
        |at: Option<shop_core::clock::Timestamp>| at.map(|at| at.to_string()).unwrap_or_default();
    Table {
        head: ["CONNECTED", "SINCE", "TOKEN UNTIL", "REFUSED SINCE"],
        rows: vec![[
            state.connected.to_string(),
            at(state.connected_at),
            at(state.expires_at),
            at(state.refused_at),
        ]],
    }
}
