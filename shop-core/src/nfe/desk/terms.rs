//! What a job needs to know to make an invoice.

use std::sync::Arc;

use super::Invoices;
use crate::config::NfeConfig;
use crate::nfe::TaxEnvironment;
use crate::nfe::office::{Book, Office};

/// The shop's settings, to be taken into a job.
#[derive(Clone)]
pub(super) struct Terms {
    pub(super) office: Arc<Office>,
    pub(super) config: NfeConfig,
}

impl Terms {
    pub(super) fn of(invoices: Invoices<'_>) -> Self {
        Self { office: Arc::clone(invoices.office), config: invoices.cx.config().nfe.clone() }
    }

    pub(super) fn book(&self) -> Book {
        self.office.book
    }
}

impl Book {
    pub(super) fn environment(self) -> TaxEnvironment {
        match self {
            Self::Production => TaxEnvironment::Production,
            Self::Sandbox | Self::Homologation => TaxEnvironment::Homologation,
        }
    }
}
