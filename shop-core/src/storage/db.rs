//! The typed face of a [`Storage`].

use std::any::Any;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tracing::Instrument;

use super::{
    Area, ConcurrentJob, Generations, Job, Lane, LockKey, Prefetch, ReadCost, Storage,
    StorageFigures, Tx, announced,
};
use crate::error::{Error, Result};

/// How long [`Db::write_patiently`] tries.
const PATIENCE: Duration = Duration::from_secs(60);

/// The typed face of a [`Storage`]: jobs return values.
#[derive(Clone)]
pub(crate) struct Db {
    storage: Arc<dyn Storage>,
    areas: &'static [Area],
}

impl Db {
    /// Announcements of writes are checked against these areas, in debug builds.
    pub(crate) fn new(storage: Arc<dyn Storage>, areas: &'static [Area]) -> Self {
        Self { storage, areas }
    }

    /// Changes something, durably.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        lane: Lane,
        name: &'static str,
        job: impl FnMut(&mut dyn Tx) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (job, slot) = capture(job);
        let job = announced::checked(self.areas, name, job);
        let span = tracing::debug_span!("db.write", job = name);
        self.storage.write(lane, name, job).instrument(span).await?;
        slot.take()
    }

    /// As [`Db::write`], for what another party has done already: where the database only has to be
    /// waited for, the job is tried again, for about a minute.
    pub(crate) async fn write_patiently<T: Send + 'static>(
        &self,
        lane: Lane,
        name: &'static str,
        job: impl FnMut(&mut dyn Tx) -> Result<T> + Clone + Send + 'static,
    ) -> Result<T> {
        let start = Instant::now();
        loop {
            match self.write(lane, name, job.clone()).await {
                Err(
                    Error::Busy { retry_after } | Error::StorageUnavailable { retry_after, .. },
                ) if start.elapsed() < PATIENCE => {
                    tokio::time::sleep(retry_after).await;
                }
                outcome => return outcome,
            }
        }
    }

    /// Changes something, durably, by a job that may run beside others of its lane: see
    /// [`ConcurrentJob`]. What a part returns is handed to the next.
    pub(crate) async fn write_concurrent<F, M, T>(
        &self,
        lane: Lane,
        name: &'static str,
        (locks, prefetch): (Vec<LockKey>, Vec<Prefetch>),
        first: impl FnMut(&mut dyn Tx) -> Result<F> + Send + 'static,
        mut middle: impl FnMut(&mut dyn Tx, F) -> Result<M> + Send + 'static,
        mut last: impl FnMut(&mut dyn Tx, M) -> Result<T> + Send + 'static,
    ) -> Result<T>
    where
        F: Send + 'static,
        M: Send + 'static,
        T: Send + 'static,
    {
        let (first, found) = capture(first);
        let (middle, changed) = capture(move |tx| middle(tx, found.take()?));
        let (last, slot) = capture(move |tx| last(tx, changed.take()?));
        let [first, middle, last] =
            [first, middle, last].map(|job| announced::checked(self.areas, name, job));
        let job = ConcurrentJob { first, middle, last, locks, prefetch };
        let span = tracing::debug_span!("db.write", job = name);
        self.storage.write_concurrent(lane, name, job).instrument(span).await?;
        slot.take()
    }

    pub(crate) fn generations(&self) -> &Generations {
        self.storage.generations()
    }

    pub(crate) fn figures(&self) -> StorageFigures {
        self.storage.figures()
    }
}

/// How a [`Db`] reads: by which method of its storage, and at which cost.
macro_rules! reads {
    ($($(#[$doc:meta])* $name:ident: $read:ident $cost:ident;)+) => {
        impl Db {$(
            $(#[$doc])*
            pub(crate) async fn $name<T: Send + 'static>(
                &self,
                name: &'static str,
                job: impl FnMut(&mut dyn Tx) -> Result<T> + Send + 'static,
            ) -> Result<T> {
                let (job, slot) = capture(job);
                let span = tracing::debug_span!("db.read", job = name);
                // A bounded read runs before its future is polled.
                let read = span.in_scope(|| self.storage.$read(name, ReadCost::$cost, job));
                read.instrument(span).await?;
                slot.take()
            }
        )+}
    };
}

reads! {
    /// Reads something that may take long; see [`ReadCost::Unbounded`].
    read: read Unbounded;
    /// Reads a handful of rows by an index, as a rule; see [`ReadCost::Bounded`].
    lookup: read Bounded;
    /// As [`Db::read`], for what anybody may read; see [`Storage::read_public`].
    read_public: read_public Unbounded;
    /// As [`Db::lookup`], for what anybody may read; see [`Storage::read_public`].
    lookup_public: read_public Bounded;
}

/// Where a job leaves its value, so that [`Storage`] can stay free of type parameters.
struct Slot<T>(Arc<Place>, PhantomData<fn() -> T>);

/// A value of any type: code that is generic over the value is compiled again for each job.
#[derive(Default)]
struct Place(Mutex<Option<Box<dyn Any + Send>>>);

impl Place {
    fn put(&self, value: Box<dyn Any + Send>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
    }

    fn take(&self) -> Result<Box<dyn Any + Send>> {
        let value = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        value.ok_or_else(|| Error::internal("the storage engine did not run the job"))
    }
}

impl<T: 'static> Slot<T> {
    fn take(&self) -> Result<T> {
        let value = self.0.take()?.downcast();
        value.map(|value| *value).map_err(|_| Error::internal("a value of another job"))
    }
}

fn capture<T: Send + 'static>(
    mut job: impl FnMut(&mut dyn Tx) -> Result<T> + Send + 'static,
) -> (Job, Slot<T>) {
    let place = Arc::<Place>::default();
    let out = Arc::clone(&place);
    let job = move |tx: &mut dyn Tx| {
        out.put(Box::new(job(tx)?));
        Ok(())
    };
    (Box::new(job), Slot(place, PhantomData))
}
