use std::path::{Path, PathBuf};

use clap::Subcommand;
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::invoicing::{
    CorrectInvoice, Correction, CorrectionStatus, EmitInvoice, InvoiceProblem, InvoiceStatus,
    IssuedInvoice, Month, WithdrawInvoice,
};
use shop_core::value::{Cnpj, Cpf, StateRegistration, Text};

use super::fiscal::Fiscal;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::output::{Table, destination, written};

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
    /// Cancels an order's invoice, within 24 hours and before the goods leave
    Cancel {
        /// As people write it
        order_number: String,
        /// Why, in 15 to 255 characters
        #[arg(long)]
        reason: Option<Text<15, 255>>,
    },
    /// Corrects an order's authorised invoice by a letter; the last letter replaces all before
    Correct {
        /// As people write it
        order_number: String,
        /// What is right, in 15 to 1000 characters, with what still holds of earlier letters
        text: Text<15, 1000>,
        /// Where to write the letter on paper (PDF); `-` is stdout
        #[arg(long, value_name = "FILE")]
        pdf: Option<PathBuf>,
    },
    /// Makes the number of an invoice that was not authorised invalid, for good
    Disable {
        /// As people write it
        order_number: String,
        /// Why, in 15 to 255 characters
        #[arg(long)]
        reason: Option<Text<15, 255>>,
    },
    /// Writes an order's invoice on paper (DANFE), as a PDF
    Danfe {
        /// As people write it
        order_number: String,
        /// Where to; `danfe-<order>.pdf` where it is left out, `-` is stdout
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Writes the authorised XML of an order's invoice
    Xml {
        /// As people write it
        order_number: String,
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
        let (invoices, by) = (shop.invoices(), Actor::System);
        let invoice = match self {
            Self::Fiscal(fiscal) => return fiscal.run(shop, invocation.format).await,
            Self::Check { order: Some(order_number), .. } => {
                let order = shop.orders().get_by_number(&order_number).await?;
                let checked = invoices.check_order(&order.id, EmitInvoice::default()).await?;
                let rows = || of_problems(&checked.order_number, "-", &checked.problems);
                invocation.format.write(&checked, || problems_table(rows().collect()))?;
                return refused(checked.problems.len());
            }
            Self::Check { order: None, .. } => {
                let checked = invoices.check_products().await?;
                let rows = checked.iter().flat_map(|it| {
                    let to = if it.interstate { "another state" } else { "the state" };
                    of_problems(&it.name, to, &it.problems)
                });
                invocation.format.write(&checked, || problems_table(rows.collect()))?;
                return refused(checked.len());
            }
            Self::Export { month, output } => {
                let output = output.unwrap_or_else(|| format!("nfe-{month}.zip").into());
                return write(&output, &invoices.export(month).await?);
            }
            Self::Danfe { order_number, output } => {
                let order = shop.orders().get_by_number(&order_number).await?;
                let output = output.unwrap_or_else(|| format!("danfe-{order_number}.pdf").into());
                return write(&output, &invoices.render_danfe(&order.id).await?);
            }
            Self::Xml { order_number, output } => {
                let order = shop.orders().get_by_number(&order_number).await?;
                let xml = invoices.get_xml(&order.id).await?;
                return write(&output, xml.nfe_proc.as_bytes());
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
            Self::Cancel { order_number, reason } => {
                let order = shop.orders().get_by_number(&order_number).await?;
                invocation.confirm(&format!("the invoice of {order_number} is cancelled"))?;
                invoices.cancel(&by, &order.id, WithdrawInvoice { reason }).await?
            }
            Self::Correct { order_number, text, pdf } => {
                let order = shop.orders().get_by_number(&order_number).await?;
                let letter =
                    invoices.correct(&by, &order.id, CorrectInvoice { text }, None).await?;
                if let Some(file) = pdf {
                    let pdf = invoices.render_correction(&order.id, letter.sequence).await?;
                    return write(&file, &pdf);
                }
                return invocation.format.write(&letter, || letter_table(&letter));
            }
            Self::Disable { order_number, reason } => {
                let order = shop.orders().get_by_number(&order_number).await?;
                invocation.confirm(&format!(
                    "the number of {order_number}'s invoice is made invalid, for good"
                ))?;
                invoices.disable_number(&by, &order.id, WithdrawInvoice { reason }).await?
            }
        };
        invocation.format.write(&invoice, || table(&invoice))
    }
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

fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut out = destination(file)?;
    written(out.write_all(bytes).and_then(|()| out.flush()))
}

fn letter_table(letter: &Correction) -> Table<4> {
    let status = match letter.status {
        CorrectionStatus::Signed => "processando",
        CorrectionStatus::Registered => "registrada",
        CorrectionStatus::Rejected => "rejeitada",
    };
    Table {
        head: ["LETTER", "STATUS", "PROTOCOL", "TEXT"],
        rows: vec![[
            letter.sequence.to_string(),
            status.to_owned(),
            letter.protocol.clone().unwrap_or_default(),
            letter.text.clone(),
        ]],
    }
}

fn table(invoice: &IssuedInvoice) -> Table<5> {
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
    Table {
        head: ["ORDER", "SERIES", "NUMBER", "STATUS", "KEY"],
        rows: vec![[
            invoice.order_number.clone(),
            invoice.series.to_string(),
            invoice.number.to_string(),
            status.to_owned(),
            invoice.key.clone().unwrap_or_default(),
        ]],
    }
}
