//! A provider of labels with a balance that really loses money, and whose answers get lost.

use std::sync::{Arc, Mutex, MutexGuard};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, pending};
use shop_core::money::Money;
use shop_core::shipment::{
    LabelAnswer, LabelError, LabelProvider, LabelRequest, ProviderLabel, ProviderLabelStatus,
};

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is answered.
    Answered,
    /// It never arrives.
    LostBefore,
    /// It has its effect, and its answer never arrives.
    LostAfter,
    /// It never arrives, and its caller waits for ever.
    HangsBefore,
    /// It has its effect, and its caller waits for ever.
    HangsAfter,
    /// It is refused.
    Refused,
    /// The shop is not let in.
    NotConnected,
}

/// Says what becomes of the n-th call, by its name.
type Faults = Box<dyn FnMut(&'static str) -> Fate + Send>;

/// The provider: all clones are one.
#[derive(Clone)]
pub(super) struct Wallet(Arc<Mutex<Books>>);

pub(super) struct Books {
    /// What was paid into it, in cents.
    pub(super) credit: i64,
    /// In cents.
    pub(super) balance: i64,
    pub(super) price: i64,
    pub(super) labels: Vec<Kept>,
    pub(super) calls: Vec<&'static str>,
    pub(super) requests: Vec<LabelRequest>,
    /// The file of every label.
    pub(super) paper: Option<Vec<u8>>,
    faults: Faults,
}

/// A label, and what was paid for it.
pub(super) struct Kept {
    pub(super) label: ProviderLabel,
    pub(super) payments: usize,
}

impl Books {
    /// What is paid and was not given back, in cents.
    pub(super) fn spent(&self) -> i64 {
        self.paid().map(|kept| kept.label.price.cents()).sum()
    }

    /// Labels that are paid and were not given back.
    pub(super) fn paid(&self) -> impl Iterator<Item = &Kept> {
        use ProviderLabelStatus::{Cancelled, InCart};
        self.labels.iter().filter(|it| !matches!(it.label.status, InCart | Cancelled))
    }

    fn find(&mut self, id: &str) -> Option<&mut Kept> {
        self.labels.iter_mut().find(|it| it.label.id == id)
    }

    fn add(&mut self, request: &LabelRequest) -> ProviderLabel {
        let id = format!("label-{}", self.labels.len() + 1);
        let price = Money::from_cents(self.price);
        let mut label = ProviderLabel::new(id, ProviderLabelStatus::InCart, price);
        label.reference = Some(request.reference.clone());
        label.service_name = Some("Correios PAC".to_owned());
        label.delivery_days = Some(5);
        self.labels.push(Kept { label: label.clone(), payments: 0 });
        self.requests.push(request.clone());
        label
    }

    fn pay(&mut self, id: &str) -> LabelAnswer<()> {
        let balance = self.balance;
        let Some(kept) = self.find(id) else { return refused("unknown") };
        if kept.label.status != ProviderLabelStatus::InCart {
            return refused("not in the cart");
        }
        let price = kept.label.price.cents();
        if price > balance {
            return Err(LabelError::InsufficientBalance);
        }
        kept.label.status = ProviderLabelStatus::Paid;
        kept.payments += 1;
        self.balance -= price;
        Ok(())
    }

    fn generate(&mut self, id: &str) -> LabelAnswer<()> {
        let Some(kept) = self.find(id) else { return refused("unknown") };
        if kept.label.status == ProviderLabelStatus::Paid {
            kept.label.status = ProviderLabelStatus::Generated;
            kept.label.tracking_code = Some(format!("AA{id}BR"));
        }
        Ok(())
    }

    fn cancel(&mut self, id: &str) -> LabelAnswer<ProviderLabel> {
        use ProviderLabelStatus::{Cancelled, Generated, Paid};
        let Some(kept) = self.find(id) else { return refused("unknown") };
        if !matches!(kept.label.status, Paid | Generated) {
            return refused("too late");
        }
        kept.label.status = Cancelled;
        let (label, price) = (kept.label.clone(), kept.label.price.cents());
        self.balance += price;
        Ok(label)
    }

    fn remove(&mut self, id: &str) -> LabelAnswer<()> {
        match self.find(id) {
            Some(kept) if kept.label.status == ProviderLabelStatus::InCart => {
                kept.label.status = ProviderLabelStatus::Cancelled;
                Ok(())
            }
            Some(_) => refused("paid"),
            None => Ok(()),
        }
    }
}

fn refused<T>(text: &str) -> LabelAnswer<T> {
    Err(LabelError::Refused(text.to_owned()))
}

impl Wallet {
    /// With R$ 1.000,00, where a label costs R$ 20,00.
    pub(super) fn open() -> Self {
        Self(Arc::new(Mutex::new(Books {
            credit: 100_000,
            balance: 100_000,
            price: 2_000,
            labels: Vec::new(),
            calls: Vec::new(),
            requests: Vec::new(),
            paper: None,
            faults: Box::new(|_| Fate::Answered),
        })))
    }

    pub(super) fn books(&self) -> MutexGuard<'_, Books> {
        self.0.lock().expect("whole")
    }

    pub(super) fn fail(&self, faults: impl FnMut(&'static str) -> Fate + Send + 'static) {
        self.books().faults = Box::new(faults);
    }

    /// Lets the first call of this name have this fate, and answers all others.
    pub(super) fn fail_once(&self, name: &'static str, fate: Fate) {
        let mut left = true;
        self.fail(
            move |call| {
                if call == name && std::mem::take(&mut left) { fate } else { Fate::Answered }
            },
        );
    }

    pub(super) fn answer_all(&self) {
        self.fail(|_| Fate::Answered);
    }

    pub(super) fn count(&self, name: &str) -> usize {
        self.books().calls.iter().filter(|call| **call == name).count()
    }

    fn call<'a, T: Send + 'a>(
        &'a self,
        name: &'static str,
        effect: impl FnOnce(&mut Books) -> LabelAnswer<T> + Send + 'a,
    ) -> BoxFuture<'a, LabelAnswer<T>> {
        async move {
            let lost = || Err(LabelError::Unclear("the answer got lost".to_owned()));
            let (fate, done) = {
                let mut books = self.books();
                books.calls.push(name);
                let fate = (books.faults)(name);
                let arrives = matches!(fate, Fate::Answered | Fate::LostAfter | Fate::HangsAfter);
                (fate, arrives.then(|| effect(&mut books)))
            };
            match (fate, done) {
                (Fate::Answered, Some(answer)) => answer,
                (Fate::Refused, _) => refused("not today"),
                (Fate::NotConnected, _) => Err(LabelError::NotConnected),
                (Fate::HangsBefore | Fate::HangsAfter, _) => pending().await,
                _ => lost(),
            }
        }
        .boxed()
    }
}

impl LabelProvider for Wallet {
    fn name(&self) -> &'static str {
        "wallet"
    }

    fn service_of(&self, option: &str) -> Option<String> {
        option.strip_prefix("wallet-").map(str::to_owned)
    }

    fn add_to_cart<'a>(
        &'a self,
        request: &'a LabelRequest,
    ) -> BoxFuture<'a, LabelAnswer<ProviderLabel>> {
        self.call("add", |books| Ok(books.add(request)))
    }

    fn find<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, LabelAnswer<Vec<ProviderLabel>>> {
        self.call("find", move |books| {
            let labels = books.labels.iter().map(|it| &it.label);
            let of = labels.filter(|it| it.reference.as_deref() == Some(reference));
            Ok(of.cloned().collect())
        })
    }

    fn fetch<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<Option<ProviderLabel>>> {
        self.call("fetch", move |books| Ok(books.find(id).map(|it| it.label.clone())))
    }

    fn remove_from_cart<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<()>> {
        self.call("remove", move |books| books.remove(id))
    }

    fn pay<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<()>> {
        self.call("pay", move |books| books.pay(id))
    }

    fn generate<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<()>> {
        self.call("generate", move |books| books.generate(id))
    }

    fn document<'a>(&'a self, _: &'a str) -> BoxFuture<'a, LabelAnswer<Option<Vec<u8>>>> {
        self.call("document", |books| Ok(books.paper.clone()))
    }

    fn cancel<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<ProviderLabel>> {
        self.call("cancel", move |books| books.cancel(id))
    }

    fn balance(&self) -> BoxFuture<'_, LabelAnswer<Money>> {
        self.call("balance", |books| Ok(Money::from_cents(books.balance)))
    }
}
