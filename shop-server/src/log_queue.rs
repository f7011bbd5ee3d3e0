//! The log's way to stderr: by a thread of its own, since whoever reads it may stop reading, and a
//! shop must not stop with it.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};
use tracing_subscriber::fmt::MakeWriter;

/// How many lines wait for the reader; those beyond are lost, and counted.
const LINES: usize = 4096;
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
    lost: Arc<AtomicU64>,
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
        let lost = Arc::<AtomicU64>::default();
        let counted = Arc::clone(&lost);
        std::thread::Builder::new()
            .name("shop-log".to_owned())
            .spawn(move || write_all(stderr, &lines, &counted))?;
        Ok(Self { queue, lost })
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
fn write_all(mut stderr: File, lines: &Receiver<Message>, lost: &AtomicU64) {
    for message in lines {
        match message {
            Message::Line(text) => drop(stderr.write_all(&text)),
            Message::Flush(done) => drop(done.send(())),
        }
        let count = lost.swap(0, Ordering::Relaxed);
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
        if self.of.queue.try_send(Message::Line(std::mem::take(&mut self.text))).is_err() {
            self.of.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}
