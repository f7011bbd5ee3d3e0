//! Leases: work that only one of several servers on one database does.
//!
//! Work that can be divided is claimed piece by piece: a mail, an endpoint's events, a question to
//! a payment provider or to the tax office. Work that is one piece, such as the sweeper, is done by
//! the server that holds its lease. The holder renews it while it runs and gives it back when it
//! stops; the lease of a server that died runs out, and another one takes it over.
//!
//! A lease saves work, it does not make it right: a server that was held up for longer than it
//! lasts may still take it for its own. So each transaction under a lease checks by itself that
//! what it does is still to be done (an order is `PENDING`, a day is not summed up, a cursor stands
//! where it stood), and a server that finds that another one has the lease drops the work.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};

use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::Result;
use crate::lane;
use crate::storage::{Lane, Tx, params};

/// How long a lease lasts after its holder was last heard of. Longer than the clocks of servers
/// may differ by, and than what lies between two rounds.
const TERM: Duration = Duration::from_secs(90);
/// How often it is renewed while its work goes on.
const RENEWAL: Duration = Duration::from_secs(30);
/// All that changes leases goes by one lane, so that an engine with several writers keeps its
/// order: what is given back must not be renewed afterwards.
const LANE: Lane = lane::INTEGRATIONS;

/// A server among others, with an id of its own.
#[derive(Debug, Clone)]
pub(crate) struct Holder {
    cx: Context,
    id: String,
}

impl Holder {
    pub(crate) fn new(cx: &Context) -> Self {
        Self { cx: cx.clone(), id: cx.work().id() }
    }

    /// Does some work unless another holder has its lease; `None` then. The lease is kept
    /// afterwards, until it is given back or runs out.
    pub(crate) async fn with_lease<T>(
        &self,
        name: &'static str,
        work: impl Future<Output = Result<T>> + Send,
    ) -> Result<Option<T>> {
        if !self.take(name).await? {
            return Ok(None);
        }
        match select(pin!(self.until_lost(name)), pin!(work)).await {
            Either::Right((done, _)) => done.map(Some),
            Either::Left(((), _)) => {
                tracing::warn!(name, "was held up for so long that another server took it over");
                Ok(None)
            }
        }
    }

    /// Gives all leases of this holder back.
    pub(crate) async fn give_back(&self) -> Result<()> {
        let holder = self.id.clone();
        self.cx.db().write(LANE, "lease.give_back", move |tx| give_back(tx, &holder)).await
    }

    async fn take(&self, name: &'static str) -> Result<bool> {
        let (holder, now) = (self.id.clone(), self.cx.now());
        let taken = {
            let holder = holder.clone();
            let job = move |tx: &mut dyn Tx| is_taken(tx, name, &holder, now);
            self.cx.db().lookup("lease.is_taken", job).await?
        };
        if taken {
            return Ok(false);
        }
        self.cx.db().write(LANE, "lease.take", move |tx| take(tx, name, &holder, now)).await
    }

    /// Renews a lease; ready once another holder has it.
    async fn until_lost(&self, name: &'static str) {
        loop {
            tokio::time::sleep(RENEWAL).await;
            match self.take(name).await {
                Ok(true) => {}
                Ok(false) => return,
                // The work itself will meet the same trouble.
                Err(error) => tracing::warn!(name, %error, "cannot renew a lease"),
            }
        }
    }
}

/// The latest end that a claim of a minute or two may have. One that ends later was made by a clock
/// that was ahead and was set back since, and counts as over.
pub(crate) fn latest_end(now: Timestamp) -> Timestamp {
    now.plus(TERM * 2)
}

/// Whether the database takes a write, and keeps it.
pub(crate) async fn check_writable(cx: &Context) -> Result<()> {
    let now = cx.now();
    cx.db().write(lane::INTEGRATIONS, "shop.writable", move |tx| touch(tx, now)).await
}

fn is_taken(tx: &mut dyn Tx, name: &str, holder: &str, now: Timestamp) -> Result<bool> {
    tx.value(
        "SELECT EXISTS (SELECT 1 FROM lease WHERE name = $1 AND holder <> $2
                        AND until > $3 AND until <= $4)",
        params![name, holder, now, latest_end(now)],
    )
}

/// The guard is in the statement: of several who come at once, one gets it.
fn take(tx: &mut dyn Tx, name: &str, holder: &str, now: Timestamp) -> Result<bool> {
    tx.changes(
        "INSERT INTO lease (name, holder, until) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
         WHERE lease.holder = excluded.holder OR lease.until <= $4 OR lease.until > $5",
        params![name, holder, now.plus(TERM), now, latest_end(now)],
    )
}

/// A lease that no work asks for.
fn touch(tx: &mut dyn Tx, now: Timestamp) -> Result<()> {
    tx.run(
        "INSERT INTO lease (name, holder, until) VALUES ('readiness', 'readiness', $1)
         ON CONFLICT (name) DO UPDATE SET until = excluded.until",
        params![now],
    )
}

fn give_back(tx: &mut dyn Tx, holder: &str) -> Result<()> {
    tx.run("DELETE FROM lease WHERE holder = $1", params![holder])
}
