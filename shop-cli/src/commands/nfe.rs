use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde::Serialize;
use serde_json::Value;
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::error::Entity;
use shop_core::invoicing::{
    CorrectInvoice, Correction, EmitInvoice, IssuedInvoice, IssuedReturn, Month, ReturnGoods,
    ReturnGround, WithdrawInvoice,
};
use shop_core::order::Order;
use shop_core::value::{Cnpj, Cpf, StateRegistration, Text};

use super::fiscal::Fiscal;
use super::nfe_check;
use super::units::{Units, named};
use crate::destination::{write_file, write_pieces};
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::output::Table;

/// Electronic invoices.
#[derive(Debug, Subcommand)]
pub(crate) enum Nfe {
    /// Issues the invoice of a paid order; again, it shows the same one
    Emit {
        /// As people write it, e.g. PED-20261121-0001
        order_number: String,
        /// The buyer's CPF, where the profile has none
        #[arg(long)]
        cpf: Option<Cpf>,
        /// The CNPJ, where a company buys that the profile does not name
        #[arg(long, conflicts_with = "cpf")]
        cnpj: Option<Cnpj>,
        /// That company's registered name
        #[arg(long, requires = "cnpj")]
        company_name: Option<Text<2, 120>>,
        /// That company's state registration (IE)
        #[arg(long, requires = "cnpj")]
        state_registration: Option<StateRegistration>,
        /// That company buys to sell again
        #[arg(long, requires = "state_registration")]
        resells: bool,
    },
    /// Tells what the tax office would refuse, before anything is issued
    Check {
        /// Of the invoice of this order, made as it would be now
        #[arg(
            long,
            value_name = "ORDER_NUMBER",
            required_unless_present = "all_products",
            conflicts_with = "all_products"
        )]
        order: Option<String>,
        /// Of every product on sale, sold in the state and to another one
        #[arg(long)]
        all_products: bool,
    },
    /// Shows how far an order's invoice is
    Show {
        /// As people write it
        order_number: String,
    },
    /// Issues the invoice of goods that come back; without items, of all that are left
    Return {
        /// As people write it
        order_number: String,
        /// Units of a line of the order: its place from 1 and how many, e.g. 2=1
        #[arg(long = "item", value_name = "LINE=UNITS")]
        items: Vec<Units>,
        /// By which right: WITHDRAWAL where it is left out, DEFECT or AGREEMENT
        #[arg(long)]
        ground: Option<ReturnGround>,
        /// Why, in the shop's words
        #[arg(long)]
        reason: Option<Text<1, 500>>,
        /// Whether the freight goes back too; where it is left out, only with the whole order
        #[arg(long)]
        refund_shipping: Option<bool>,
        /// The number of a return's invoice that is not authorised yet, to go on with it
        #[arg(long, value_name = "NUMBER", conflicts_with_all = ["items", "ground", "reason", "refund_shipping"])]
        retry: Option<u32>,
    },
    /// Lists the invoices of an order's returns
    Returns {
        /// As people write it
        order_number: String,
    },
    /// Cancels an order's invoice, within 24 hours and before the goods leave
    Cancel {
        /// As people write it
        order_number: String,
        /// The number of a return's invoice, instead of the sale's
        #[arg(long = "return", value_name = "NUMBER")]
        returned: Option<u32>,
        /// Why, in 15 to 255 characters
        #[arg(long)]
        reason: Option<Text<15, 255>>,
    },
    /// Registers a correction letter for an order's authorised invoice; the last one replaces all
    /// before
    Correct {
        /// As people write it
        order_number: String,
        /// What is right, in 15 to 1000 characters, with what still holds of earlier ones
        text: Text<15, 1000>,
        /// Where to write the correction letter on paper (PDF); `-` is stdout
        #[arg(long, value_name = "FILE")]
        pdf: Option<PathBuf>,
    },
    /// Makes the number of an invoice that was not authorised invalid, for good
    Disable {
        /// As people write it
        order_number: String,
        /// The number of a return's invoice, instead of the sale's
        #[arg(long = "return", value_name = "NUMBER")]
        returned: Option<u32>,
        /// Why, in 15 to 255 characters
        #[arg(long)]
        reason: Option<Text<15, 255>>,
    },
    /// Writes an order's invoice on paper (DANFE), as a PDF
    Danfe {
        /// As people write it
        order_number: String,
        /// The number of a return's invoice, instead of the sale's
        #[arg(long = "return", value_name = "NUMBER")]
        returned: Option<u32>,
        /// Where to; `danfe-<order>.pdf` where it is left out, `-` is stdout
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Writes the authorised XML of an order's invoice
    Xml {
        /// As people write it
        order_number: String,
        /// The number of a return's invoice, instead of the sale's
        #[arg(long = "return", value_name = "NUMBER")]
        returned: Option<u32>,
        /// Where to; `-` is stdout
        #[arg(long, value_name = "FILE", default_value = "-")]
        output: PathBuf,
    },
    /// Shows what invoices say of a product or a category, and who says so; changes what is named
    Fiscal(Fiscal),
    /// Writes all XML of a month into a ZIP, for the accountant
    Export {
        /// Which month, e.g. 2026-11
        #[arg(long)]
        month: Month,
        /// Where to; `nfe-<month>.zip` where it is left out, `-` is stdout
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

impl Nfe {
    pub(crate) async fn run(self, shop: &Shop, invocation: &Invocation) -> Result<(), Failure> {
        let format = invocation.format;
        match self {
            Self::Fiscal(fiscal) => fiscal.run(shop, format).await,
            Self::Check { order, .. } => nfe_check::run(shop, order.as_deref(), format).await,
            Self::Export { month, output } => export(shop, month, output).await,
            Self::Danfe { order_number, returned, output } => {
                write_danfe(shop, &order_number, returned, output).await
            }
            Self::Xml { order_number, returned, output } => {
                write_xml(shop, &order_number, returned, &output).await
            }
            Self::Returns { order_number } => list_returns(shop, invocation, &order_number).await,
            Self::Return { order_number, items, ground, reason, refund_shipping, retry } => {
                let goods = ReturnGoods { ground, reason, refund_shipping, ..Default::default() };
                let back = issue_return(shop, &order_number, &items, goods, retry).await?;
                format.write(&back, || table(&back.invoice))
            }
            Self::Correct { order_number, text, pdf } => {
                correct(shop, invocation, &order_number, text, pdf).await
            }
            Self::Emit { order_number, cpf, cnpj, company_name, state_registration, resells } => {
                let buys_to_resell = resells.then_some(true);
                let buyer =
                    EmitInvoice { cpf, cnpj, company_name, state_registration, buys_to_resell };
                emit(shop, invocation, &order_number, buyer).await
            }
            Self::Show { order_number } => show(shop, invocation, &order_number).await,
            Self::Cancel { order_number, returned, reason } => {
                cancel(shop, invocation, &order_number, returned, reason).await
            }
            Self::Disable { order_number, returned, reason } => {
                disable(shop, invocation, &order_number, returned, reason).await
            }
        }
    }
}

async fn emit(
    shop: &Shop,
    invocation: &Invocation,
    order: &str,
    buyer: EmitInvoice,
) -> Result<(), Failure> {
    let order = shop.orders().get_by_number(order).await?;
    let invoice = shop.invoices().emit(&Actor::System, &order.id, buyer).await?;
    invocation.format.write(&invoice, || table(&invoice))
}

async fn show(shop: &Shop, invocation: &Invocation, order: &str) -> Result<(), Failure> {
    let order = shop.orders().get_by_number(order).await?;
    let invoice = shop.invoices().get_by_order(&order.id).await?;
    invocation.format.write(&invoice, || table(&invoice))
}

async fn list_returns(shop: &Shop, invocation: &Invocation, order: &str) -> Result<(), Failure> {
    let order = shop.orders().get_by_number(order).await?;
    let list = shop.invoices().list_returns(&order.id).await?;
    let rows = list.iter().map(|back| row(&back.invoice)).collect();
    invocation.format.write(&list, || Table { head: HEAD, rows })
}

async fn export(shop: &Shop, month: Month, output: Option<PathBuf>) -> Result<(), Failure> {
    let output = output.unwrap_or_else(|| format!("nfe-{month}.zip").into());
    write_pieces(shop, &output, shop.invoices().export(month)).await
}

async fn write_danfe(
    shop: &Shop,
    order: &str,
    returned: Option<u32>,
    output: Option<PathBuf>,
) -> Result<(), Failure> {
    let invoices = shop.invoices();
    let pdf = match target(shop, order, returned).await? {
        Target::Sale(order) => invoices.render_danfe(&order.id).await?,
        Target::Return(back) => invoices.render_return_danfe(&back.invoice.id).await?,
    };
    let number = returned.map(|number| format!("-{number}")).unwrap_or_default();
    let usual = || format!("danfe-{order}{number}.pdf").into();
    write_file(shop, &output.unwrap_or_else(usual), &pdf)
}

async fn write_xml(
    shop: &Shop,
    order: &str,
    returned: Option<u32>,
    output: &Path,
) -> Result<(), Failure> {
    let invoices = shop.invoices();
    let xml = match target(shop, order, returned).await? {
        Target::Sale(order) => invoices.get_xml(&order.id).await?,
        Target::Return(back) => invoices.get_return_xml(&back.invoice.id).await?,
    };
    write_file(shop, output, xml.nfe_proc.as_bytes())
}

/// Issues the invoice of goods that come back, or goes on with the one of a number.
async fn issue_return(
    shop: &Shop,
    order: &str,
    items: &[Units],
    goods: ReturnGoods,
    retry: Option<u32>,
) -> Result<IssuedReturn, Failure> {
    let invoices = shop.invoices();
    Ok(match target(shop, order, retry).await? {
        Target::Return(back) => invoices.retry_return(&back.invoice.id).await?,
        Target::Sale(order) => {
            let goods = ReturnGoods { items: named(&order, items)?, ..goods };
            invoices.issue_return(&Actor::System, &order.id, goods, None).await?
        }
    })
}

async fn correct(
    shop: &Shop,
    invocation: &Invocation,
    order: &str,
    text: Text<15, 1000>,
    pdf: Option<PathBuf>,
) -> Result<(), Failure> {
    let (invoices, order) = (shop.invoices(), shop.orders().get_by_number(order).await?.id);
    let letter = CorrectInvoice { text };
    let correction = invoices.correct(&Actor::System, &order, letter, None).await?;
    match pdf {
        Some(file) => {
            write_file(shop, &file, &invoices.render_correction(&order, correction.sequence).await?)
        }
        None => invocation.format.write(&correction, || correction_table(&correction)),
    }
}

async fn cancel(
    shop: &Shop,
    invocation: &Invocation,
    order: &str,
    returned: Option<u32>,
    reason: Option<Text<15, 255>>,
) -> Result<(), Failure> {
    let target = target(shop, order, returned).await?;
    invocation.confirm(&format!("the invoice of {order} is cancelled"))?;
    let (invoices, by, why) = (shop.invoices(), Actor::System, WithdrawInvoice { reason });
    let invoice = match target {
        Target::Sale(order) => invoices.cancel(&by, &order.id, why).await?,
        Target::Return(back) => invoices.cancel_return(&by, &back.invoice.id, why).await?,
    };
    invocation.format.write(&invoice, || table(&invoice))
}

async fn disable(
    shop: &Shop,
    invocation: &Invocation,
    order: &str,
    returned: Option<u32>,
    reason: Option<Text<15, 255>>,
) -> Result<(), Failure> {
    let target = target(shop, order, returned).await?;
    invocation.confirm(&format!("the number of {order}'s invoice is made invalid, for good"))?;
    let (invoices, by, why) = (shop.invoices(), Actor::System, WithdrawInvoice { reason });
    let invoice = match target {
        Target::Sale(order) => invoices.disable_number(&by, &order.id, why).await?,
        Target::Return(back) => invoices.disable_return_number(&by, &back.invoice.id, why).await?,
    };
    invocation.format.write(&invoice, || table(&invoice))
}

/// What a command is about: an order's sale, or one of its returns.
enum Target {
    Sale(Box<Order>),
    Return(Box<IssuedReturn>),
}

async fn target(shop: &Shop, order: &str, returned: Option<u32>) -> Result<Target, Failure> {
    let order = shop.orders().get_by_number(order).await?;
    let Some(number) = returned else { return Ok(Target::Sale(Box::new(order))) };
    let list = shop.invoices().list_returns(&order.id).await?;
    let found = list.into_iter().find(|back| back.invoice.number == number);
    let found = found.ok_or(shop_core::Error::NotFound(Entity::Invoice))?;
    Ok(Target::Return(Box::new(found)))
}

fn correction_table(correction: &Correction) -> Table<4> {
    Table {
        head: ["NUMBER", "STATUS", "PROTOCOL", "TEXT"],
        rows: vec![[
            correction.sequence.to_string(),
            word(&correction.status),
            correction.protocol.clone().unwrap_or_default(),
            correction.text.clone(),
        ]],
    }
}

const HEAD: [&str; 5] = ["ORDER", "SERIES", "NUMBER", "STATUS", "KEY"];

pub(super) fn table(invoice: &IssuedInvoice) -> Table<5> {
    Table { head: HEAD, rows: vec![row(invoice)] }
}

fn row(invoice: &IssuedInvoice) -> [String; 5] {
    [
        invoice.order_number.clone(),
        invoice.series.to_string(),
        invoice.number.to_string(),
        word(&invoice.status),
        invoice.key.clone().unwrap_or_default(),
    ]
}

/// A state as the API has it.
fn word(status: &impl Serialize) -> String {
    let word = serde_json::to_value(status).ok();
    word.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
}
