//! Where inputs are parsed: small ones on the async worker that read them, large ones beside it.

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;
use tokio::task::block_in_place;

use crate::route::JSON_LIMIT;

/// Parses inputs. A body above [`JSON_LIMIT`] may take tens of milliseconds, in which an async
/// worker would serve nobody else; so its other work is handed over meanwhile. One such body at a
/// time, so that however many come, cores are left for everybody else.
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
    /// Calls what parses a body of `length` bytes, once.
    pub(crate) async fn run(&self, length: usize, parse: &mut (dyn FnMut() + Send)) {
        // A runtime of one thread has no other worker to hand its work to.
        let has_workers = Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread;
        if length <= JSON_LIMIT || !has_workers {
            return parse();
        }
        // It is never closed, so there is always a permit to wait for.
        let _permit = self.large.acquire().await;
        block_in_place(parse);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    /// How long is waited for what must come: far longer than it takes.
    const PATIENCE: Duration = Duration::from_secs(60);

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn the_only_worker_serves_others_while_a_large_body_is_parsed() {
        let parsed = tokio::spawn(async {
            let (speak, word) = channel();
            // On the same worker, and not before this task gives it away.
            tokio::spawn(async move { speak.send(()) });
            let (heard, result) = channel();
            // As long as the other task needs to say a word.
            let mut parse = move || heard.send(word.recv_timeout(PATIENCE)).expect("awaited");
            Parser::default().run(JSON_LIMIT + 1, &mut parse).await;
            result.recv()
        });
        let heard = parsed.await.expect("no panic");
        assert_eq!(heard, Ok(Ok(())), "the other task never ran");
    }
}
