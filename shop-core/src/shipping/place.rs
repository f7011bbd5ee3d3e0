//! The port to a look-up of postal codes.

use futures_util::future::BoxFuture;

use super::carrier::CarrierError;
use crate::value::{Cep, Uf};

/// A service that looks up postal codes.
pub trait PostalCodes: Send + Sync + 'static {
    /// Where a postal code is; `None` when the service positively says that there is none such.
    fn find<'a>(&'a self, cep: &'a Cep) -> BoxFuture<'a, Result<Option<Place>, CarrierError>>;
}

/// Where a postal code is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// By its two letters.
    pub state: Uf,
    /// The city; empty where only the state is known.
    pub city: String,
    /// The district, where the code is of one.
    pub district: Option<String>,
    /// The street, where the code is of one.
    pub street: Option<String>,
}

impl Place {
    /// A place of which no more is known than its city.
    pub fn new(state: Uf, city: String) -> Self {
        Self { state, city, district: None, street: None }
    }
}
