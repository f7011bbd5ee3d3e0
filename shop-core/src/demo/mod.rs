//! A shop to look at: fills an empty database with candles, customers and prices.

mod catalogue;
mod ledger;
mod people;
mod picture;
mod picture_art;
mod picture_motifs;
mod shelves;
mod synthetic;
mod trade;

use self::trade::Scale;
use crate::actor::Actor;
use crate::catalog::{AdminProductFilter, ProductFilter};
use crate::config::{Config, Environment, LabelProviderKind, SenderConfig};
use crate::error::{Error, Result};
use crate::money::Money;
use crate::shipping::NewTariff;
use crate::shop::Shop;

/// What sending costs where no tariff applies.
const FALLBACK_PRICE: Money = Money::from_cents(2490);

/// What to fill the shop with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DemoSize {
    /// A small shop, written by hand; in development with two months of made-up orders too.
    Shop,
    /// So many made-up products, always the same, for measurements.
    Products(u32),
    /// A whole made-up shop in any size, always the same, for measurements.
    Trade {
        /// Products.
        products: u32,
        /// Customers, who cannot log in.
        customers: u32,
        /// Orders of two years.
        orders: u32,
    },
}

/// What is being made up just now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DemoStep {
    /// Products.
    Products,
    /// Customers.
    Customers,
    /// Orders.
    Orders,
    /// The units that were sold.
    Stock,
}

/// Is told how far a step is: so many done of so many.
pub type DemoProgress<'p> = &'p (dyn Fn(DemoStep, u32, u32) + Sync);

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DemoReport {
    /// False when the shop had products already and was left alone.
    pub filled: bool,
    /// Products on sale now.
    pub products: i64,
    /// The log-ins, by passwords that are public. None in production, and none of an e-mail that
    /// was taken.
    pub logins: Vec<DemoLogin>,
}

/// A log-in of the demonstration.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DemoLogin {
    /// `CUSTOMER` or `ADMIN`.
    pub role: &'static str,
    /// The e-mail to log in with.
    pub email: &'static str,
    /// The password, which is public.
    pub password: &'static str,
}

/// Settings of the demonstration, where nothing else is set: sending has a price where no tariff
/// applies, labels are bought in the sandbox, and the shop has an address to send from.
pub fn complete(config: &mut Config) {
    if config.environment != Environment::Development {
        return;
    }
    let shipping = &mut config.shipping;
    if shipping.fallback_price == Money::ZERO {
        shipping.fallback_price = FALLBACK_PRICE;
    }
    if shipping.labels.provider != LabelProviderKind::None {
        return;
    }
    shipping.labels.provider = LabelProviderKind::Sandbox;
    shipping.labels.service.get_or_insert_with(|| "1".to_owned());
    let sender = &mut shipping.sender;
    if sender.name.is_some() {
        return;
    }
    let text = |text: &str| Some(text.to_owned());
    *sender = SenderConfig {
        name: text("Loja de Velas"),
        document: text("11.222.333/0001-81"),
        street: text("Rua das Flores"),
        number: text("100"),
        district: text("Centro"),
        city: text("São Paulo"),
        state: "SP".parse().ok(),
        zip_code: "01001-000".parse().ok(),
        ..SenderConfig::default()
    };
}

/// Fills a shop that has no products yet.
///
/// # Errors
/// Whatever keeps the shop from being filled; then it may be filled in part.
///
/// Dropping the future stops it between two transactions; the shop is filled in part then.
pub async fn seed(shop: &Shop, size: DemoSize) -> Result<DemoReport> {
    seed_with(shop, size, &|_, _, _| {}).await
}

/// The same, and tells how far it is.
///
/// # Errors
/// As [`seed`].
///
/// Dropping the future leaves the shop filled in part, as with [`seed`].
pub async fn seed_with(
    shop: &Shop,
    size: DemoSize,
    progress: DemoProgress<'_>,
) -> Result<DemoReport> {
    if !is_empty(shop).await? {
        return report(shop, false, Vec::new()).await;
    }
    let reviewers = people::reviewers(shop).await?;
    let logins = match shop.config().environment {
        Environment::Production => Vec::new(),
        Environment::Development => people::logins(shop).await?,
    };
    let pictures = shelves::pictures(shop).await?;
    match size {
        DemoSize::Shop => {
            shelves::fill(shop, pictures, reviewers).await?;
            // Nothing made up stands in the books of a real shop.
            if shop.config().environment == Environment::Development {
                trade::fill(shop, TWO_MONTHS, &|_, _, _| {}).await?;
            }
        }
        DemoSize::Products(count) => {
            synthetic::fill(shop, count, pictures, reviewers, progress).await?;
        }
        DemoSize::Trade { products, customers, orders } => {
            synthetic::fill(shop, products, pictures, reviewers, progress).await?;
            trade::fill(shop, Scale { customers, orders, weeks: 104 }, progress).await?;
        }
    }
    tariffs(shop).await?;
    report(shop, true, logins).await
}

async fn report(shop: &Shop, filled: bool, logins: Vec<DemoLogin>) -> Result<DemoReport> {
    let page = shop.products().list(ProductFilter::default()).await?;
    Ok(DemoReport { filled, products: page.pagination.total, logins })
}

async fn is_empty(shop: &Shop) -> Result<bool> {
    let all = shop.products().list_for_admin(AdminProductFilter::default()).await?;
    Ok(all.pagination.total == 0)
}

/// What the small shop sold: enough for a period of the dashboard and the one before it.
const TWO_MONTHS: Scale = Scale { customers: 48, orders: 270, weeks: 9 };

/// By post from São Paulo: name, states, cents, business days.
const TARIFFS: &[(&str, &str, i64, u16)] = &[
    ("Econômica Sudeste", "SP RJ MG ES", 1890, 5),
    ("Econômica Sul", "PR SC RS", 2290, 6),
    ("Econômica Centro-Oeste", "DF GO MT MS", 2690, 8),
    ("Econômica Nordeste", "AL BA CE MA PB PE PI RN SE", 3190, 10),
    ("Econômica Norte", "AC AM AP PA RO RR TO", 3890, 14),
    ("Expressa Sudeste", "SP RJ MG ES", 3290, 2),
    ("Expressa Sul", "PR SC RS", 3990, 3),
];

async fn tariffs(shop: &Shop) -> Result<()> {
    for (name, states, cents, estimated_days) in TARIFFS {
        let states = states.split(' ').map(fixed).collect::<Result<_>>()?;
        let price = Money::from_cents(*cents);
        let new = NewTariff { name: fixed(name)?, states, price, estimated_days: *estimated_days };
        shop.shipping().create_tariff(&Actor::System, new).await?;
    }
    Ok(())
}

/// A value from the fixed data of this module; tests hold that all of it is valid.
fn fixed<T>(text: &str) -> Result<T>
where
    T: std::str::FromStr,
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|wrong| Error::internal(format!("demonstration data: {text}: {wrong}")))
}
