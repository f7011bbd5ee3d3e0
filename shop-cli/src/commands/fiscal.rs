use clap::{Args, ValueEnum};
use serde_json::Value;
use shop_core::actor::Actor;
use shop_core::catalog::Category;
use shop_core::error::{Entity, Error};
use shop_core::fiscal::{Csosn, Digits, Gtin, Origin, Production, Unit};
use shop_core::invoicing::{FiscalDetail, ProductFiscalPatch};
use shop_core::value::InvalidValue;
use shop_core::{Result, Shop};

use crate::failure::Failure;
use crate::output::{Format, Table};

#[derive(Debug, Args)]
pub(crate) struct Fiscal {
    #[command(flatten)]
    of: Subject,
    /// The place in the nomenclature of goods, eight digits
    #[arg(long)]
    ncm: Option<Digits<8>>,
    /// The code for tax substitution, seven digits
    #[arg(long)]
    cest: Option<Digits<7>>,
    /// The code of operation in the company's state; it begins with 5
    #[arg(long)]
    cfop_in_state: Option<Digits<4>>,
    /// The code of operation to another state; it begins with 6
    #[arg(long)]
    cfop_out_of_state: Option<Digits<4>>,
    /// The number of the bar code, of a product only
    #[arg(long)]
    gtin: Option<Gtin>,
    /// Where it comes from, 0 (Brazil) to 8
    #[arg(long, value_parser = origin)]
    origin: Option<Origin>,
    /// 102, 103, 300, 400, 500 or 900, as far as the company's regime takes it
    #[arg(long)]
    csosn: Option<Csosn>,
    /// What it is counted in, e.g. UN
    #[arg(long)]
    unit: Option<Unit>,
    /// Whether the shop makes it
    #[arg(long, value_enum)]
    production: Option<Made>,
    /// What is left to the category or the settings again
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FIELD")]
    clear: Vec<Field>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Subject {
    /// A product's id, slug or SKU
    product: Option<String>,
    /// Of a category's products instead that say nothing else: its id or slug
    #[arg(long)]
    category: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Made {
    Own,
    Resale,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Field {
    Ncm,
    Cest,
    CfopInState,
    CfopOutOfState,
    Gtin,
    Origin,
    Csosn,
    Unit,
    Production,
}

impl Fiscal {
    pub(crate) async fn run(self, shop: &Shop, format: Format) -> Result<(), Failure> {
        let Subject { product, category } = &self.of;
        let (invoices, by) = (shop.invoices(), Actor::System);
        let detail = if let Some(name) = category {
            let id = find_category(shop, name).await?.id;
            let patch = self.patch();
            invoices.update_category_fiscal(&by, &id, patch, None).await?
        } else {
            let found = shop.products().find(product.as_deref().unwrap_or_default()).await?;
            let id = found.ok_or(Error::NotFound(Entity::Product))?.id;
            let patch = self.patch();
            invoices.update_fiscal(&by, &id, patch, None).await?
        };
        let rows = table(&detail)?;
        format.write(&detail, || rows)
    }

    /// What is said and what is cleared; nothing of either changes nothing.
    fn patch(self) -> ProductFiscalPatch {
        let production = self.production.map(|made| match made {
            Made::Own => Production::Own,
            Made::Resale => Production::Resale,
        });
        let mut patch = ProductFiscalPatch {
            ncm: self.ncm.map(Some),
            cest: self.cest.map(Some),
            cfop_in_state: self.cfop_in_state.map(Some),
            cfop_out_of_state: self.cfop_out_of_state.map(Some),
            gtin: self.gtin.map(Some),
            origin: self.origin.map(Some),
            csosn: self.csosn.map(Some),
            unit: self.unit.map(Some),
            production: production.map(Some),
        };
        for field in self.clear {
            match field {
                Field::Ncm => patch.ncm = Some(None),
                Field::Cest => patch.cest = Some(None),
                Field::CfopInState => patch.cfop_in_state = Some(None),
                Field::CfopOutOfState => patch.cfop_out_of_state = Some(None),
                Field::Gtin => patch.gtin = Some(None),
                Field::Origin => patch.origin = Some(None),
                Field::Csosn => patch.csosn = Some(None),
                Field::Unit => patch.unit = Some(None),
                Field::Production => patch.production = Some(None),
            }
        }
        patch
    }
}

async fn find_category(shop: &Shop, name: &str) -> Result<Category> {
    let all = shop.categories().list_for_admin().await?;
    let named = |category: &Category| category.id.as_str() == name || category.slug == *name;
    all.into_iter().find(named).ok_or(Error::NotFound(Entity::Category))
}

fn origin(text: &str) -> Result<Origin, InvalidValue> {
    let code: i64 = text.parse().map_err(|_| InvalidValue::NotWhole)?;
    code.try_into()
}

/// Each value that holds, and who says so.
fn table(detail: &FiscalDetail) -> Result<Table<3>, Failure> {
    let Value::Object(effective) =
        serde_json::to_value(&detail.effective).map_err(Error::from_source)?
    else {
        return Err(Failure::new("what holds is no object"));
    };
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let rows = effective
        .iter()
        .map(|(field, held)| [field.clone(), text(&held["value"]), text(&held["from"])]);
    Ok(Table { head: ["FIELD", "VALUE", "FROM"], rows: rows.collect() })
}
