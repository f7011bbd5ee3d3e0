//! What is asked of a provider between two jobs.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use tokio::time::Instant;

use super::service::in_time;
use super::{CALL, PAYMENT};
use crate::clock::Timestamp;
use crate::context::Context;
use crate::money::Money;
use crate::shipment::{
    LabelAnswer, LabelError, LabelProvider, LabelRequest, ProviderLabel, ProviderLabelStatus,
};

/// A question to the provider, and whatever else it takes.
pub(super) enum Call {
    /// Put it into the cart, for the first time.
    Add(Box<LabelRequest>),
    /// Put it into the cart, unless a call whose answer was lost did.
    FindOrAdd(Box<LabelRequest>),
    /// Pay it, unless it costs more by now than this, which was accepted.
    Pay { label: String, price: Option<Money> },
    /// Say how it stands.
    Ask { label: String },
    /// Have it made, and say how it stands.
    Generate { label: String },
    /// Take out of the cart whatever was made with a reference.
    DropAll { reference: String },
    /// Take it out of the cart, unless it was paid.
    Remove { label: String },
    /// Give it back, unless that was done or it is too late.
    Cancel { label: String },
}

/// What the provider did.
pub(super) enum Answer {
    /// How the label stands.
    Label(LabelAnswer<ProviderLabel>),
    /// Whether it was paid.
    Paid(LabelAnswer<()>),
    /// It was not paid for want of balance, which holds so much.
    Short(Option<Money>),
    /// No payment was asked for, as the label stands.
    Unpaid(LabelAnswer<Option<ProviderLabel>>),
    /// How the label stands; none where the provider knows of none.
    Known(LabelAnswer<Option<ProviderLabel>>),
    /// How the label stands, and what was said to having it made.
    Made(LabelAnswer<Option<ProviderLabel>>, Option<LabelError>),
    /// Nothing is left in the cart, but for a label that was paid.
    Dropped(LabelAnswer<Option<ProviderLabel>>),
    /// How the label stands, and what was said to giving it back.
    Cancelled(LabelAnswer<Option<ProviderLabel>>, Option<LabelError>),
}

/// When a step was stored, by the shop's clock and by that of the machine.
pub(super) struct StoredAt {
    pub(super) at: Timestamp,
    cx: Context,
    instant: Instant,
}

impl StoredAt {
    pub(super) fn new(cx: &Context, at: Timestamp) -> Self {
        Self { at, cx: cx.clone(), instant: Instant::now() }
    }

    /// Whether it was stored less than so long ago, by both clocks: the shop's may be set back, and
    /// the machine's stands still while the machine sleeps.
    fn is_within(&self, span: Duration) -> bool {
        self.instant.elapsed() < span && self.cx.now() < self.at.plus(span)
    }
}

impl Call {
    pub(super) async fn ask(&self, provider: &dyn LabelProvider, stored: &StoredAt) -> Answer {
        match self {
            Self::Add(request) => Answer::Label(in_time(provider.add_to_cart(request)).await),
            Self::FindOrAdd(request) => Answer::Label(find_or_add(provider, request).await),
            Self::Pay { label, price } => pay(provider, label, *price, stored).await,
            Self::Ask { label } => Answer::Known(in_time(provider.fetch(label)).await),
            Self::Generate { label } => {
                let made = in_time(provider.generate(label)).await.err();
                Answer::Made(in_time(provider.fetch(label)).await, made)
            }
            Self::DropAll { reference } => Answer::Dropped(drop_all(provider, reference).await),
            Self::Remove { label } => Answer::Dropped(remove(provider, label).await),
            Self::Cancel { label } => {
                let (known, said) = cancel(provider, label).await;
                Answer::Cancelled(known, said)
            }
        }
    }
}

fn is_paid(label: &ProviderLabel) -> bool {
    use ProviderLabelStatus::{Cancelled, Expired, InCart};
    !matches!(label.status, InCart | Cancelled | Expired)
}

/// Pays a label that is in the cart and no dearer than what was accepted. Another server takes a
/// payment for lost after some minutes and may pay by itself, so one that did not begin soon is
/// given up, and one that takes too long is not driven on.
async fn pay(
    provider: &dyn LabelProvider,
    label: &str,
    accepted: Option<Money>,
    stored: &StoredAt,
) -> Answer {
    match in_time(provider.fetch(label)).await {
        Ok(Some(known))
            if known.status == ProviderLabelStatus::InCart && Some(known.price) <= accepted => {}
        known => return Answer::Unpaid(known),
    }
    let late = || LabelError::Unclear("the payment did not come about in time".to_owned());
    if !stored.is_within(CALL) {
        return Answer::Unpaid(Err(late()));
    }
    let mut paying = provider.pay(label);
    let on_time = poll_fn(|task| {
        if stored.is_within(PAYMENT) {
            paying.as_mut().poll(task)
        } else {
            Poll::Ready(Err(late()))
        }
    });
    let said = in_time(on_time).await;
    match said {
        Err(LabelError::InsufficientBalance) => {
            Answer::Short(in_time(provider.balance()).await.ok())
        }
        said => Answer::Paid(said),
    }
}

/// The label that was made with the reference, if there is one; of several the first, and the
/// others, which are not paid, leave the cart.
async fn find_or_add(
    provider: &dyn LabelProvider,
    request: &LabelRequest,
) -> LabelAnswer<ProviderLabel> {
    let mut found = in_time(provider.find(&request.reference)).await?;
    found.retain(|label| is_paid(label) || label.status == ProviderLabelStatus::InCart);
    found.sort_by_key(|label| !is_paid(label));
    let mut found = found.into_iter();
    let Some(first) = found.next() else {
        return in_time(provider.add_to_cart(request)).await;
    };
    for extra in found.filter(|label| !is_paid(label)) {
        // A row of the cart costs nothing, and one that stays runs out.
        let _ = in_time(provider.remove_from_cart(&extra.id)).await;
    }
    Ok(first)
}

async fn drop_all(
    provider: &dyn LabelProvider,
    reference: &str,
) -> LabelAnswer<Option<ProviderLabel>> {
    let mut paid = None;
    for label in in_time(provider.find(reference)).await? {
        if is_paid(&label) {
            paid = paid.or(Some(label));
        } else if label.status == ProviderLabelStatus::InCart {
            in_time(provider.remove_from_cart(&label.id)).await?;
        }
    }
    Ok(paid)
}

async fn remove(provider: &dyn LabelProvider, label: &str) -> LabelAnswer<Option<ProviderLabel>> {
    match in_time(provider.fetch(label)).await? {
        Some(known) if is_paid(&known) => Ok(Some(known)),
        Some(known) if known.status == ProviderLabelStatus::InCart => {
            in_time(provider.remove_from_cart(label)).await.map(|()| None)
        }
        _ => Ok(None),
    }
}

/// Asks how the label stands before it is given back, and again after an answer that does not say.
async fn cancel(
    provider: &dyn LabelProvider,
    label: &str,
) -> (LabelAnswer<Option<ProviderLabel>>, Option<LabelError>) {
    use ProviderLabelStatus::{Generated, Paid};
    match in_time(provider.fetch(label)).await {
        Ok(Some(known)) if matches!(known.status, Paid | Generated) => {}
        known => return (known, None),
    }
    match in_time(provider.cancel(label)).await {
        Ok(after) => (Ok(Some(after)), None),
        Err(error) => (in_time(provider.fetch(label)).await, Some(error)),
    }
}

impl Answer {
    /// What kept the provider from answering.
    pub(super) fn error(&self) -> Option<&LabelError> {
        match self {
            Self::Label(Err(error))
            | Self::Paid(Err(error))
            | Self::Unpaid(Err(error))
            | Self::Known(Err(error))
            | Self::Made(Err(error), _)
            | Self::Dropped(Err(error))
            | Self::Cancelled(Err(error), _) => Some(error),
            _ => None,
        }
    }
}
