//! How servers beside each other learn what the others changed: a notification that PostgreSQL
//! delivers with the commit.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use postgres::fallible_iterator::FallibleIterator;

use super::session::{Manager, Session};
use crate::error::Result;
use crate::storage::generation::Touched;
use crate::storage::{Area, Generations};

const CHANNEL: &str = "shop_generation";
/// How often to look whether the engine was closed.
const INTERVAL: Duration = Duration::from_millis(250);

/// Listens for what other servers changed.
pub(super) struct Watcher {
    manager: Manager,
    generations: Arc<Generations>,
    stopped: Arc<AtomicBool>,
    instance: u64,
}

/// The statements that tell the other servers, with the commit that follows them.
pub(super) fn notification(instance: u64, touched: Touched) -> String {
    let areas: Vec<&str> = touched.areas().map(Area::name).collect();
    if areas.is_empty() {
        return String::new();
    }
    format!("NOTIFY {CHANNEL}, '{instance:x} {}'; ", areas.join(" "))
}

impl Watcher {
    pub(super) fn new(
        manager: &Manager,
        generations: &Arc<Generations>,
        stopped: &Arc<AtomicBool>,
    ) -> Self {
        Self {
            manager: manager.clone(),
            generations: Arc::clone(generations),
            stopped: Arc::clone(stopped),
            // A machine without chance cannot log anybody in either.
            instance: getrandom::u64().unwrap_or_default(),
        }
    }

    /// What tells this server's notifications from others'.
    pub(super) fn instance(&self) -> u64 {
        self.instance
    }

    /// A connection that hears of every change from now on.
    pub(super) fn listen(&self) -> Result<Session> {
        let mut session = self.manager.open()?;
        session.run(&format!("LISTEN {CHANNEL}"))?;
        Ok(session)
    }

    /// Listens until the engine is closed.
    pub(super) fn run(self, mut session: Session) {
        let goes_on = || !self.stopped.load(Ordering::Relaxed);
        while goes_on() {
            while goes_on() && self.take_news(&mut session) {}
            std::thread::sleep(INTERVAL);
            match self.listen() {
                Ok(listening) => session = listening,
                Err(error) => tracing::warn!(%error, "cannot hear what other servers change"),
            }
            // Nobody told of what changed meanwhile.
            self.generations.raise_all();
        }
    }

    /// Takes what comes within the interval; false when the connection is gone.
    fn take_news(&self, session: &mut Session) -> bool {
        let mut notifications = session.client.notifications();
        let mut news = notifications.timeout_iter(INTERVAL);
        loop {
            match news.next() {
                Ok(Some(notification)) => self.note(notification.payload()),
                Ok(None) => break,
                Err(_) => return false,
            }
        }
        drop(news);
        drop(notifications);
        !session.is_lost()
    }

    fn note(&self, payload: &str) {
        let mut words = payload.split(' ');
        if words.next() == Some(format!("{:x}", self.instance).as_str()) {
            return;
        }
        for name in words {
            match Area::ALL.into_iter().find(|area| area.name() == name) {
                Some(area) => self.generations.raise(area),
                None => self.generations.raise_all(),
            }
        }
    }
}
