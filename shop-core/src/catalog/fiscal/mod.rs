//! What the tax office wants to know of products: said of a product, else of its category, else by
//! the company's settings.

#[cfg(feature = "nfe")]
mod effective;
mod store;

#[cfg(feature = "nfe")]
pub use self::effective::{Effective, EffectiveFiscal, FiscalSource};
pub(super) use self::store::forget_category;
pub(crate) use self::store::of_products;
pub(crate) use self::store::set_product;
#[cfg(feature = "nfe")]
pub(crate) use self::store::{fallback_of, fallbacks_of, of_category, of_product, set_category};
#[cfg(feature = "nfe")]
pub(super) use self::store::{keep_of_category, of_categories};
#[cfg(feature = "nfe")]
use crate::error::Result;
use crate::fiscal::{Csosn, Digits, Gtin, Origin, Production, Unit};
#[cfg(feature = "nfe")]
use crate::revision::Revision;

/// What the tax office wants to know of a product; where it says nothing, its category says it,
/// else the shop's settings. A category says the same, but for the bar code.
#[apply(answer!)]
#[derive(Default)]
pub struct ProductFiscal {
    /// Its place in the nomenclature of goods, eight digits.
    pub ncm: Option<Digits<8>>,
    /// Its code for tax substitution, seven digits.
    pub cest: Option<Digits<7>>,
    /// The code of operation of a sale within the company's state: it begins with 5.
    pub cfop_in_state: Option<Digits<4>>,
    /// The code of operation of a sale to another state: it begins with 6.
    pub cfop_out_of_state: Option<Digits<4>>,
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

#[cfg(feature = "nfe")]
impl ProductFiscal {
    /// What it says, else what its category does.
    fn or(self, category: Self) -> Self {
        Self {
            ncm: self.ncm.or(category.ncm),
            cest: self.cest.or(category.cest),
            cfop_in_state: self.cfop_in_state.or(category.cfop_in_state),
            cfop_out_of_state: self.cfop_out_of_state.or(category.cfop_out_of_state),
            gtin: self.gtin.or(category.gtin),
            origin: self.origin.or(category.origin),
            csosn: self.csosn.or(category.csosn),
            unit: self.unit.or(category.unit),
            production: self.production.or(category.production),
        }
    }
}

/// Changes of a [`ProductFiscal`]: what is absent stays, null is the category's or the settings'
/// again.
#[cfg(feature = "nfe")]
#[apply(patch!)]
pub struct ProductFiscalPatch {
    /// Its place in the nomenclature of goods, eight digits.
    pub ncm: Option<Option<Digits<8>>>,
    /// Its code for tax substitution, seven digits.
    pub cest: Option<Option<Digits<7>>>,
    /// The code of operation of a sale within the company's state.
    pub cfop_in_state: Option<Option<Digits<4>>>,
    /// The code of operation of a sale to another state.
    pub cfop_out_of_state: Option<Option<Digits<4>>>,
    /// The number of its bar code; a category has none.
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

#[cfg(feature = "nfe")]
impl ProductFiscal {
    /// What a change expects in `If-Match`.
    ///
    /// # Errors
    /// [`Error::Internal`](crate::Error::Internal) when it cannot be written.
    pub fn revision(&self) -> Result<Revision> {
        Revision::of(self)
    }

    pub(crate) fn patched(self, patch: ProductFiscalPatch) -> Self {
        Self {
            ncm: patch.ncm.unwrap_or(self.ncm),
            cest: patch.cest.unwrap_or(self.cest),
            cfop_in_state: patch.cfop_in_state.unwrap_or(self.cfop_in_state),
            cfop_out_of_state: patch.cfop_out_of_state.unwrap_or(self.cfop_out_of_state),
            gtin: patch.gtin.unwrap_or(self.gtin),
            origin: patch.origin.unwrap_or(self.origin),
            csosn: patch.csosn.unwrap_or(self.csosn),
            unit: patch.unit.unwrap_or(self.unit),
            production: patch.production.unwrap_or(self.production),
        }
    }
}
