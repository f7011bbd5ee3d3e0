//! What invoices say of products and categories, as staff see and change it.

use super::Invoices;
use crate::actor::Actor;
use crate::audit;
use crate::catalog::{self, EffectiveFiscal, ProductFiscal, ProductFiscalPatch};
use crate::config::NfeConfig;
use crate::context::Work;
use crate::error::{Entity, Error, FieldErrors, Result};
use crate::id::{CategoryId, ProductId};
use crate::revision::Revision;
use crate::storage::Tx;
use crate::value::InvalidValue;

/// What a product or a category says of its own, and what holds for it.
#[apply(answer!)]
pub struct FiscalDetail {
    /// What it says itself; null where something else holds.
    #[serde(flatten)]
    pub own: ProductFiscal,
    /// What holds, and who says so.
    pub effective: EffectiveFiscal,
}

impl FiscalDetail {
    /// What a change expects in `If-Match`: what the product or category says itself.
    ///
    /// # Errors
    /// [`Error::Internal`] when it cannot be written.
    pub fn revision(&self) -> Result<Revision> {
        self.own.revision()
    }
}

/// Of what fiscal data are.
#[derive(Clone)]
enum Subject {
    Product(ProductId),
    Category(CategoryId),
}

impl Invoices<'_> {
    /// What invoices say of a product.
    ///
    /// # Errors
    /// [`Entity::Product`].
    ///
    /// Cancel safe: reads only.
    pub async fn get_fiscal(&self, product: &ProductId) -> Result<FiscalDetail> {
        self.shown(Subject::Product(product.clone())).await
    }

    /// Changes what invoices say of a product from now on.
    ///
    /// # Errors
    /// [`Entity::Product`]; [`Error::Invalid`] names codes that the company's regime does not take;
    /// [`crate::error::Conflict::Changed`] when it is not in the state that was expected.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn update_fiscal(
        &self,
        by: &Actor,
        product: &ProductId,
        patch: ProductFiscalPatch,
        expected: Option<Revision>,
    ) -> Result<FiscalDetail> {
        self.changed(by, Subject::Product(product.clone()), patch, expected).await
    }

    /// What invoices say of a category's products that say nothing else.
    ///
    /// # Errors
    /// [`Entity::Category`].
    ///
    /// Cancel safe: reads only.
    pub async fn get_category_fiscal(&self, category: &CategoryId) -> Result<FiscalDetail> {
        self.shown(Subject::Category(category.clone())).await
    }

    /// Changes what invoices say from now on of a category's products that say nothing else.
    ///
    /// # Errors
    /// As [`Invoices::update_fiscal`], with [`Entity::Category`]; a category has no bar code.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn update_category_fiscal(
        &self,
        by: &Actor,
        category: &CategoryId,
        patch: ProductFiscalPatch,
        expected: Option<Revision>,
    ) -> Result<FiscalDetail> {
        self.changed(by, Subject::Category(category.clone()), patch, expected).await
    }

    async fn shown(&self, subject: Subject) -> Result<FiscalDetail> {
        let config = self.cx.config().nfe.clone();
        let job = move |tx: &mut dyn Tx| {
            let own = subject.own(tx)?;
            let effective = subject.effective(tx, &own, &config)?;
            Ok(FiscalDetail { own, effective })
        };
        self.cx.db().lookup("nfe.fiscal", job).await
    }

    async fn changed(
        &self,
        by: &Actor,
        subject: Subject,
        patch: ProductFiscalPatch,
        expected: Option<Revision>,
    ) -> Result<FiscalDetail> {
        let (by, at, config) = (by.clone(), self.cx.work(), self.cx.config().nfe.clone());
        let job = move |tx: &mut dyn Tx| {
            let before = subject.own(tx)?;
            before.revision()?.check(expected.as_ref())?;
            let own = before.clone().patched(patch.clone());
            let effective = subject.effective(tx, &own, &config)?;
            if own != before {
                subject.check(&own, &effective, &config).into_result()?;
                subject.save(tx, &at, &by, &before, &own)?;
            }
            Ok(FiscalDetail { own, effective })
        };
        catalog::edit(self.cx, "nfe.set_fiscal", job).await
    }
}

impl Subject {
    fn own(&self, tx: &mut dyn Tx) -> Result<ProductFiscal> {
        match self {
            Self::Product(id) => {
                catalog::sellable(tx, id)?.ok_or(Error::NotFound(Entity::Product))?;
                catalog::fiscal_of_product(tx, id)
            }
            Self::Category(id) => catalog::fiscal_of_category(tx, id),
        }
    }

    fn effective(
        &self,
        tx: &mut dyn Tx,
        own: &ProductFiscal,
        config: &NfeConfig,
    ) -> Result<EffectiveFiscal> {
        Ok(match self {
            Self::Product(id) => {
                EffectiveFiscal::of(own, &catalog::fiscal_fallback(tx, id)?, config)
            }
            Self::Category(_) => EffectiveFiscal::of(&ProductFiscal::default(), own, config),
        })
    }

    fn check(
        &self,
        own: &ProductFiscal,
        effective: &EffectiveFiscal,
        config: &NfeConfig,
    ) -> FieldErrors {
        match self {
            Self::Product(_) => effective.check_product(config.regime()),
            Self::Category(_) => {
                let mut wrong = effective.check(config.regime());
                if own.gtin.is_some() {
                    wrong.add("gtin", InvalidValue::GtinOfCategory);
                }
                wrong
            }
        }
    }

    fn save(
        &self,
        tx: &mut dyn Tx,
        at: &Work,
        by: &Actor,
        before: &ProductFiscal,
        after: &ProductFiscal,
    ) -> Result<()> {
        let (action, id) = match self {
            Self::Product(id) => {
                catalog::set_fiscal_of_product(tx, id, after, at.now())?;
                ("product_fiscal.update", id.as_str())
            }
            Self::Category(id) => {
                catalog::set_fiscal_of_category(tx, id, after, at.now())?;
                ("category_fiscal.update", id.as_str())
            }
        };
        audit::record(tx, at, by, action, id, before, after)
    }
}
