//! Writes the log to stderr on a thread of its own: whoever reads it may stop reading, and a shop
//! must not stop with it.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};
use tracing_subscriber::fmt::MakeWriter;

/// How many lines wait for the reader; those beyond are lost, and counted.
const LINES: usize = 4096;
/// How many bytes they may have together: a line has as much of a request as its client sent.
const BYTES: usize = 4 << 20;
/// How long the end of the program waits for the reader.
const PATIENCE: Duration = Duration::from_secs(1);

enum Message {
    Line(Vec<u8>),
    /// All before is to be written, and this told then.
    Flush(Sender<()>),
}

/// Takes lines, and waits for nobody.
#[derive(Clone)]
pub(crate) struct LogQueue {
    queue: Sender<Message>,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    waiting_bytes: AtomicUsize,
    lost_lines: AtomicU64,
}

/// One line while it is made up.
pub(crate) struct Line<'q> {
    of: &'q LogQueue,
    text: Vec<u8>,
}

impl LogQueue {
    /// Begins to write to stderr.
    pub(crate) fn start() -> io::Result<Self> {
        // Not by `Stderr`, whose lock would keep others waiting that write there.
        let stderr = File::from(io::stderr().as_fd().try_clone_to_owned()?);
        let (queue, lines) = bounded(LINES);
        let counts = Arc::<Counts>::default();
        let of_thread = Arc::clone(&counts);
        std::thread::Builder::new()
            .name("shop-log".to_owned())
            .spawn(move || write_all(stderr, &lines, &of_thread))?;
        Ok(Self { queue, counts })
    }

    /// Waits until all is written, or for as long as the reader may take for it.
    pub(crate) fn flush(&self) {
        let (done, written) = bounded(1);
        if self.queue.send_timeout(Message::Flush(done), PATIENCE).is_ok() {
            // In time or not, the program ends now.
            written.recv_timeout(PATIENCE).ok();
        }
    }
}

/// A line that cannot be written, such as to a file on a full disk, is lost.
fn write_all(mut stderr: File, lines: &Receiver<Message>, counts: &Counts) {
    for message in lines {
        match message {
            Message::Line(text) => {
                drop(stderr.write_all(&text));
                counts.waiting_bytes.fetch_sub(text.len(), Ordering::Relaxed);
            }
            Message::Flush(done) => drop(done.send(())),
        }
        let count = counts.lost_lines.swap(0, Ordering::Relaxed);
        if count > 0 {
            tracing::warn!(lines = count, "the log was not read fast enough; lines are missing");
        }
    }
}

impl<'q> MakeWriter<'q> for LogQueue {
    type Writer = Line<'q>;

    fn make_writer(&'q self) -> Line<'q> {
        Line { of: self, text: Vec::new() }
    }
}

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        let (queue, counts) = (&self.of.queue, &self.of.counts);
        let text = std::mem::take(&mut self.text);
        let length = text.len();
        let before = counts.waiting_bytes.fetch_add(length, Ordering::Relaxed);
        if before + length > BYTES || queue.try_send(Message::Line(text)).is_err() {
            counts.waiting_bytes.fetch_sub(length, Ordering::Relaxed);
            counts.lost_lines.fetch_add(1, Ordering::Relaxed);
        }
    }
}
