//! What a job needs to know to make an invoice.

use std::sync::Arc;

use super::Invoices;
use crate::config::NfeConfig;
use crate::invoicing::issuer_setup::{IssuerSetup, NumberScope};
use crate::nfe::TaxEnvironment;

/// The shop's settings, to be taken into a job.
#[derive(Clone)]
pub(super) struct Terms {
    pub(super) setup: Arc<IssuerSetup>,
    pub(super) config: NfeConfig,
}

impl Terms {
    pub(super) fn of(invoices: Invoices<'_>) -> Self {
        Self { setup: Arc::clone(invoices.setup), config: invoices.cx.config().nfe.clone() }
    }

    pub(super) fn scope(&self) -> NumberScope {
        self.setup.scope
    }
}

impl NumberScope {
    pub(super) fn environment(self) -> TaxEnvironment {
        match self {
            Self::Production => TaxEnvironment::Production,
            Self::Sandbox | Self::Homologation => TaxEnvironment::Homologation,
        }
    }
}
