use clap::{Args, Subcommand, ValueEnum};
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::coupon::{Coupon, CouponFilter, CouponPatch, CouponType, NewCoupon};
use shop_core::error::{Entity, Error};
use shop_core::money::Money;
use shop_core::value::{OptionalText, Text, Until, UseLimit};

use crate::arguments::{parse_money, parse_until};
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::output::Table;

/// Discounts by a code.
#[derive(Debug, Subcommand)]
pub(crate) enum CouponCommand {
    /// Lists the latest 1000 coupons, latest first
    List {
        /// Only those with a code that begins so
        #[arg(long, value_name = "CODE")]
        search: Option<OptionalText<60>>,
    },
    /// Shows a coupon
    Show {
        /// Its code or its id
        coupon: String,
    },
    /// Makes a coupon
    Create(Create),
    /// Changes a coupon; what is not said stays
    Update(Update),
    /// Lets a coupon hold again
    Activate {
        /// Its code or its id
        coupon: String,
    },
    /// Lets a coupon hold no more; orders keep their discount
    Deactivate {
        /// Its code or its id
        coupon: String,
    },
    /// Deletes a coupon for good; orders keep their discount
    Delete {
        /// Its code or its id
        coupon: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// What shoppers type
    code: Text<1, 60>,
    /// What the value counts
    #[arg(long = "type", value_enum)]
    kind: Kind,
    /// Percents (0 to 100) or reais, as the type says
    #[arg(long, value_parser = parse_money)]
    value: Money,
    /// It holds from this subtotal on
    #[arg(long, value_name = "AMOUNT", value_parser = parse_money)]
    min_order_value: Option<Money>,
    /// It holds for so many orders
    #[arg(long, value_name = "N", value_parser = parse_uses)]
    max_uses: Option<UseLimit>,
    /// It holds until the end of this day (2026-12-31), or before this time
    /// (2027-01-01T00:00:00-03:00)
    #[arg(long, value_name = "TIME", value_parser = parse_until)]
    expires_at: Option<Until>,
    /// It shall not hold yet
    #[arg(long)]
    inactive: bool,
}

#[derive(Debug, Args)]
#[group(multiple = true)]
pub(crate) struct Update {
    /// Its code or its id
    coupon: String,
    /// What shoppers type from now on
    #[arg(long)]
    code: Option<Text<1, 60>>,
    /// What the value counts
    #[arg(long = "type", value_enum)]
    kind: Option<Kind>,
    /// Percents (0 to 100) or reais, as the type says
    #[arg(long, value_parser = parse_money)]
    value: Option<Money>,
    /// It holds from this subtotal on; `none` for any
    #[arg(long, value_name = "AMOUNT", value_parser = parse_optional_money)]
    min_order_value: Option<Unless<Money>>,
    /// It holds for so many orders; `none` for any number
    #[arg(long, value_name = "N", value_parser = parse_optional_uses)]
    max_uses: Option<Unless<UseLimit>>,
    /// It holds until the end of this day, or before this time; `none` for ever
    #[arg(long, value_name = "TIME", value_parser = parse_optional_time)]
    expires_at: Option<Unless<Until>>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// Percents of the subtotal
    Percent,
    /// Reais
    Fixed,
}

/// A value, unless it says `none`. An `Option` of an `Option` would mean something else to clap.
#[derive(Debug, Clone, Copy)]
struct Unless<T>(Option<T>);

impl From<Kind> for CouponType {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Percent => Self::Percent,
            Kind::Fixed => Self::Fixed,
        }
    }
}

impl CouponCommand {
    pub(crate) async fn run(self, shop: &Shop, invocation: &Invocation) -> Result<(), Failure> {
        let (coupons, by) = (shop.coupons(), Actor::System);
        let coupon = match self {
            Self::List { search } => {
                let found = coupons.list(CouponFilter { search }).await?;
                return invocation.format.write(&found, || table(&found));
            }
            Self::Show { coupon } => find(shop, &coupon).await?,
            Self::Create(create) => coupons.create(&by, create.into()).await?,
            Self::Update(update) => {
                let (coupon, patch) = update.patch();
                change(shop, &coupon, patch).await?
            }
            Self::Activate { coupon } => change(shop, &coupon, switched(true)).await?,
            Self::Deactivate { coupon } => change(shop, &coupon, switched(false)).await?,
            Self::Delete { coupon } => {
                let coupon = find(shop, &coupon).await?;
                invocation.confirm(&format!("the coupon {} is deleted for good", coupon.code))?;
                coupons.delete(&by, &coupon.id, None).await?;
                coupon
            }
        };
        invocation.format.write(&coupon, || table(std::slice::from_ref(&coupon)))
    }
}

async fn change(shop: &Shop, name: &str, patch: CouponPatch) -> Result<Coupon, Failure> {
    let coupon = find(shop, name).await?;
    Ok(shop.coupons().update(&Actor::System, &coupon.id, patch, None).await?)
}

async fn find(shop: &Shop, name: &str) -> Result<Coupon, Failure> {
    let found = shop.coupons().find(name).await?;
    Ok(found.ok_or(Error::NotFound(Entity::Coupon))?)
}

fn switched(active: bool) -> CouponPatch {
    CouponPatch { active: Some(active), ..CouponPatch::default() }
}

impl From<Create> for NewCoupon {
    fn from(create: Create) -> Self {
        let Create { code, kind, value, min_order_value, max_uses, expires_at, inactive } = create;
        let (kind, active) = (kind.into(), !inactive);
        Self { code, kind, value, min_order_value, max_uses, expires_at, active }
    }
}

impl Update {
    fn patch(self) -> (String, CouponPatch) {
        let Self { coupon, code, kind, value, min_order_value, max_uses, expires_at } = self;
        let patch = CouponPatch {
            code,
            kind: kind.map(CouponType::from),
            value,
            min_order_value: min_order_value.map(|unless| unless.0),
            max_uses: max_uses.map(|unless| unless.0),
            expires_at: expires_at.map(|unless| unless.0),
            active: None,
        };
        (coupon, patch)
    }
}

fn table(coupons: &[Coupon]) -> Table<8> {
    let row = |coupon: &Coupon| {
        let limit = coupon.max_uses.map_or_else(String::new, |limit| format!(" of {limit}"));
        [
            coupon.id.to_string(),
            coupon.code.clone(),
            coupon.kind.as_str().to_owned(),
            coupon.value.to_string(),
            coupon.min_order_value.map_or_else(String::new, |amount| amount.to_string()),
            format!("{}{limit}", coupon.used_count),
            coupon.expires_at.map_or("never".to_owned(), |end| end.to_string()),
            if coupon.active { "active" } else { "off" }.to_owned(),
        ]
    };
    Table {
        head: ["ID", "CODE", "TYPE", "VALUE", "FROM", "USES", "EXPIRES", "STATE"],
        rows: coupons.iter().map(row).collect(),
    }
}

fn parse_uses(text: &str) -> Result<UseLimit, &'static str> {
    let uses: i64 = text.parse().map_err(|_| "it must be a whole number from 1")?;
    uses.try_into().map_err(|_| "it must be a whole number from 1 to 1000000000")
}

fn unless<T>(
    text: &str,
    parse: impl FnOnce(&str) -> Result<T, &'static str>,
) -> Result<Unless<T>, &'static str> {
    if text == "none" { Ok(Unless(None)) } else { parse(text).map(|value| Unless(Some(value))) }
}

fn parse_optional_money(text: &str) -> Result<Unless<Money>, &'static str> {
    unless(text, parse_money)
}

fn parse_optional_uses(text: &str) -> Result<Unless<UseLimit>, &'static str> {
    unless(text, parse_uses)
}

fn parse_optional_time(text: &str) -> Result<Unless<Until>, &'static str> {
    unless(text, parse_until)
}
