//! The log as a stream: one event after the other, as it is written.

use std::pin::Pin;
use std::task::{Context as Waker, Poll};
use std::time::Duration;
use std::vec::IntoIter;

use futures_util::stream::{self, BoxStream, Stream, StreamExt};
use tokio::sync::watch;

use super::log::{Event, EventId, EventPage, Events};
use super::store;
use crate::context::Context;
use crate::error::{Entity, Error, Result};

/// How often to look for events that another process wrote, and how long to rest after a failure.
const INTERVAL: Duration = Duration::from_secs(1);
/// How many events are read, and held in memory, at once.
const PAGE: u32 = 100;

/// Where a stream of events begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventStart {
    /// With what happens from now on.
    Now,
    /// With the oldest event that is kept.
    Oldest,
    /// With the event after this one, which the program has dealt with.
    After(EventId),
}

/// What happens in the shop, in its order, without an end ([`Events::subscribe`]).
///
/// It is read from the log a page at a time, so a slow reader costs no memory and loses nothing,
/// and a program that keeps the id of the last event that it has dealt with goes on from there
/// after a restart. Events of this process come at once, those of others within a second.
///
/// Besides [`EventStream::next`] it is a `futures` stream.
pub struct EventStream {
    events: BoxStream<'static, Result<Event>>,
}

opaque! { EventStream; }

impl Events<'_> {
    /// Follows the log. An event that is committed after this has returned is never left out.
    ///
    /// ```
    /// # shop_core::testing::run(async |shop| {
    /// use shop_core::event::EventStart;
    /// use shop_core::views::EventPayload;
    ///
    /// let mut events = shop.events().subscribe(EventStart::Now).await?;
    /// let placed = shop.order().await?;
    /// loop {
    ///     let event = events.next().await?;
    ///     if let EventPayload::OrderCreated(order) = event.payload()? {
    ///         assert_eq!(order.id, placed.id);
    ///         break;
    ///     }
    ///     // Keep `event.id` once it is dealt with: `EventStart::After` goes on behind it.
    /// }
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`Error::Internal`] when the log cannot be read.
    ///
    /// Cancel safe: reads only.
    pub async fn subscribe(&self, from: EventStart) -> Result<EventStream> {
        let cx = self.cx.clone();
        let written = cx.events_written();
        let after = match from {
            EventStart::Now => {
                let last = cx.db().lookup("event.last", store::last).await?;
                (last > 0).then(|| EventId::new(last))
            }
            EventStart::Oldest => None,
            EventStart::After(id) => Some(id),
        };
        let reader = Reader { cx, after, written, page: Vec::new().into_iter(), failed: false };
        let events = stream::unfold(reader, async |reader| Some(reader.next().await));
        Ok(EventStream { events: events.boxed() })
    }
}

impl EventStream {
    /// The next event, as soon as there is one.
    ///
    /// # Errors
    /// [`Error::NotFound`] with [`Entity::Event`] when events right behind the last one are not
    /// kept any more: the program has to look at the things themselves. The stream then goes on
    /// with the oldest event that is kept. Any other error when the log cannot be read; the stream
    /// goes on where it was.
    ///
    /// Cancel safe: an event that was not returned comes with the next call.
    pub async fn next(&mut self) -> Result<Event> {
        let next = self.events.next().await;
        next.unwrap_or_else(|| Err(Error::internal("the stream of events has ended")))
    }
}

impl Stream for EventStream {
    type Item = Result<Event>;

    fn poll_next(mut self: Pin<&mut Self>, waker: &mut Waker<'_>) -> Poll<Option<Self::Item>> {
        self.events.as_mut().poll_next(waker)
    }
}

/// A place in the log, and what was read behind it.
struct Reader {
    cx: Context,
    after: Option<EventId>,
    page: IntoIter<Event>,
    written: watch::Receiver<()>,
    failed: bool,
}

impl Reader {
    async fn next(mut self) -> (Result<Event>, Self) {
        let next = loop {
            if let Some(event) = self.page.next() {
                break Ok(event);
            }
            if self.failed {
                tokio::time::sleep(INTERVAL).await;
            }
            let read = Events::new(&self.cx).list(self.after, PAGE).await;
            self.failed = read.is_err();
            match read {
                Ok(EventPage { data, next, gap, .. }) => {
                    (self.after, self.page) = (next, data.into_iter());
                    if gap {
                        break Err(Error::NotFound(Entity::Event));
                    }
                }
                Err(error) => break Err(error),
            }
            if self.page.len() == 0 {
                // Other processes write events too.
                drop(tokio::time::timeout(INTERVAL, self.written.changed()).await);
            }
        };
        (next, self)
    }
}
