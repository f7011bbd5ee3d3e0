//! A provider of labels inside the shop, so that one can be built, demonstrated and tested without
//! an account anywhere. What it knows is in the shop's own database, but behind the same port as a
//! real provider: nothing else in the library knows that it is not. No carrier takes its labels.

mod paper;
mod store;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use self::paper::Paper;
pub(crate) use self::store::forget;
use self::store::{New, State};
use super::{
    LabelAnswer, LabelError, LabelProvider, LabelRequest, ProviderLabel, ProviderLabelStatus,
};
use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::Result;
use crate::lane;
use crate::money::Money;
use crate::storage::Tx;

/// Its name, as it stands with its labels.
pub(crate) const NAME: &str = "sandbox";
/// What the balance holds before any label is paid.
const CREDIT: Money = Money::from_cents(1_000_000);

/// A service: its number, its name, its working days, its price, and what each kilogram adds.
type Service = (&'static str, &'static str, i64, Money, Money);

/// The services, by the numbers that Melhor Envio has for them.
const SERVICES: &[Service] = &[
    ("1", "Correios PAC", 6, Money::from_cents(1200), Money::from_cents(300)),
    ("2", "Correios SEDEX", 2, Money::from_cents(1800), Money::from_cents(600)),
    ("3", "Jadlog .Package", 4, Money::from_cents(1500), Money::from_cents(350)),
];

/// The sandbox as a provider of labels.
pub(crate) struct SandboxLabels(Context);

impl SandboxLabels {
    pub(crate) fn new(cx: Context) -> Self {
        Self(cx)
    }

    /// Moves a label that is in one of these states; answers how it stands then.
    async fn set(
        &self,
        id: &str,
        from: &'static [State],
        to: State,
    ) -> LabelAnswer<Option<ProviderLabel>> {
        let (id, now) = (number(id), self.0.now());
        let job = move |tx: &mut dyn Tx| {
            store::set(tx, id, from, to, now)?;
            store::by_id(tx, id)
        };
        Ok(self
            .0
            .db()
            .write(lane::INTEGRATIONS, "sandbox.label", job)
            .await?
            .map(ProviderLabel::from))
    }

    async fn pay(&self, id: &str) -> LabelAnswer<()> {
        let (id, now) = (number(id), self.0.now());
        let job = move |tx: &mut dyn Tx| pay(tx, id, now);
        self.0.db().write(lane::INTEGRATIONS, "sandbox.pay_label", job).await?
    }

    async fn read(&self, id: &str) -> LabelAnswer<Option<store::Label>> {
        let id = number(id);
        Ok(self.0.db().lookup("sandbox.get_label", move |tx| store::by_id(tx, id)).await?)
    }
}

/// Takes the price from the balance, once.
fn pay(tx: &mut dyn Tx, id: i64, now: Timestamp) -> Result<LabelAnswer<()>> {
    let refused = |text: &str| Ok(Err(LabelError::Refused(text.to_owned())));
    match store::by_id(tx, id)? {
        None => refused("Etiqueta não encontrada"),
        Some(label) if label.state != State::InCart => refused("A etiqueta não está no carrinho"),
        Some(label) if label.price > balance(tx)? => Ok(Err(LabelError::InsufficientBalance)),
        Some(_) => store::set(tx, id, &[State::InCart], State::Paid, now).map(|_| Ok(())),
    }
}

fn balance(tx: &mut dyn Tx) -> Result<Money> {
    Ok(CREDIT - store::spent(tx)?)
}

/// The number in an id; none has 0.
fn number(id: &str) -> i64 {
    id.strip_prefix("sandbox-").and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// What the sandbox plays the carrier for.
///
/// # Errors
/// When the database fails. False where no label of the sandbox is in a state for it.
pub(crate) fn play(
    tx: &mut dyn Tx,
    label: &str,
    status: ProviderLabelStatus,
    now: Timestamp,
) -> Result<bool> {
    use State::{Delivered, Generated, Posted, Undelivered};
    let (from, to): (&[State], State) = match status {
        ProviderLabelStatus::Posted => (&[Generated], Posted),
        ProviderLabelStatus::Undelivered => (&[Posted], Undelivered),
        ProviderLabelStatus::Delivered => (&[Posted, Undelivered], Delivered),
        _ => return Ok(false),
    };
    store::set(tx, number(label), from, to, now)
}

impl LabelProvider for SandboxLabels {
    fn name(&self) -> &'static str {
        NAME
    }

    fn service_of(&self, option: &str) -> Option<String> {
        let number = option.strip_prefix("me-")?;
        SERVICES.iter().find(|service| service.0 == number).map(|_| number.to_owned())
    }

    fn add_to_cart<'a>(
        &'a self,
        request: &'a LabelRequest,
    ) -> BoxFuture<'a, LabelAnswer<ProviderLabel>> {
        async move {
            let service = SERVICES.iter().find(|service| service.0 == request.service);
            let Some((_, name, _, price, more)) = service else {
                let unknown = format!("Serviço desconhecido: {}", request.service);
                return Err(LabelError::Refused(unknown));
            };
            let new = New {
                reference: request.reference.clone(),
                service: request.service.clone(),
                price: *price + *more * ((request.grams + 999) / 1000),
                paper: Paper::of(request, name).to_json()?,
            };
            let now = self.0.now();
            let job = move |tx: &mut dyn Tx| store::insert(tx, &new, now);
            let added = self.0.db().write(lane::INTEGRATIONS, "sandbox.add_label", job).await?;
            Ok(added.into())
        }
        .boxed()
    }

    fn find<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, LabelAnswer<Vec<ProviderLabel>>> {
        let reference = reference.to_owned();
        let job = move |tx: &mut dyn Tx| store::by_reference(tx, &reference);
        let found = self.0.db().lookup("sandbox.find_label", job);
        found.map(|found| Ok(found?.into_iter().map(ProviderLabel::from).collect())).boxed()
    }

    fn fetch<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<Option<ProviderLabel>>> {
        self.read(id).map(|found| Ok(found?.map(ProviderLabel::from))).boxed()
    }

    fn remove_from_cart<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<()>> {
        self.set(id, &[State::InCart], State::Cancelled).map(|done| done.map(drop)).boxed()
    }

    fn pay<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<()>> {
        self.pay(id).boxed()
    }

    fn generate<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<()>> {
        self.set(id, &[State::Paid], State::Generated).map(|done| done.map(drop)).boxed()
    }

    fn document<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<Option<Vec<u8>>>> {
        async move {
            let Some(label) = self.read(id).await? else { return Ok(None) };
            if matches!(label.state, State::InCart | State::Paid | State::Cancelled) {
                return Ok(None);
            }
            let paper = Paper::from_json(&label.paper)?;
            let code = label.code();
            let drawn = tokio::task::spawn_blocking(move || paper.draw(&code)).await;
            drawn.map(Some).map_err(|error| LabelError::Unclear(error.to_string()))
        }
        .boxed()
    }

    fn cancel<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<ProviderLabel>> {
        let cancelled = self.set(id, &[State::Paid, State::Generated], State::Cancelled);
        cancelled
            .map(|label| match label? {
                Some(label) if label.status == ProviderLabelStatus::Cancelled => Ok(label),
                _ => Err(LabelError::Refused("A etiqueta não pode ser cancelada".to_owned())),
            })
            .boxed()
    }

    fn balance(&self) -> BoxFuture<'_, LabelAnswer<Money>> {
        self.0.db().lookup("sandbox.balance", balance).map(|balance| Ok(balance?)).boxed()
    }
}

impl From<store::Label> for ProviderLabel {
    fn from(label: store::Label) -> Self {
        let service = SERVICES.iter().find(|service| service.0 == label.service);
        let code = label.state.has_code().then(|| label.code());
        let status = match label.state {
            State::InCart => ProviderLabelStatus::InCart,
            State::Paid => ProviderLabelStatus::Paid,
            State::Generated => ProviderLabelStatus::Generated,
            State::Posted => ProviderLabelStatus::Posted,
            State::Undelivered => ProviderLabelStatus::Undelivered,
            State::Delivered => ProviderLabelStatus::Delivered,
            State::Cancelled => ProviderLabelStatus::Cancelled,
        };
        Self {
            reference: Some(label.reference),
            service_name: service.map(|service| service.1.to_owned()),
            tracking_code: code,
            posted_at: label.posted_at,
            delivered_at: label.delivered_at,
            delivery_days: service.map(|service| service.2),
            ..Self::new(format!("sandbox-{}", label.id), status, label.price)
        }
    }
}
