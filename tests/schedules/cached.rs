//! The writer, the generations and the cache of answers together.

use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use shuttle::sync::Mutex;
use shuttle::thread;
use tokio::sync::oneshot;

use crate::area::{CATALOG, LISTING, STOCK};
use crate::cache::{Cache, Stamp};
use crate::etag::Tagged;
use crate::storage::workers::Work;
use crate::storage::{Changed, Generations, Tx, start};
use crate::{Sender, unbounded};

/// How often each changes something.
const CHANGES: usize = 2;

/// A file with one number, its writer, and what callers share.
#[derive(Clone)]
struct Shop {
    file: Arc<tempfile::TempDir>,
    writes: Sender<Work>,
    generations: Arc<Generations>,
    cache: Arc<Cache>,
    /// The number as the index of the lists has it, and of which generation.
    index: Arc<Mutex<Option<(i64, u64)>>>,
}

impl Shop {
    /// Opens it; the writer ends with the last who can send.
    fn open() -> (Self, thread::JoinHandle<()>) {
        let memory = Path::new("/dev/shm");
        let file = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let file = Arc::new(file.expect("a folder"));
        let conn = connect(&file);
        conn.execute_batch("CREATE TABLE number (n INTEGER); INSERT INTO number VALUES (0)")
            .expect("a table");
        let generations: Arc<Generations> = Arc::default();
        let (writes, jobs) = unbounded();
        let thread = start(conn, jobs, Arc::clone(&generations));
        let (cache, index) = (Arc::default(), Arc::new(Mutex::new(None)));
        (Self { file, writes, generations, cache, index }, thread)
    }

    /// Adds one, and waits for the answer: what the number was then.
    fn add(&self, announce: impl FnMut(&mut dyn Tx) + Send + 'static) -> i64 {
        let seen = Arc::new(std::sync::Mutex::new(0));
        let (slot, mut announce) = (Arc::clone(&seen), announce);
        let job = move |tx: &mut dyn Tx| {
            let n = tx.number("UPDATE number SET n = n + 1 RETURNING n")?;
            announce(tx);
            *slot.lock().expect("a lock") = n;
            Ok(())
        };
        let (done, answered) = oneshot::channel();
        self.writes.send(Work { name: "add", job: Box::new(job), done });
        shuttle::future::block_on(answered).expect("an answer").expect("committed");
        *seen.lock().expect("a lock")
    }

    /// The number, as the server answers it: kept, or read and kept.
    fn ask(&self, conn: &Connection) -> i64 {
        self.ask_through(|| read(conn))
    }

    /// As [`Shop::ask`], where it is read from the index, which is read from the file.
    fn ask_index(&self, conn: &Connection) -> i64 {
        self.ask_through(|| {
            let now = self.generations.of(LISTING);
            let mut index = self.index.lock().expect("a lock");
            if index.is_none_or(|(_, generation)| generation != now) {
                *index = Some((read(conn), now));
            }
            index.expect("it was read").0
        })
    }

    fn ask_through(&self, read: impl FnOnce() -> i64) -> i64 {
        let stamp = Stamp::now(&self.generations);
        let kept = self.cache.get("/n", stamp, |kept| number(&kept.body));
        kept.unwrap_or_else(|| {
            thread::yield_now();
            let n = read();
            thread::yield_now();
            let body = bytes::Bytes::from(n.to_string());
            self.cache.put("/n", stamp, Tagged { body });
            n
        })
    }
}

fn connect(folder: &tempfile::TempDir) -> Connection {
    let conn = Connection::open(folder.path().join("n.db")).expect("opens");
    conn.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF").expect("set");
    conn
}

fn read(conn: &Connection) -> i64 {
    conn.query_row("SELECT n FROM number", [], |row| row.get(0)).expect("a number")
}

fn number(body: &[u8]) -> i64 {
    std::str::from_utf8(body).expect("text").parse().expect("a number")
}

/// Two who change the number and ask for it, and one who only asks: whoever knows of a change is
/// never answered from before it.
pub fn no_answer_is_older_than_what_its_caller_knows() {
    let (shop, writer) = Shop::open();
    let mut threads = Vec::new();
    for area in [CATALOG, STOCK] {
        let shop = shop.clone();
        threads.push(thread::spawn(move || {
            let conn = connect(&shop.file);
            for _ in 0..CHANGES {
                let known = shop.add(move |tx| tx.touch(area));
                let told = shop.ask(&conn);
                assert!(told >= known, "{told} was answered to one who knows {known}");
            }
        }));
    }
    let reader = shop.clone();
    threads.push(thread::spawn(move || {
        // Between a commit and its counter it may see the change and then not, so it holds nothing.
        let conn = connect(&reader.file);
        for _ in 0..CHANGES {
            reader.ask(&conn);
        }
    }));
    for thread in threads {
        thread.join().expect("no panic");
    }
    drop(shop);
    writer.join().expect("no panic");
}

/// One who changes the number in several areas at once, and two who ask for it meanwhile: what they
/// have kept from the index is not taken for newer than the index was.
pub fn no_answer_is_older_than_the_index_it_came_from() {
    let (shop, writer) = Shop::open();
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let shop = shop.clone();
            thread::spawn(move || {
                let conn = connect(&shop.file);
                for _ in 0..CHANGES {
                    shop.ask_index(&conn);
                }
            })
        })
        .collect();
    let conn = connect(&shop.file);
    for _ in 0..CHANGES {
        let known = shop.add(|tx| {
            tx.touch(CATALOG);
            tx.touch(STOCK);
            tx.touch_row(LISTING, 1);
        });
        let told = shop.ask_index(&conn);
        assert!(told >= known, "{told} was answered to one who knows {known}");
    }
    for reader in readers {
        reader.join().expect("no panic");
    }
    drop((shop, conn));
    writer.join().expect("no panic");
}

/// Somebody who keeps rows and asks what changed, as the index of the lists does.
pub fn rows_that_changed_are_never_missed() {
    let (shop, writer) = Shop::open();
    let mut threads = Vec::new();
    for own in 0..2 {
        let shop = shop.clone();
        threads.push(thread::spawn(move || {
            for nth in 0..2 {
                let row = own * 10 + nth;
                shop.add(move |tx| tx.touch_row(CATALOG, row));
                // Whoever was answered finds the row among those that changed.
                let (changed, _) = shop.generations.changed_since(CATALOG, 0);
                let Changed::Rows(rows) = changed else { panic!("it is known which") };
                assert!(rows.contains(&row), "{rows:?} and not {row}");
            }
        }));
    }
    let (mut seen, mut at) = (Vec::new(), 0);
    for _ in 0..3 {
        let (changed, now) = shop.generations.changed_since(CATALOG, at);
        let Changed::Rows(rows) = changed else { panic!("it is known which") };
        seen.extend(rows);
        at = now;
        thread::yield_now();
    }
    for thread in threads {
        thread.join().expect("no panic");
    }
    if let (Changed::Rows(rows), _) = shop.generations.changed_since(CATALOG, at) {
        seen.extend(rows);
    }
    seen.sort_unstable();
    assert_eq!(seen, [0, 1, 10, 11]);
    drop(shop);
    writer.join().expect("no panic");
}
