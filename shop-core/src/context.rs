//! What every part of the shop works with: the data, the clock, ids and settings.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Notify, watch};
use uuid::{ContextV7, Uuid};

use crate::clock::{Clock, Timestamp};
use crate::config::{Config, Secret};
use crate::error::Result;
use crate::storage::{Db, Generations, Lane, Tx};

/// The shop's data, clock, ids and settings, which every handle holds. Cheap to clone; all clones
/// are the same shop's.
#[derive(Clone)]
pub(crate) struct Context(Arc<Inner>);

struct Inner {
    config: Config,
    db: Db,
    clock: Arc<dyn Clock>,
    ids: IdSource,
    mail_link_secret: Secret,
    #[cfg(feature = "nfe")]
    danfe_logo: Option<Vec<u8>>,
    mails: Notify,
    events: watch::Sender<()>,
}

opaque! { Context; }

impl Context {
    pub(crate) fn new(
        config: Config,
        db: Db,
        clock: Arc<dyn Clock>,
        mail_link_secret: Secret,
        #[cfg(feature = "nfe")] danfe_logo: Option<Vec<u8>>,
    ) -> Self {
        let (ids, mails, events) = (IdSource::default(), Notify::new(), watch::Sender::new(()));
        Self(Arc::new(Inner {
            config,
            db,
            clock,
            ids,
            mail_link_secret,
            #[cfg(feature = "nfe")]
            danfe_logo,
            mails,
            events,
        }))
    }

    pub(crate) fn config(&self) -> &Config {
        &self.0.config
    }

    pub(crate) fn db(&self) -> &Db {
        &self.0.db
    }

    /// The counters by which caches notice that what they hold has changed.
    pub(crate) fn generations(&self) -> &Generations {
        self.0.db.generations()
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.0.clock
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// The instant and the ids of one transaction.
    pub(crate) fn work(&self) -> Work {
        Work {
            now: self.now(),
            ids: self.0.ids.clone(),
            low_stock: self.0.config.stock.low_threshold,
        }
    }

    /// What the links in the shop's mails are signed with.
    pub(crate) fn mail_link_secret(&self) -> &str {
        self.0.mail_link_secret.reveal()
    }

    /// The picture for printed invoices (`nfe.logo`), read when the shop was opened.
    #[cfg(feature = "nfe")]
    pub(crate) fn danfe_logo(&self) -> Option<Vec<u8>> {
        self.0.danfe_logo.clone()
    }

    /// To be called after a commit that may have written a mail: the mail leaves at once instead of
    /// at the next look. What is told by mail is told by events too.
    pub(crate) fn mail_written(&self) {
        self.0.mails.notify_one();
        self.event_written();
    }

    /// To be called after a commit that may have written an event: its readers look at once
    /// instead of at their next look.
    pub(crate) fn event_written(&self) {
        self.0.events.send_replace(());
    }

    /// As [`Db::write`], for what writes events: their readers look at once.
    pub(crate) async fn write_events<T: Send + 'static>(
        &self,
        lane: Lane,
        name: &'static str,
        job: impl FnMut(&mut dyn Tx) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.db().write(lane, name, job).await.inspect(|_| self.event_written())
    }

    /// Ready when a mail may have been written.
    pub(crate) async fn until_mail_written(&self) {
        self.0.mails.notified().await;
    }

    /// Changes whenever an event may have been written from now on.
    pub(crate) fn events_written(&self) -> watch::Receiver<()> {
        self.0.events.subscribe()
    }
}

/// Makes ids that sort by the time they were made (UUID version 7), which keeps the pages that an
/// insert touches few.
#[derive(Debug, Clone, Default)]
pub(crate) struct IdSource(Arc<Mutex<ContextV7>>);

impl IdSource {
    fn next(&self, at: Timestamp) -> String {
        let context = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let millis = u64::try_from(at.millis()).unwrap_or_default();
        let nanos = u32::try_from(millis % 1000).unwrap_or_default() * 1_000_000;
        let at = uuid::Timestamp::from_unix(&*context, millis / 1000, nanos);
        Uuid::new_v7(at).hyphenated().to_string()
    }
}

/// One unit of work: its instant, the ids that it hands out, and the rules of the shop that reach
/// through all of it. Made once at its start, so that everything it writes bears the same time.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    now: Timestamp,
    ids: IdSource,
    low_stock: i64,
}

impl Work {
    /// The unit of work of another instant, e.g. one long ago. Its source must not be the shop's
    /// own, whose ids never go back in time.
    #[cfg(any(feature = "demo", feature = "test-util"))]
    pub(crate) fn at(now: Timestamp, ids: &IdSource, low_stock: i64) -> Self {
        Self { now, ids: ids.clone(), low_stock }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    /// The next id, of the type that the caller wants.
    pub(crate) fn id<T: From<String>>(&self) -> T {
        self.ids.next(self.now).into()
    }

    /// At how many units, or fewer, the stock of an item counts as low.
    pub(crate) fn low_stock(&self) -> i64 {
        self.low_stock
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::OrderId;

    #[test]
    fn ids_of_any_instant_are_distinct() {
        let source = IdSource::default();
        let instants = [-1, i64::MIN, 0, -62_135_596_800_000, 1_795_266_068_123, i64::MAX];
        let ids: std::collections::HashSet<String> =
            instants.iter().map(|at| source.next(Timestamp::from_millis(*at))).collect();
        assert_eq!(ids.len(), instants.len());
    }

    #[test]
    fn ids_of_one_instant_are_distinct_and_ascend() {
        let instant = Timestamp::from_millis(1_795_266_068_123);
        let work = Work::at(instant, &IdSource::default(), 0);
        let ids: Vec<OrderId> = (0..1000).map(|_| work.id()).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
