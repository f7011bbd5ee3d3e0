//! What reads show.

use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;

use super::{LANE, Outcome, get, ok, same, set};
use crate::error::Error;
use crate::storage::{Db, Tx};

pub(super) async fn a_read_job_sees_one_snapshot(db: Db) -> Outcome {
    ok(db.write(LANE, "set", |tx| set(tx, "key", "before")).await)?;
    let (looked, mut wait_for_look) = tokio::sync::mpsc::unbounded_channel();
    let (changed, wait_for_change) = mpsc::channel();
    let read = db.read("twice", move |tx| {
        let first = get(tx, "key")?;
        looked.send(()).map_err(Error::from_source)?;
        wait_for_change.recv().map_err(Error::from_source)?;
        Ok((first, get(tx, "key")?))
    });
    let write = async {
        wait_for_look.recv().await;
        ok(db.write(LANE, "set", |tx| set(tx, "key", "after")).await)?;
        ok(changed.send(()))
    };
    let (seen, written) = futures_util::future::join(read, write).await;
    written?;
    let before = Some("before".to_owned());
    same(&ok(seen)?, &(before.clone(), before))
}

pub(super) async fn a_lookup_of_several_queries_sees_one_snapshot(db: Db) -> Outcome {
    ok(db.write(LANE, "set", |tx| set(tx, "key", "0")).await)?;
    let (looked, looks) = mpsc::channel();
    let (changed, wait_for_change) = mpsc::channel();
    // On a thread of its own, for an engine may run a lookup on this one, and run it again.
    let changing = db.clone();
    let writer = thread::spawn(move || -> Outcome {
        let runtime = ok(tokio::runtime::Builder::new_current_thread().enable_all().build())?;
        for (n, ()) in (1..).zip(looks) {
            let set = move |tx: &mut dyn Tx| set(tx, "key", &n.to_string());
            ok(runtime.block_on(changing.write(LANE, "set", set)))?;
            ok(changed.send(()))?;
        }
        Ok(())
    });
    let wait_for_change = Arc::new(Mutex::new(wait_for_change));
    for _ in 0..2 {
        let (looked, wait_for_change) = (looked.clone(), Arc::clone(&wait_for_change));
        let lookup = db.lookup("twice", move |tx| {
            let first = get(tx, "key")?;
            looked.send(()).map_err(Error::from_source)?;
            let change = wait_for_change.lock().unwrap_or_else(PoisonError::into_inner);
            change.recv().map_err(Error::from_source)?;
            Ok((first, get(tx, "key")?))
        });
        let (first, second) = ok(lookup.await)?;
        same(&first, &second)?;
    }
    drop(looked);
    writer.join().map_err(|_| "the writer panicked".to_owned())?
}

pub(super) async fn a_read_job_cannot_write(db: Db) -> Outcome {
    let lookup = db.lookup("set", |tx| set(tx, "key", "value")).await;
    let read = db.read("set", |tx| set(tx, "key", "value")).await;
    same(&(lookup.is_err(), read.is_err()), &(true, true))?;
    same(&ok(db.read("get", |tx| get(tx, "key")).await)?, &None)
}
