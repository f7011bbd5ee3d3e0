//! An invoice that has a number, as it will be signed.

use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::money::Money;
use crate::nfe::{Certificate, Invoice, ReturnInvoice, SignedInvoice};
use crate::order::{self, Order};
use crate::storage::Tx;

/// What is to be signed.
#[derive(Debug)]
pub(super) enum Draft {
    /// The invoice of an order, as the order was when the invoice was made.
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
    /// [`Error::Busy`] when the order's address was mended since: the document would say another one.
    pub(super) fn check_still_so(&self, tx: &mut dyn Tx) -> Result<()> {
        let Self::Sale(_, drafted) = self else { return Ok(()) };
        match order::find(tx, &drafted.id)? {
            Some(order) if order.address == drafted.address => Ok(()),
            _ => Err(Error::busy()),
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
