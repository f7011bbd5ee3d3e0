//! A connection that ends when its peer stops reading.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};

use super::activity::Activity;

/// How much of an answer the machine holds for a peer (Linux doubles it for its own bookkeeping).
/// Small, so that bytes that the peer did not take show soon, and so that thousands of slow peers
/// cost little.
const SEND_BUFFER: usize = 64 * 1024;
/// The slowest average rate, in bytes a second, at which a peer may take an answer.
const FLOOR: u32 = 1024;

/// A TCP connection that breaks where the peer does not take an answer.
///
/// The peer has a credit of patience, at most `stall`. Waiting for the peer uses it up, bytes that
/// the peer takes give it back, [`FLOOR`] of them one second. So a peer that takes nothing is cut
/// off after `stall`, and one that takes a byte now and then not much later.
#[derive(Debug)]
pub(super) struct Paced {
    stream: TcpStream,
    stall: Duration,
    credit: Duration,
    /// Since when the peer has been waited for, and the alarm at the end of its credit.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
    activity: Arc<Activity>,
}

impl Paced {
    /// # Errors
    /// When the connection is gone already.
    pub(super) fn new(
        stream: TcpStream,
        stall: Duration,
        activity: Arc<Activity>,
    ) -> io::Result<Self> {
        // Answers are written whole, so there is nothing to wait for before sending.
        stream.set_nodelay(true)?;
        SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER)?;
        Ok(Self { stream, stall, credit: stall, waiting: None, activity })
    }

    fn written(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Pending => self.wait(context),
            Poll::Ready(result) => {
                if let Some((since, _)) = self.waiting.take() {
                    self.credit = self.credit.saturating_sub(since.elapsed());
                    self.activity.set_blocked(false);
                }
                let bytes = result.as_ref().map_or(0, |bytes| *bytes);
                let gained = u32::try_from(bytes).unwrap_or(u32::MAX);
                let gained = Duration::from_secs(1) * gained / FLOOR;
                self.credit = self.stall.min(self.credit.saturating_add(gained));
                Poll::Ready(result)
            }
        }
    }

    fn wait(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let credit = self.credit;
        let (_, alarm) = self.waiting.get_or_insert_with(|| {
            let now = Instant::now();
            (now, Box::pin(sleep_until(now + credit)))
        });
        self.activity.set_blocked(true);
        std::task::ready!(alarm.as_mut().poll(context));
        // Closed for good: what the machine still holds for the peer is thrown away.
        drop(SockRef::from(&self.stream).set_linger(Some(Duration::ZERO)));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer takes no bytes")))
    }
}

impl AsyncRead for Paced {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Paced {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.written(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
