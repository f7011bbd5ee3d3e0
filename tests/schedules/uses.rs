//! Last uses, written down while things are used.

use std::collections::BTreeMap;
use std::sync::Arc;

use shuttle::thread;

use crate::clock::Timestamp;
use crate::error::Error;
use crate::last_use::LastUses;

/// Two use the same thing, one writes down, and fails at first: in the end the latest use is
/// written.
pub fn no_use_is_lost() {
    let uses: Arc<LastUses<u8>> = Arc::default();
    let written: Arc<std::sync::Mutex<BTreeMap<u8, Timestamp>>> = Arc::default();
    let users = [1, 2].map(|user| {
        let uses = Arc::clone(&uses);
        thread::spawn(move || {
            for nth in 0..2 {
                uses.used(&7, Timestamp::from_millis(10 * nth + user));
            }
        })
    });
    let (by_writer, to) = (Arc::clone(&uses), Arc::clone(&written));
    let writer = thread::spawn(move || {
        for round in 0..2 {
            note(&by_writer, &to, round == 0);
        }
    });
    users.into_iter().chain([writer]).for_each(|it| it.join().expect("no panic"));
    note(&uses, &written, false);
    let latest = written.lock().expect("a lock").get(&7).copied();
    assert_eq!(latest, Some(Timestamp::from_millis(12)));
    assert_eq!(uses.of(&7), None);
}

fn note(uses: &LastUses<u8>, to: &std::sync::Mutex<BTreeMap<u8, Timestamp>>, fails: bool) {
    let write = |uses: Vec<(u8, Timestamp)>| async move {
        shuttle::future::yield_now().await;
        if fails {
            return Err(Error::internal("the database is gone"));
        }
        let mut written = to.lock().expect("a lock");
        for (id, at) in uses {
            // As the statement that writes it down: never to an earlier time.
            written.entry(id).and_modify(|was| *was = at.max(*was)).or_insert(at);
        }
        Ok(())
    };
    drop(shuttle::future::block_on(uses.note(Timestamp::from_millis(0), write)));
}
