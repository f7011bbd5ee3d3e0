use clap::{Args, Subcommand};
use serde::Serialize;
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::api_key::{ApiKey, CreatedKey, NewApiKey, Scope};
use shop_core::clock::Timestamp;
use shop_core::id::ApiKeyId;
use shop_core::value::{Text, Until};

use crate::arguments::parse_until;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::output::Table;

/// What programs call the shop with.
#[derive(Debug, Subcommand)]
pub(crate) enum ApiKeys {
    /// Makes a key and prints it, once and for all
    Create(Create),
    /// Lists all keys, without the keys themselves
    List,
    /// Ends a key: its next call is refused
    Revoke {
        /// The key's id, as `list` shows it
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// What people call the key
    #[arg(long, value_parser = parse_name)]
    name: Text<1, 120>,
    /// What the key allows; repeat it for more: products:read, products:write, stock:write,
    /// orders:read, orders:write
    #[arg(long = "scope", required = true, value_name = "SCOPE")]
    scopes: Vec<Scope>,
    /// The key holds until the end of this day (2026-12-31), or before this time
    /// (2027-01-01T00:00:00-03:00)
    #[arg(long, value_name = "TIME", value_parser = parse_until)]
    expires_at: Option<Until>,
}

/// A key that was just made, as scripts read it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Made<'a> {
    #[serde(flatten)]
    key: &'a ApiKey,
    raw_key: &'a str,
}

impl ApiKeys {
    pub(crate) async fn run(self, shop: &Shop, invocation: &Invocation) -> Result<(), Failure> {
        let format = invocation.format;
        match self {
            Self::Create(Create { name, scopes, expires_at }) => {
                let new = NewApiKey { name, scopes, expires_at };
                let CreatedKey { key, raw, .. } =
                    shop.api_keys().create(&Actor::System, new).await?;
                let raw_key = raw.reveal();
                format.write(&Made { key: &key, raw_key }, || Table {
                    head: ["ID", "NAME", "SCOPES", "KEY"],
                    rows: vec![[
                        key.id.to_string(),
                        key.name.clone(),
                        scopes_of(&key),
                        raw_key.to_owned(),
                    ]],
                })
            }
            Self::List => {
                let keys = shop.api_keys().list().await?;
                format.write(&keys, || table(&keys))
            }
            Self::Revoke { id } => {
                invocation.confirm(&format!("the key {id} ends for good"))?;
                let key = shop.api_keys().revoke(&Actor::System, &ApiKeyId::from(id)).await?;
                format.write(&key, || table(std::slice::from_ref(&key)))
            }
        }
    }
}

fn table(keys: &[ApiKey]) -> Table<6> {
    let time = |at: Option<Timestamp>| at.map_or("never".to_owned(), |at| at.to_string());
    let row = |key: &ApiKey| {
        let state = match (key.revoked_at, key.active) {
            (Some(_), _) => "revoked",
            (None, false) => "expired",
            (None, true) => "active",
        };
        [
            key.id.to_string(),
            key.name.clone(),
            key.key_prefix.clone(),
            scopes_of(key),
            time(key.last_used_at),
            state.to_owned(),
        ]
    };
    Table {
        head: ["ID", "NAME", "KEY", "SCOPES", "LAST USED", "STATE"],
        rows: keys.iter().map(row).collect(),
    }
}

fn scopes_of(key: &ApiKey) -> String {
    let names: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    names.join(",")
}

fn parse_name(text: &str) -> Result<Text<1, 120>, &'static str> {
    text.parse().map_err(|_| "it must have 1 to 120 characters")
}
