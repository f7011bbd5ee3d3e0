//! Where inputs are parsed: small ones on the async worker that read them, large ones beside it.

use bytes::Bytes;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;
use tokio::task::block_in_place;

use crate::app::Head;
use crate::input::Input;
use crate::reply::Failure;
use crate::route::JSON_LIMIT;

/// Parses inputs. A body above [`JSON_LIMIT`] may take tens of milliseconds, in which an async worker
/// would serve nobody else; so its other work is handed over meanwhile. One such body at a time, so
/// that however many come, cores are left for everybody else.
#[derive(Debug)]
pub(crate) struct Parser {
    large: Semaphore,
}

impl Default for Parser {
    fn default() -> Self {
        Self { large: Semaphore::new(1) }
    }
}

impl Parser {
    pub(crate) async fn parse<I: Input>(&self, head: &Head, body: &Bytes) -> Result<I, Failure> {
        // A runtime of one thread has no other worker to hand its work to.
        let has_workers = Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread;
        if body.len() <= JSON_LIMIT || !has_workers {
            return I::parse(head, body);
        }
        // It is never closed, so there is always a permit to wait for.
        let _permit = self.large.acquire().await;
        block_in_place(|| I::parse(head, body))
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::mpsc::{Receiver, channel};
    use std::sync::{Mutex, OnceLock};
    use std::time::Duration;

    use hyper::Request;

    use super::*;
    use crate::openapi::{Operation, Schemas};
    use crate::request_id::RequestIds;

    /// How long is waited for what must come: far longer than it takes.
    const PATIENCE: Duration = Duration::from_secs(60);
    static WORD: Mutex<Option<Receiver<()>>> = Mutex::new(None);

    /// An input that takes as long to parse as another task needs to say a word.
    struct Slow;

    impl Input for Slow {
        const HAS_BODY: bool = true;

        fn parse(_: &Head, _: &Bytes) -> Result<Self, Failure> {
            let word = WORD.lock().expect("a lock").take().expect("somebody will speak");
            word.recv_timeout(PATIENCE).map(|()| Self).map_err(|_| Failure::MalformedJson)
        }

        fn describe(_: &mut Operation, _: &mut Schemas) {}
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn the_only_worker_serves_others_while_a_large_body_is_parsed() {
        let parsed = tokio::spawn(async {
            let (speak, word) = channel();
            *WORD.lock().expect("a lock") = Some(word);
            // On the same worker, and not before this task gives it away.
            tokio::spawn(async move { speak.send(()) });
            let parts = Request::new(()).into_parts().0;
            let client = IpAddr::V4(Ipv4Addr::LOCALHOST);
            let id = RequestIds::new().next();
            let head = Head { id, parts, params: vec![], client, quota: OnceLock::new() };
            let body = Bytes::from(vec![b' '; JSON_LIMIT + 1]);
            Parser::default().parse::<Slow>(&head, &body).await.is_ok()
        });
        assert!(parsed.await.expect("no panic"), "the other task never ran");
    }
}
