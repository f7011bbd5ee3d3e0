//! Work that one alone of several servers on one database does.
//!
//! What can be divided is claimed piece by piece by whoever does it: a mail, an endpoint's events, a
//! question to a payment provider or to the tax office. What is one piece, such as the sweeper, is
//! done by whoever holds its lease. He renews it as long as he lives and gives it back when he
//! stops; when he died, it runs out and another one takes it over.
//!
//! A lease saves work, it does not make it right: whoever was held up for longer than it lasts may
//! still believe that he has it. So each transaction under a lease checks by itself that what it
//! does is still to be done (an order is `PENDING`, a day is not summed up, a cursor stands where it
//! stood), and whoever finds that another one has the lease drops what he was at.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};

use crate::clock::Timestamp;
use crate::error::Result;
use crate::shop::Shop;
use crate::storage::Tx;

/// How long a lease lasts after its holder was last heard of. Longer than the clocks of servers
/// may differ by, and than what lies between two rounds.
const TERM: Duration = Duration::from_secs(90);
/// How often it is renewed while its work goes on.
const RENEWAL: Duration = Duration::from_secs(30);
/// All that changes leases goes by one name, so that an engine with several writers keeps its order:
/// what is given back must not be renewed afterwards.
const JOB: &str = "lease";

/// One who works beside others. Nobody else has the same name.
#[derive(Debug, Clone)]
pub(crate) struct Holder(String);

impl Holder {
    pub(crate) fn new(shop: &Shop) -> Self {
        Self(shop.moment().id())
    }
}

impl Shop {
    /// Does some work unless another holder has its lease; `None` then. The lease is kept
    /// afterwards, until it is given back or runs out.
    pub(crate) async fn alone<T>(
        &self,
        holder: &Holder,
        name: &'static str,
        work: impl Future<Output = Result<T>> + Send,
    ) -> Result<Option<T>> {
        if !self.take_lease(holder, name).await? {
            return Ok(None);
        }
        match select(pin!(self.lose_lease(holder, name)), pin!(work)).await {
            Either::Right((done, _)) => done.map(Some),
            Either::Left(((), _)) => {
                tracing::warn!(name, "was held up for so long that another server took it over");
                Ok(None)
            }
        }
    }

    /// Whether the database takes a write, and keeps it: a row of its own is written anew and
    /// committed. Costs what any small commit costs; a caller that strangers can trigger asks
    /// seldom.
    ///
    /// # Errors
    /// Whatever keeps the database from taking it, such as a full disk.
    pub async fn check_writable(&self) -> Result<()> {
        let now = self.now();
        self.db().write("shop.writable", move |tx| touch(tx, now)).await
    }

    /// Lets others have all that a holder has.
    pub(crate) async fn give_leases_back(&self, holder: &Holder) -> Result<()> {
        let holder = holder.clone();
        self.db().write(JOB, move |tx| give_back(tx, &holder)).await
    }

    async fn take_lease(&self, holder: &Holder, name: &'static str) -> Result<bool> {
        let (holder, now) = (holder.clone(), self.now());
        let taken = {
            let holder = holder.clone();
            let job = move |tx: &mut dyn Tx| is_taken(tx, name, &holder, now);
            self.db().lookup("lease.is_taken", job).await?
        };
        if taken {
            return Ok(false);
        }
        self.db().write(JOB, move |tx| take(tx, name, &holder, now)).await
    }

    /// Renews a lease; ready once another holder has it.
    async fn lose_lease(&self, holder: &Holder, name: &'static str) {
        loop {
            tokio::time::sleep(RENEWAL).await;
            match self.take_lease(holder, name).await {
                Ok(true) => {}
                Ok(false) => return,
                // The work itself will meet the same trouble.
                Err(error) => tracing::warn!(name, %error, "cannot renew a lease"),
            }
        }
    }
}

fn is_taken(tx: &mut dyn Tx, name: &str, holder: &Holder, now: Timestamp) -> Result<bool> {
    tx.value(
        "SELECT EXISTS (SELECT 1 FROM lease WHERE name = $1 AND holder <> $2 AND until > $3)",
        &[name.into(), (&holder.0).into(), now.into()],
    )
}

/// The guard is in the statement: of several who come at once, one gets it.
fn take(tx: &mut dyn Tx, name: &str, holder: &Holder, now: Timestamp) -> Result<bool> {
    let taken = tx.execute(
        "INSERT INTO lease (name, holder, until) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
         WHERE lease.holder = excluded.holder OR lease.until <= $4",
        &[name.into(), (&holder.0).into(), now.plus(TERM).into(), now.into()],
    )?;
    Ok(taken == 1)
}

/// A lease that no work asks for.
fn touch(tx: &mut dyn Tx, now: Timestamp) -> Result<()> {
    tx.execute(
        "INSERT INTO lease (name, holder, until) VALUES ('readiness', 'readiness', $1)
         ON CONFLICT (name) DO UPDATE SET until = excluded.until",
        &[now.into()],
    )
    .map(drop)
}

fn give_back(tx: &mut dyn Tx, holder: &Holder) -> Result<()> {
    tx.execute("DELETE FROM lease WHERE holder = $1", &[(&holder.0).into()]).map(drop)
}
