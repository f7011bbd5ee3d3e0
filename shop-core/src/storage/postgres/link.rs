//! One connection, on which requests may be sent before those ahead of them are answered.
//!
//! The thread that asks also drives the connection, so no other one is woken for an answer.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures_util::Stream;
use futures_util::stream::poll_fn as poll_stream;
use futures_util::task::AtomicWaker;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::types::ToSql;
use tokio_postgres::{AsyncMessage, Client, Config, Error, Notification, Row, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::storage::Param;

/// A connection.
pub(super) struct Link {
    // Dropped first, which has the driver say goodbye.
    client: Client,
    driver: Driver,
}

/// What is asked of PostgreSQL.
pub(super) enum Request<'r> {
    /// Statements without parameters; what they answer is passed over.
    Run(&'r str),
    /// A statement that has been prepared.
    Query(&'r Statement, &'r [Param<'r>]),
    /// A statement that has been prepared and takes an array for each parameter.
    Lists(&'r Statement, &'r [Vec<Param<'r>>]),
}

/// The rows of a request's answer.
type Answer<'r> = Pin<Box<dyn Future<Output = Result<Vec<Row>, Error>> + 'r>>;

impl Link {
    pub(super) fn open(config: &Config, tls: MakeRustlsConnect) -> Result<Self, Error> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.unwrap_or_else(|error| panic!("no runtime: {error}"));
        let (client, mut connection) = runtime.block_on(config.connect(tls))?;
        let messages = poll_stream(move |cx| connection.poll_message(cx));
        Ok(Self { client, driver: Driver::new(runtime, Box::pin(messages)) })
    }

    /// Runs a request of the client to its end.
    pub(super) fn ask<'l, T, F>(
        &'l mut self,
        request: impl FnOnce(&'l Client) -> F,
    ) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let mut answer = pin!(request(&self.client));
        self.driver.drive(|cx, _| answer.as_mut().poll(cx))?
    }

    /// Sends all of these requests at once and waits for all answers; where some fail, with the
    /// first failure. In an open transaction PostgreSQL refuses what follows one, a commit too.
    pub(super) fn ask_all(&mut self, requests: &[Request<'_>]) -> Result<Vec<Vec<Row>>, Error> {
        let Self { client, driver } = self;
        let mut answers: Vec<Answer<'_>> = requests.iter().map(|it| answer(client, it)).collect();
        let mut outcomes: Vec<Option<Result<Vec<Row>, Error>>> = Vec::new();
        outcomes.resize_with(requests.len(), || None);
        let (mut sent, mut count) = (false, requests.len());
        driver.drive(|cx, _| {
            let pairs = answers.iter_mut().zip(&mut outcomes).take(count).enumerate();
            for (place, (answer, outcome)) in pairs.filter(|(_, (_, outcome))| outcome.is_none()) {
                if let Poll::Ready(done) = answer.as_mut().poll(cx) {
                    // Nothing is sent behind what could not be sent.
                    let is_last = !sent && done.is_err();
                    *outcome = Some(done);
                    if is_last {
                        count = place + 1;
                        break;
                    }
                }
            }
            sent = true;
            let all = outcomes.iter().take(count).all(Option::is_some);
            if all { Poll::Ready(()) } else { Poll::Pending }
        })?;
        outcomes.into_iter().flatten().collect()
    }

    /// Sends statements without waiting for what becomes of them.
    pub(super) fn post(&mut self, sql: &str) {
        let mut answer = pin!(self.client.batch_execute(sql));
        let mut sent = false;
        // Where the connection is gone, the next request says so.
        drop(self.driver.drive(|cx, _| {
            if std::mem::replace(&mut sent, true) {
                return Poll::Ready(());
            }
            cx.waker().wake_by_ref();
            answer.as_mut().poll(cx).map(drop)
        }));
    }

    /// What was notified of, once there is something; nothing where nothing comes in this time.
    pub(super) fn news(&mut self, patience: Duration) -> Result<Vec<Notification>, Error> {
        let timer = {
            let _runtime = self.driver.runtime.enter();
            tokio::time::sleep(patience)
        };
        let mut timer = pin!(timer);
        self.driver.drive(|cx, incoming| {
            let is_over = timer.as_mut().poll(cx).is_ready() || incoming.messages.is_none();
            if is_over || !incoming.news.is_empty() {
                return Poll::Ready(std::mem::take(&mut incoming.news));
            }
            Poll::Pending
        })
    }

    pub(super) fn is_closed(&self) -> bool {
        self.driver.incoming.messages.is_none() || self.client.is_closed()
    }
}

fn answer<'r>(client: &'r Client, request: &'r Request<'r>) -> Answer<'r> {
    match *request {
        Request::Run(sql) => Box::pin(async move {
            client.batch_execute(sql).await?;
            Ok(Vec::new())
        }),
        Request::Query(statement, params) => {
            Box::pin(async move { client.query(statement, &bound(params)).await })
        }
        Request::Lists(statement, columns) => {
            Box::pin(async move { client.query(statement, &bound(columns)).await })
        }
    }
}

pub(super) fn bound<T: ToSql + Sync>(params: &[T]) -> Vec<&(dyn ToSql + Sync)> {
    params.iter().map(|param| param as &(dyn ToSql + Sync)).collect()
}

type Messages = Pin<Box<dyn Stream<Item = Result<AsyncMessage, Error>> + Send>>;

/// Writes what is asked and reads what comes, while somebody waits for it.
struct Driver {
    runtime: Runtime,
    incoming: Incoming,
    alarm: Arc<Alarm>,
    waker: Waker,
}

/// What comes from PostgreSQL but for answers.
struct Incoming {
    /// `None` once the connection is gone.
    messages: Option<Messages>,
    news: Vec<Notification>,
}

/// Wakes the thread where it sleeps. Most alarms go off while it works on the connection, and need
/// no call of the system.
#[derive(Default)]
struct Alarm {
    is_awake: AtomicBool,
    went_off: AtomicBool,
    sleeper: AtomicWaker,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.went_off.store(true, Ordering::SeqCst);
        if !self.is_awake.load(Ordering::SeqCst) {
            self.sleeper.wake();
        }
    }
}

impl Driver {
    fn new(runtime: Runtime, messages: Messages) -> Self {
        let alarm = Arc::new(Alarm::default());
        let waker = Waker::from(Arc::clone(&alarm));
        let incoming = Incoming { messages: Some(messages), news: Vec::new() };
        Self { runtime, incoming, alarm, waker }
    }

    /// Drives the connection until something is ready. Fails when the connection does.
    fn drive<T>(
        &mut self,
        mut ready: impl FnMut(&mut Context<'_>, &mut Incoming) -> Poll<T>,
    ) -> Result<T, Error> {
        let Self { runtime, incoming, alarm, waker } = self;
        let mut own = Context::from_waker(waker);
        runtime.block_on(poll_fn(|cx| {
            alarm.sleeper.register(cx.waker());
            alarm.is_awake.store(true, Ordering::SeqCst);
            let polled = loop {
                alarm.went_off.store(false, Ordering::SeqCst);
                if let Poll::Ready(value) = ready(&mut own, incoming) {
                    break Poll::Ready(Ok(value));
                }
                if let Err(error) = incoming.go_on(&mut own) {
                    break Poll::Ready(Err(error));
                }
                if !alarm.went_off.load(Ordering::SeqCst) {
                    break Poll::Pending;
                }
            };
            alarm.is_awake.store(false, Ordering::SeqCst);
            if polled.is_pending() && alarm.went_off.load(Ordering::SeqCst) {
                // It went off in between.
                cx.waker().wake_by_ref();
            }
            polled
        }))
    }
}

impl Incoming {
    /// Writes and reads what can be. Fails when the connection does.
    fn go_on(&mut self, cx: &mut Context<'_>) -> Result<(), Error> {
        while let Some(messages) = &mut self.messages {
            match messages.as_mut().poll_next(cx) {
                Poll::Pending => break,
                Poll::Ready(Some(Ok(AsyncMessage::Notification(notification)))) => {
                    self.news.push(notification);
                    cx.waker().wake_by_ref();
                }
                Poll::Ready(Some(Ok(notice))) => tracing::debug!(?notice, "PostgreSQL notes"),
                Poll::Ready(ended) => {
                    self.messages = None;
                    cx.waker().wake_by_ref();
                    ended.transpose()?;
                }
            }
        }
        Ok(())
    }
}

impl Drop for Driver {
    /// The client is gone, so the connection ends once all is answered and PostgreSQL is told.
    fn drop(&mut self) {
        drop(self.drive(|_, incoming| match incoming.messages {
            Some(_) => Poll::Pending,
            None => Poll::Ready(()),
        }));
    }
}
