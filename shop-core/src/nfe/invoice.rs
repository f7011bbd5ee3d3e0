//! What an invoice says, before it is XML.

use rust_decimal::Decimal;

use super::responsible::Responsible;
use crate::clock::Timestamp;
use crate::fiscal::{Company, Csosn, Digits, FiscalAddress, Gtin, Origin, TaxEnvironment, Unit};
use crate::money::Money;
use crate::value::{Cnpj, Cpf, StateRegistration};

/// An invoice of a sale over the internet.
#[derive(Debug, Clone)]
pub struct Invoice {
    /// Whether it counts.
    pub environment: TaxEnvironment,
    /// The series, 0 to 999.
    pub series: u16,
    /// The number, 1 to 999 999 999.
    pub number: u32,
    /// The random part of the key; [`super::is_random_code`] must hold.
    pub code: u32,
    /// When it is issued.
    pub issued_at: Timestamp,
    /// The seller.
    pub company: Company,
    /// The buyer.
    pub recipient: Recipient,
    /// What is sold, 1 to 990 lines.
    pub lines: Vec<Line>,
    /// What the buyer pays for the shipping.
    pub freight: Money,
    /// What is taken off; not above all lines together.
    pub discount: Money,
    /// How many parcels the goods go in, at least one.
    pub parcels: usize,
    /// What the goods weigh, in grams.
    pub weight_grams: i64,
    /// How it was paid.
    pub means: PaymentMeans,
    /// The shop's own number of the sale.
    pub order_number: String,
    /// The taxes of the reform, from when on they are to be shown.
    pub ibs_cbs: Option<IbsCbs>,
    /// The company that answers for the program, where one is named.
    pub responsible: Option<Responsible>,
    /// What part of the price taxes are, in percent, to be told to consumers (Lei 12.741/2012).
    pub tax_share: Option<Decimal>,
}

/// Who an invoice is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecipientId {
    /// A person.
    Person(Cpf),
    /// A company.
    Company {
        /// Its number.
        cnpj: Cnpj,
        /// Its registration with its state, if it pays the tax on goods (`indIEDest` 1); one
        /// without counts as a consumer (`indIEDest` 9).
        state_registration: Option<StateRegistration>,
        /// Whether it buys to sell again, which only one with a registration does.
        buys_to_resell: bool,
    },
}

/// The person or company that buys.
#[derive(Debug, Clone)]
pub struct Recipient {
    /// The taxpayer number.
    pub id: RecipientId,
    /// The name.
    pub name: String,
    /// Where the goods go.
    pub address: FiscalAddress,
    /// Where the invoice may be sent to.
    pub email: Option<String>,
    /// The telephone number.
    pub phone: Option<String>,
}

impl RecipientId {
    /// The company's registration, where it pays the tax on goods.
    pub fn state_registration(&self) -> Option<&StateRegistration> {
        match self {
            Self::Person(_) => None,
            Self::Company { state_registration, .. } => state_registration.as_ref(),
        }
    }

    /// Whether it buys for its own use (`indFinal` 1); without a registration nobody sells again
    /// (rejection 696).
    pub fn is_final(&self) -> bool {
        let resells = matches!(self, Self::Company { buys_to_resell: true, .. });
        !resells || self.state_registration().is_none()
    }
}

/// A line of an invoice.
#[derive(Debug, Clone)]
pub struct Line {
    /// The shop's code of the article.
    pub code: String,
    /// What it is called.
    pub name: String,
    /// Units.
    pub quantity: i64,
    /// The price of one unit.
    pub price: Money,
    /// How it is taxed.
    pub fiscal: Fiscal,
    /// The code of operation, which begins with 5 in the company's state and with 6 elsewhere.
    pub cfop: Digits<4>,
}

/// What the tax office wants to know of an article.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fiscal {
    /// Its place in the nomenclature of goods: 34060000 are candles.
    pub ncm: Digits<8>,
    /// Its code for tax substitution, where it has one.
    pub cest: Option<Digits<7>>,
    /// The number of its bar code, where it has one.
    pub gtin: Option<Gtin>,
    /// Where it comes from.
    pub origin: Origin,
    /// How Simples Nacional taxes it.
    pub csosn: Csosn,
    /// What it is counted in.
    pub unit: Unit,
}

/// How an invoice was paid, as far as the shop knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaymentMeans {
    /// A PIX code made for the sale (17).
    Pix,
    /// A card (03).
    Card,
    /// Cash (01).
    Cash,
    /// A bank transfer (18).
    Transfer,
    /// Any other means (99).
    Other,
    /// There was nothing to pay (90).
    Nothing,
}

/// The taxes of the reform (IBS and CBS), in percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IbsCbs {
    /// The state's part of IBS.
    pub ibs_state: Decimal,
    /// The city's part of IBS.
    pub ibs_city: Decimal,
    /// CBS.
    pub cbs: Decimal,
}
