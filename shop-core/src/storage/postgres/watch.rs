//! How servers beside each other learn what the others changed: a notification that PostgreSQL
//! delivers with the commit.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::manager::Manager;
use super::replica::Replica;
use super::session::Session;
use crate::error::{Result, with_causes};
use crate::storage::Generations;
use crate::storage::generation::Touched;

const CHANNEL: &str = "shop_generation";
/// The most that PostgreSQL takes, with some room.
const MAX_PAYLOAD: usize = 7900;
/// How long other servers count as writing after the last that was heard of them.
const RECENT: Duration = Duration::from_millis(500);
/// How often to look whether the engine was closed.
const INTERVAL: Duration = Duration::from_millis(250);

/// What a server knows of the others on its database.
#[derive(Debug, Default)]
pub(super) struct OtherServers {
    heard: Mutex<Option<Instant>>,
}

impl OtherServers {
    fn heard(&self) {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Whether one of them has changed something a moment ago.
    pub(super) fn are_writing(&self) -> bool {
        let heard = *self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.is_some_and(|heard| heard.elapsed() < RECENT)
    }
}

/// Listens for what other servers changed.
pub(super) struct Watcher {
    manager: Manager,
    generations: Arc<Generations>,
    stopped: Arc<AtomicBool>,
    instance: u64,
    replica: Option<Arc<Replica>>,
    others: Arc<OtherServers>,
}

/// The statements that tell the other servers, with the commit that follows them.
pub(super) fn notification(instance: u64, touched: &Touched) -> String {
    let mut payloads: Vec<String> = Vec::new();
    for name in touched.names() {
        match payloads.last_mut() {
            Some(payload) if payload.len() + name.len() < MAX_PAYLOAD => {
                *payload += " ";
                *payload += &name;
            }
            _ => payloads.push(format!("{instance:x} {name}")),
        }
    }
    let statements = payloads.iter().map(|payload| format!("NOTIFY {CHANNEL}, '{payload}'; "));
    statements.collect::<Vec<_>>().concat()
}

impl Watcher {
    pub(super) fn new(
        manager: &Manager,
        generations: &Arc<Generations>,
        stopped: &Arc<AtomicBool>,
        replica: Option<&Arc<Replica>>,
    ) -> Self {
        Self {
            manager: manager.clone(),
            generations: Arc::clone(generations),
            stopped: Arc::clone(stopped),
            // A machine without chance cannot log anybody in either.
            instance: getrandom::u64().unwrap_or_default(),
            replica: replica.map(Arc::clone),
            others: Arc::default(),
        }
    }

    /// What tells this server's notifications from others'.
    pub(super) fn instance(&self) -> u64 {
        self.instance
    }

    /// What it hears of the other servers.
    pub(super) fn others(&self) -> &Arc<OtherServers> {
        &self.others
    }

    /// A connection that hears of every change from now on.
    pub(super) fn listen(&self) -> Result<Session> {
        let mut session = self.manager.open()?;
        session.run(&format!("LISTEN {CHANNEL}"))?;
        // There is no notification of what was committed before.
        self.learn(&mut session)?;
        Ok(session)
    }

    /// Has the replica wait for what is committed; before the generations are raised.
    fn learn(&self, session: &mut Session) -> Result<()> {
        self.replica.as_ref().map_or(Ok(()), |replica| replica.learn(session))
    }

    /// Listens until the engine is closed.
    pub(super) fn run(self, mut session: Session) {
        let goes_on = || !self.stopped.load(Ordering::Relaxed);
        // Said once, however long the database is away.
        let mut is_away = false;
        while goes_on() {
            while goes_on() && self.take_news(&mut session) {}
            std::thread::sleep(INTERVAL);
            match self.listen() {
                Ok(listening) => {
                    session = listening;
                    if std::mem::take(&mut is_away) {
                        tracing::info!("hears again what other servers change");
                    }
                }
                Err(error) if !is_away => {
                    is_away = true;
                    let error = with_causes(&error);
                    tracing::warn!(%error, "cannot hear what other servers change");
                }
                Err(_) => {}
            }
            // There was no notification of what changed meanwhile.
            self.generations.raise_all();
        }
    }

    /// Takes what comes within the interval; false when the connection is gone.
    fn take_news(&self, session: &mut Session) -> bool {
        let Ok(mut news) = session.link.news(INTERVAL) else { return false };
        news.retain(|notification| !self.is_own(notification.payload()));
        let in_doubt = self.replica.as_ref().is_some_and(|replica| replica.is_in_doubt());
        // Where this fails, it is made up for with the next connection.
        if (in_doubt || !news.is_empty()) && self.learn(session).is_err() {
            return false;
        }
        if !news.is_empty() {
            self.others.heard();
        }
        for notification in news {
            self.note(notification.payload());
        }
        !session.is_lost()
    }

    fn is_own(&self, payload: &str) -> bool {
        payload.split(' ').next() == Some(format!("{:x}", self.instance).as_str())
    }

    fn note(&self, payload: &str) {
        payload.split(' ').skip(1).for_each(|name| self.generations.raise_named(name));
    }
}
