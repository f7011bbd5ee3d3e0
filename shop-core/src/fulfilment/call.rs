//! What is asked of a provider between two jobs.

use super::service::in_time;
use crate::shipment::{
    LabelAnswer, LabelError, LabelProvider, LabelRequest, ProviderLabel, ProviderLabelStatus,
};

/// A question to the provider, and whatever else it takes.
pub(super) enum Call {
    /// Put it into the cart, for the first time.
    Add(Box<LabelRequest>),
    /// Put it into the cart, unless a call whose answer was lost did.
    FindOrAdd(Box<LabelRequest>),
    /// Pay it.
    Pay { label: String },
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
    /// How the label stands; none where the provider knows of none.
    Known(LabelAnswer<Option<ProviderLabel>>),
    /// How the label stands, and what was said to having it made.
    Made(LabelAnswer<Option<ProviderLabel>>, Option<LabelError>),
    /// Nothing is left in the cart, but for a label that was paid.
    Dropped(LabelAnswer<Option<ProviderLabel>>),
    /// How the label stands, and what was said to giving it back.
    Cancelled(LabelAnswer<Option<ProviderLabel>>, Option<LabelError>),
}

impl Call {
    pub(super) async fn ask(&self, provider: &dyn LabelProvider) -> Answer {
        match self {
            Self::Add(request) => Answer::Label(in_time(provider.add_to_cart(request)).await),
            Self::FindOrAdd(request) => Answer::Label(find_or_add(provider, request).await),
            Self::Pay { label } => Answer::Paid(in_time(provider.pay(label)).await),
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

/// The label that was made with the reference, if there is one; of several the first, and the others,
/// which are not paid, leave the cart.
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
            | Self::Known(Err(error))
            | Self::Made(Err(error), _)
            | Self::Dropped(Err(error))
            | Self::Cancelled(Err(error), _) => Some(error),
            _ => None,
        }
    }
}
