//! The typed face of a [`Storage`].

use std::sync::{Arc, Mutex, PoisonError};

use tracing::Instrument;

use super::{
    Area, ConcurrentJob, Generations, Job, Lane, LockKey, Prefetch, ReadCost, Storage,
    StorageFigures, Tx, announced,
};
use crate::error::{Error, Result};

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
        mut job: impl FnMut(&mut dyn Tx) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let areas = self.areas;
        let (job, slot) = capture(move |tx| announced::run(areas, name, tx, &mut job));
        let span = tracing::debug_span!("db.write", job = name);
        self.storage.write(lane, name, job).instrument(span).await?;
        slot.take()
    }

    /// Changes something, durably, by a job that may run beside others of its lane: see
    /// [`ConcurrentJob`]. What the first part returns is handed to the last.
    pub(crate) async fn write_concurrent<D: Send + 'static, T: Send + 'static>(
        &self,
        lane: Lane,
        name: &'static str,
        (locks, prefetch): (Vec<LockKey>, Vec<Prefetch>),
        mut first: impl FnMut(&mut dyn Tx) -> Result<D> + Send + 'static,
        mut last: impl FnMut(&mut dyn Tx, D) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let areas = self.areas;
        let (first, draft) = capture(move |tx| announced::run(areas, name, tx, &mut first));
        let (last, slot) = capture(move |tx| {
            let mut draft = Some(draft.take()?);
            announced::run(areas, name, tx, &mut |tx| match draft.take() {
                Some(draft) => last(tx, draft),
                None => Err(Error::internal("the last part of a job ran twice")),
            })
        });
        let job = ConcurrentJob { first, last, locks, prefetch };
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
struct Slot<T>(Arc<Mutex<Option<T>>>);

impl<T> Slot<T> {
    fn take(&self) -> Result<T> {
        let value = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        value.ok_or_else(|| Error::internal("the storage engine did not run the job"))
    }
}

fn capture<T: Send + 'static>(
    mut job: impl FnMut(&mut dyn Tx) -> Result<T> + Send + 'static,
) -> (Job, Slot<T>) {
    let slot = Arc::new(Mutex::new(None));
    let out = Arc::clone(&slot);
    let job = move |tx: &mut dyn Tx| {
        let value = job(tx)?;
        *out.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        Ok(())
    };
    (Box::new(job), Slot(slot))
}
