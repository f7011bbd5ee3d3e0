//! What the tax office wants to know of a product.

use super::{Invoices, store};
use crate::actor::Actor;
use crate::audit;
use crate::catalog;
use crate::config::Production;
use crate::context::Work;
use crate::error::{Entity, Error, Result};
use crate::id::ProductId;
use crate::lane;
use crate::nfe::{Csosn, Digits, Gtin, Origin, Unit};
use crate::revision::Revision;
use crate::storage::Tx;

/// What the tax office wants to know of a product; where it says nothing, the shop's settings hold.
#[apply(answer!)]
#[derive(Default)]
pub struct ProductFiscal {
    /// Its place in the nomenclature of goods, eight digits.
    pub ncm: Option<Digits<8>>,
    /// Its code for tax substitution, seven digits.
    pub cest: Option<Digits<7>>,
    /// The number of its bar code.
    pub gtin: Option<Gtin>,
    /// Where it comes from: 0 is Brazil, 1 to 8 say how much of it is imported.
    pub origin: Option<Origin>,
    /// The situation under Simples Nacional.
    pub csosn: Option<Csosn>,
    /// What it is counted in.
    pub unit: Option<Unit>,
    /// Whether the shop makes it.
    pub production: Option<Production>,
}

/// Changes of a [`ProductFiscal`]: what is absent stays, null is the shop's settings again.
#[apply(patch!)]
pub struct ProductFiscalPatch {
    /// Its place in the nomenclature of goods, eight digits.
    pub ncm: Option<Option<Digits<8>>>,
    /// Its code for tax substitution, seven digits.
    pub cest: Option<Option<Digits<7>>>,
    /// The number of its bar code.
    pub gtin: Option<Option<Gtin>>,
    /// Where it comes from, 0 to 8.
    pub origin: Option<Option<Origin>>,
    /// The situation under Simples Nacional.
    pub csosn: Option<Option<Csosn>>,
    /// What it is counted in.
    pub unit: Option<Option<Unit>>,
    /// Whether the shop makes it.
    pub production: Option<Option<Production>>,
}

impl ProductFiscal {
    /// What a change expects in `If-Match`.
    ///
    /// # Errors
    /// [`Error::Internal`] when it cannot be written.
    pub fn revision(&self) -> Result<Revision> {
        Revision::of(self)
    }

    fn patched(self, patch: ProductFiscalPatch) -> Self {
        Self {
            ncm: patch.ncm.unwrap_or(self.ncm),
            cest: patch.cest.unwrap_or(self.cest),
            gtin: patch.gtin.unwrap_or(self.gtin),
            origin: patch.origin.unwrap_or(self.origin),
            csosn: patch.csosn.unwrap_or(self.csosn),
            unit: patch.unit.unwrap_or(self.unit),
            production: patch.production.unwrap_or(self.production),
        }
    }
}

impl Invoices<'_> {
    /// What invoices say of a product, as far as it says something of its own.
    ///
    /// # Errors
    /// [`Entity::Product`].
    ///
    /// Cancel safe: reads only.
    pub async fn get_fiscal(&self, product: &ProductId) -> Result<ProductFiscal> {
        let product = product.clone();
        self.cx.db().lookup("nfe.fiscal", move |tx| stored(tx, &product)).await
    }

    /// Changes what invoices say of a product from now on.
    ///
    /// # Errors
    /// [`Entity::Product`]; [`crate::error::Conflict::Changed`] when it is not in the state that
    /// was expected.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn update_fiscal(
        &self,
        by: &Actor,
        product: &ProductId,
        patch: ProductFiscalPatch,
        expected: Option<Revision>,
    ) -> Result<ProductFiscal> {
        let (by, product, at) = (by.clone(), product.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| change(tx, &at, &by, &product, &patch, expected.as_ref());
        self.cx.db().write(lane::CATALOG, "nfe.set_fiscal", job).await
    }
}

fn stored(tx: &mut dyn Tx, product: &ProductId) -> Result<ProductFiscal> {
    catalog::sellable(tx, product)?.ok_or(Error::NotFound(Entity::Product))?;
    store::product_fiscal(tx, product)
}

fn change(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    product: &ProductId,
    patch: &ProductFiscalPatch,
    expected: Option<&Revision>,
) -> Result<ProductFiscal> {
    let before = stored(tx, product)?;
    before.revision()?.check(expected)?;
    let after = before.clone().patched(patch.clone());
    if after != before {
        store::set_product_fiscal(tx, product, &after, at.now())?;
        audit::record(tx, at, by, "product_fiscal.update", product.as_str(), &before, &after)?;
    }
    Ok(after)
}
