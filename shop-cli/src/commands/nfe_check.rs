//! What the tax office would refuse, told before anything is issued.

use shop_core::Shop;
use shop_core::invoicing::{EmitInvoice, InvoiceProblem};

use crate::failure::Failure;
use crate::output::{Format, Table};

/// Of an order's invoice.
/// Looks at the invoice of an order, or else at every product on sale.
pub(super) async fn run(shop: &Shop, order: Option<&str>, format: Format) -> Result<(), Failure> {
    match order {
        Some(number) => self::order(shop, number, format).await,
        None => products(shop, format).await,
    }
}

async fn order(shop: &Shop, number: &str, format: Format) -> Result<(), Failure> {
    let order = shop.orders().get_by_number(number).await?;
    let checked = shop.invoices().check_order(&order.id, EmitInvoice::default()).await?;
    let rows = || of_problems(&checked.order_number, "-", &checked.problems);
    format.write(&checked, || problems_table(rows().collect()))?;
    refused(checked.problems.len())
}

/// Of an invoice of each product, sold in the state and elsewhere.
async fn products(shop: &Shop, format: Format) -> Result<(), Failure> {
    let checked = shop.invoices().check_products().await?;
    let rows = checked.iter().flat_map(|it| {
        let to = if it.interstate { "another state" } else { "the state" };
        of_problems(&it.name, to, &it.problems)
    });
    format.write(&checked, || problems_table(rows.collect()))?;
    refused(checked.len())
}

/// Fails where something would be refused, so that a script notices.
fn refused(count: usize) -> Result<(), Failure> {
    match count {
        0 => Ok(()),
        count => Err(Failure::new(format!("{count} would be refused"))),
    }
}

fn of_problems(
    of: &str,
    to: &str,
    problems: &[InvoiceProblem],
) -> impl Iterator<Item = [String; 5]> {
    problems.iter().map(move |it| {
        let code = it.code.map(|code| code.to_string()).unwrap_or_default();
        let source = it.source.clone().unwrap_or_default();
        [of.to_owned(), to.to_owned(), code, it.text.clone(), source]
    })
}

fn problems_table(rows: Vec<[String; 5]>) -> Table<5> {
    Table { head: ["OF", "SOLD TO", "CODE", "WHAT", "SOURCE"], rows }
}
