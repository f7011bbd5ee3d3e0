use std::path::PathBuf;
use std::str::FromStr;

use clap::Subcommand;
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::error::Entity;
use shop_core::invoicing::{
    CorrectInvoice, Correction, CorrectionStatus, EmitInvoice, InvoiceStatus, IssuedInvoice,
    IssuedReturn, Month, ReturnGoods, ReturnGoodsItem, ReturnGround, WithdrawInvoice,
};
use shop_core::order::Order;
use shop_core::value::{Cnpj, Cpf, InvalidValue, Quantity, StateRegistration, Text};

use super::fiscal::Fiscal;
use super::nfe_check;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::output::{Table, write_file, write_pieces};

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
    /// Registers a correction letter for an order's authorised invoice; the last one replaces all before
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

/// Units of a line of an order, as `2=1`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Units {
    line: usize,
    quantity: Quantity,
}

impl FromStr for Units {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || "it must be a line and its units, as 2=1".to_owned();
        let (line, units) = text.split_once('=').ok_or_else(wrong)?;
        let units: i64 = units.parse().map_err(|_| wrong())?;
        let quantity = Quantity::try_from(units).map_err(|error| error.to_string())?;
        Ok(Self { line: line.parse().map_err(|_| wrong())?, quantity })
    }
}

impl Nfe {
    pub(crate) async fn run(self, shop: &Shop, invocation: &Invocation) -> Result<(), Failure> {
        let (invoices, by) = (shop.invoices(), Actor::System);
        let invoice = match self {
            Self::Fiscal(fiscal) => return fiscal.run(shop, invocation.format).await,
            Self::Check { order: Some(order_number), .. } => {
                return nfe_check::order(shop, &order_number, invocation.format).await;
            }
            Self::Check { order: None, .. } => {
                return nfe_check::products(shop, invocation.format).await;
            }
            Self::Export { month, output } => {
                let output = output.unwrap_or_else(|| format!("nfe-{month}.zip").into());
                return write_pieces(&output, invoices.export(month)).await;
            }
            Self::Danfe { order_number, returned, output } => {
                let pdf = match target(shop, &order_number, returned).await? {
                    Target::Sale(order) => invoices.render_danfe(&order.id).await?,
                    Target::Return(back) => invoices.render_return_danfe(&back.invoice.id).await?,
                };
                let number = returned.map(|number| format!("-{number}")).unwrap_or_default();
                let usual = || format!("danfe-{order_number}{number}.pdf").into();
                return write_file(&output.unwrap_or_else(usual), &pdf);
            }
            Self::Xml { order_number, returned, output } => {
                let xml = match target(shop, &order_number, returned).await? {
                    Target::Sale(order) => invoices.get_xml(&order.id).await?,
                    Target::Return(back) => invoices.get_return_xml(&back.invoice.id).await?,
                };
                return write_file(&output, xml.nfe_proc.as_bytes());
            }
            Self::Returns { order_number } => {
                let order = shop.orders().get_by_number(&order_number).await?;
                let list = invoices.list_returns(&order.id).await?;
                let rows = list.iter().map(|back| row(&back.invoice)).collect();
                return invocation.format.write(&list, || Table { head: HEAD, rows });
            }
            Self::Return { order_number, items, ground, reason, refund_shipping, retry } => {
                let back = match target(shop, &order_number, retry).await? {
                    Target::Return(back) => invoices.retry_return(&back.invoice.id).await?,
                    Target::Sale(order) => {
                        let items = named(&order, &items)?;
                        let goods =
                            ReturnGoods { items, ground, reason, refund_shipping, return_id: None };
                        invoices.issue_return(&by, &order.id, goods, None).await?
                    }
                };
                return invocation.format.write(&back, || table(&back.invoice));
            }
            Self::Emit { order_number, cpf, cnpj, company_name, state_registration, resells } => {
                let order = shop.orders().get_by_number(&order_number).await?;
                let buys_to_resell = resells.then_some(true);
                let buyer =
                    EmitInvoice { cpf, cnpj, company_name, state_registration, buys_to_resell };
                invoices.emit(&by, &order.id, buyer).await?
            }
            Self::Show { order_number } => {
                let order = shop.orders().get_by_number(&order_number).await?;
                invoices.get_by_order(&order.id).await?
            }
            Self::Cancel { order_number, returned, reason } => {
                let target = target(shop, &order_number, returned).await?;
                invocation.confirm(&format!("the invoice of {order_number} is cancelled"))?;
                let why = WithdrawInvoice { reason };
                match target {
                    Target::Sale(order) => invoices.cancel(&by, &order.id, why).await?,
                    Target::Return(back) => {
                        invoices.cancel_return(&by, &back.invoice.id, why).await?
                    }
                }
            }
            Self::Correct { order_number, text, pdf } => {
                let order = shop.orders().get_by_number(&order_number).await?;
                let correction =
                    invoices.correct(&by, &order.id, CorrectInvoice { text }, None).await?;
                if let Some(file) = pdf {
                    let pdf = invoices.render_correction(&order.id, correction.sequence).await?;
                    return write_file(&file, &pdf);
                }
                return invocation.format.write(&correction, || correction_table(&correction));
            }
            Self::Disable { order_number, returned, reason } => {
                let target = target(shop, &order_number, returned).await?;
                invocation.confirm(&format!(
                    "the number of {order_number}'s invoice is made invalid, for good"
                ))?;
                let why = WithdrawInvoice { reason };
                match target {
                    Target::Sale(order) => invoices.disable_number(&by, &order.id, why).await?,
                    Target::Return(back) => {
                        invoices.disable_return_number(&by, &back.invoice.id, why).await?
                    }
                }
            }
        };
        invocation.format.write(&invoice, || table(&invoice))
    }
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

/// The order's items by their places; none are named where all come back.
pub(super) fn named(
    order: &Order,
    units: &[Units],
) -> Result<Option<Vec<ReturnGoodsItem>>, Failure> {
    if units.is_empty() {
        return Ok(None);
    }
    let item = |units: &Units| {
        let item = units.line.checked_sub(1).and_then(|line| order.items.get(line));
        let item =
            item.ok_or_else(|| shop_core::Error::field("item", InvalidValue::UnknownOrderItem))?;
        Ok(ReturnGoodsItem::new(item.id.clone(), units.quantity))
    };
    units.iter().map(item).collect::<Result<_, Failure>>().map(Some)
}

fn correction_table(correction: &Correction) -> Table<4> {
    let status = match correction.status {
        CorrectionStatus::Signed => "processando",
        CorrectionStatus::Registered => "registrada",
        CorrectionStatus::Rejected => "rejeitada",
    };
    Table {
        head: ["NUMBER", "STATUS", "PROTOCOL", "TEXT"],
        rows: vec![[
            correction.sequence.to_string(),
            status.to_owned(),
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
    let status = match invoice.status {
        InvoiceStatus::Numbered => "pendente",
        InvoiceStatus::Signed => "processando",
        InvoiceStatus::Authorized => "autorizada",
        InvoiceStatus::Rejected => "rejeitada",
        InvoiceStatus::Denied => "denegada",
        InvoiceStatus::Cancelled => "cancelada",
        InvoiceStatus::Disabled => "inutilizada",
        InvoiceStatus::Taken => "ocupada",
    };
    [
        invoice.order_number.clone(),
        invoice.series.to_string(),
        invoice.number.to_string(),
        status.to_owned(),
        invoice.key.clone().unwrap_or_default(),
    ]
}
