//! The port to providers of shipping labels.
//!
//! Implementations translate; they hold no rule of the shop. Providers know no idempotency key, so
//! the shop stores every step before it begins the next one, and asks what became of a call whose
//! answer was lost instead of repeating it (docs/decisions.md, "Shipments").

use futures_util::future::BoxFuture;

use crate::clock::Timestamp;
use crate::error::Error;
use crate::id::ShipmentId;
use crate::money::Money;

/// The largest file of a label: those of some carriers are pictures.
#[cfg(any(feature = "http", feature = "nfe"))]
pub(crate) const MAX_DOCUMENT: usize = 8 * 1024 * 1024;

/// What a provider answers.
pub type LabelAnswer<T> = Result<T, LabelError>;

/// A company that sells labels of carriers from a prepaid balance, or the sandbox that plays one.
/// A label is of one parcel.
pub trait LabelProvider: Send + Sync + 'static {
    /// Its name, which is kept with each of its labels, e.g. `melhor-envio`.
    fn name(&self) -> &'static str;

    /// Its number of the service that an option of a shipping quote stands for
    /// ([`QuoteOption::id`](crate::shipping::QuoteOption)); `None` for options of others.
    fn service_of(&self, option: &str) -> Option<String>;

    /// Puts a parcel into the provider's cart, which costs nothing. Every call makes another
    /// label; [`LabelRequest::reference`] finds those of lost answers.
    fn add_to_cart<'a>(
        &'a self,
        request: &'a LabelRequest,
    ) -> BoxFuture<'a, LabelAnswer<ProviderLabel>>;

    /// All labels that were made with a reference, in whatever state.
    fn find<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, LabelAnswer<Vec<ProviderLabel>>>;

    /// What the provider knows of a label; `None` where it knows of none.
    fn fetch<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<Option<ProviderLabel>>>;

    /// Takes a label that is not paid out of the cart; done also where it is gone already.
    fn remove_from_cart<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<()>>;

    /// Pays a label of the cart from the balance. After [`LabelError::Unclear`] only
    /// [`LabelProvider::fetch`] tells whether it was paid.
    fn pay<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<()>>;

    /// Has the carrier make the label of a paid parcel, which may take some minutes; done also
    /// where it was made already.
    fn generate<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<()>>;

    /// The label on paper, as a PDF; `None` while it is being made.
    fn document<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<Option<Vec<u8>>>>;

    /// Gives back a paid label that was not posted; its price returns to the balance. Only
    /// [`ProviderLabelStatus::Cancelled`] in the answer says that it does.
    fn cancel<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<ProviderLabel>>;

    /// What the balance holds.
    fn balance(&self) -> BoxFuture<'_, LabelAnswer<Money>>;
}

/// Why a provider did not do what it was asked. Never holds credentials.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum LabelError {
    /// It refused the request itself, which has no effect now or later.
    #[error("refused the request: {0}")]
    Refused(String),
    /// The balance is too small to pay the label. Nothing was paid.
    #[error("the balance is too small")]
    InsufficientBalance,
    /// The shop must be connected with the provider anew: its access was withdrawn, lacks a right
    /// or ran out.
    #[error("the shop is not connected with the provider")]
    NotConnected,
    /// Whether it had its effect is unknown.
    #[error("{0}")]
    Unclear(String),
    /// The shop's own database failed.
    #[error(transparent)]
    Shop(#[from] Error),
}

/// One side of a parcel's way.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Party {
    /// The name of the person or company.
    pub name: String,
    /// Its telephone, digits only.
    pub phone: Option<String>,
    /// Its e-mail.
    pub email: Option<String>,
    /// CPF or CNPJ, without punctuation.
    pub document: String,
    /// The state registration of a company (inscrição estadual).
    pub state_registration: Option<String>,
    /// The street.
    pub street: String,
    /// The number in it.
    pub number: String,
    /// What else leads to the door.
    pub complement: Option<String>,
    /// The neighbourhood.
    pub district: String,
    /// The city.
    pub city: String,
    /// The two letters of the state.
    pub state: String,
    /// The postal code, eight digits.
    pub zip_code: String,
}

/// One line of what is in a parcel.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LabelItem {
    /// What it is called.
    pub name: String,
    /// How many of it are in this parcel.
    pub quantity: i64,
    /// What one of it cost the customer.
    pub unit_price: Money,
    /// What one of it weighs, in grams.
    pub grams: i64,
}

/// What a provider needs to know to make a label.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LabelRequest {
    /// The shop's shipment.
    pub shipment: ShipmentId,
    /// By which [`LabelProvider::find`] finds it: of one shipment and one attempt alone.
    pub reference: String,
    /// The number of the order, as people know it.
    pub order_number: String,
    /// The service by the provider's number, as in its quote.
    pub service: String,
    /// Where the parcel comes from.
    pub from: Party,
    /// Where it goes.
    pub to: Party,
    /// What is in it.
    pub items: Vec<LabelItem>,
    /// Outer sides in whole centimetres, rounded up: length, width, height.
    pub sides: [i64; 3],
    /// Its weight with packing, in grams.
    pub grams: i64,
    /// The value of the goods in it, for which the carrier answers.
    pub declared_value: Money,
    /// The access key of the order's invoice, 44 digits; a declaration of content goes with the
    /// parcel without it.
    pub invoice_key: Option<String>,
}

/// How far a label has come, in the order of its course.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ProviderLabelStatus {
    /// In the cart, and free.
    InCart,
    /// Paid from the balance.
    Paid,
    /// Made by the carrier, and to be printed.
    Generated,
    /// Handed over to the carrier.
    Posted,
    /// On its way back, or given up by the carrier.
    Undelivered,
    /// With the customer.
    Delivered,
    /// Given back before it was posted.
    Cancelled,
    /// Not used in time.
    Expired,
}

impl ProviderLabel {
    /// A label of which no more is known.
    pub fn new(id: impl Into<String>, status: ProviderLabelStatus, price: Money) -> Self {
        Self {
            id: id.into(),
            reference: None,
            status,
            price,
            service_name: None,
            tracking_code: None,
            tracking_url: None,
            posted_at: None,
            delivered_at: None,
            delivery_days: None,
        }
    }
}

/// A label as its provider describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProviderLabel {
    /// The provider's id of it.
    pub id: String,
    /// The reference of its request, where the provider tells it.
    pub reference: Option<String>,
    /// How far it has come.
    pub status: ProviderLabelStatus,
    /// What the provider takes for it.
    pub price: Money,
    /// The carrier and its service, as people know them, e.g. `Correios SEDEX`.
    pub service_name: Option<String>,
    /// The code by which the carrier follows the parcel.
    pub tracking_code: Option<String>,
    /// The page that follows it, where the provider names one.
    pub tracking_url: Option<String>,
    /// When it was handed over.
    pub posted_at: Option<Timestamp>,
    /// When it was delivered.
    pub delivered_at: Option<Timestamp>,
    /// In how many working days the carrier delivers after it was posted.
    pub delivery_days: Option<i64>,
}
