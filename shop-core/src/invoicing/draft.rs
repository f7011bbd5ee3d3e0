//! An invoice that has a number, as it will be signed.

use super::units::{self, Units};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::money::Money;
use crate::nfe::{Certificate, Invoice, ReturnInvoice, SignedInvoice};
use crate::order::{self, Order};
use crate::storage::Tx;

/// What is to be signed.
#[derive(Debug)]
pub(super) enum Draft {
    /// The invoice of an order, and the order as the invoice says it.
    Sale(Box<Invoice>, Box<Order>),
    Return(Box<ReturnInvoice>),
}

impl Draft {
    pub(super) fn sign(&self, certificate: &Certificate) -> Result<SignedInvoice> {
        match self {
            Self::Sale(invoice, _) => invoice.sign(certificate),
            Self::Return(invoice) => invoice.sign(certificate),
        }
    }

    /// Whether what it says is still so when its document is stored.
    ///
    /// # Errors
    /// [`Error::Busy`] when the order's address was mended since, or units were withdrawn: the
    /// document would say others.
    pub(super) fn check_still_so(&self, tx: &mut dyn Tx) -> Result<()> {
        let Self::Sale(_, drafted) = self else { return Ok(()) };
        let order = order::find(tx, &drafted.id)?.ok_or_else(Error::busy)?;
        let order = units::invoiced(tx, &order)?;
        let is_so = order.address == drafted.address && units::of(&order) == units::of(drafted);
        if is_so { Ok(()) } else { Err(Error::busy()) }
    }

    /// The units of a sale's lines; none are stored of a return, which has its own rows.
    pub(super) fn units(&self) -> Option<Units> {
        match self {
            Self::Sale(_, order) => Some(units::of(order)),
            Self::Return(_) => None,
        }
    }

    pub(super) fn issued_at(&self) -> Timestamp {
        match self {
            Self::Sale(invoice, _) => invoice.issued_at,
            Self::Return(invoice) => invoice.issued_at,
        }
    }

    pub(super) fn total(&self) -> Money {
        match self {
            Self::Sale(invoice, _) => invoice.total(),
            Self::Return(invoice) => invoice.total(),
        }
    }
}
