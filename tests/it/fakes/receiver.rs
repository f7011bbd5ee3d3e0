//! A receiver of webhooks, good or bad.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::header::{HeaderMap, HeaderName};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// How it takes a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// 200 with a word.
    Takes,
    /// This status.
    Answers(u16),
    /// This status, and it wants to be left alone for so many seconds.
    PutsOff(u16, u32),
    /// It reads and says nothing.
    Hangs,
    /// It sends one to an address where everything is taken.
    Redirects,
    /// 200 with 10 MB.
    Huge,
    /// 200 at once, and then a byte of its body now and then, for ever.
    DripsBody,
    /// A byte of its head now and then, for ever.
    DripsHead,
    /// It hangs up before it has read anything.
    Closes,
}

/// What it was sent.
#[derive(Debug, Clone)]
pub(crate) struct Delivered {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
    /// How it was taken.
    pub(crate) behaviour: Behaviour,
}

impl Delivered {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }
}

#[derive(Clone)]
pub(crate) struct Receiver {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    behaviour: Behaviour,
    /// How the next ones are taken, before `behaviour` counts again.
    next: VecDeque<Behaviour>,
    received: Vec<Delivered>,
    open: usize,
    most_open: usize,
}

impl Receiver {
    pub(crate) async fn start(behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state =
            State { behaviour, next: VecDeque::new(), received: Vec::new(), open: 0, most_open: 0 };
        let receiver = Self { address, state: Arc::new(Mutex::new(state)) };
        let serving = receiver.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serving.clone().serve(stream));
            }
        });
        receiver
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(crate) fn behaves(&self, behaviour: Behaviour) {
        self.lock().behaviour = behaviour;
    }

    pub(crate) fn next(&self, behaviours: impl IntoIterator<Item = Behaviour>) {
        self.lock().next.extend(behaviours);
    }

    /// Everything it was sent since it was last asked this.
    pub(crate) fn received(&self) -> Vec<Delivered> {
        std::mem::take(&mut self.lock().received)
    }

    pub(crate) fn count(&self) -> usize {
        self.lock().received.len()
    }

    /// The most deliveries that were on their way at the same time.
    pub(crate) fn most_at_once(&self) -> usize {
        self.lock().most_open
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("a lock")
    }

    async fn serve(self, stream: TcpStream) {
        {
            let mut state = self.lock();
            state.open += 1;
            state.most_open = state.most_open.max(state.open);
        }
        // The caller may hang up at any time.
        drop(self.take(stream).await);
    }

    /// Before the answer is out: who has it may come again at once.
    fn is_done(&self) {
        self.lock().open -= 1;
    }

    async fn take(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let closes = {
            let mut state = self.lock();
            let next = *state.next.front().unwrap_or(&state.behaviour);
            if next == Behaviour::Closes {
                state.next.pop_front();
            }
            next == Behaviour::Closes
        };
        if closes {
            self.is_done();
            self.lock().received.push(Delivered {
                path: String::new(),
                headers: HeaderMap::new(),
                body: String::new(),
                behaviour: Behaviour::Closes,
            });
            return Ok(());
        }
        let mut delivered = read(&mut stream).await.inspect_err(|_| self.is_done())?;
        if !delivered.path.ends_with("/elsewhere") {
            let mut state = self.lock();
            delivered.behaviour = state.next.pop_front().unwrap_or(state.behaviour);
            state.received.push(delivered.clone());
        }
        if delivered.behaviour != Behaviour::Hangs {
            self.is_done();
            return self.answer(&mut stream, delivered.behaviour).await;
        }
        // Until the other side has had enough.
        drop(stream.read_u8().await);
        self.is_done();
        Ok(())
    }

    async fn answer(&self, stream: &mut TcpStream, behaviour: Behaviour) -> std::io::Result<()> {
        let answer = |status: u16, more: &str, body: &str| {
            format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n{more}\r\n{body}", body.len())
        };
        match behaviour {
            Behaviour::Takes => stream.write_all(answer(200, "", "ok").as_bytes()).await,
            Behaviour::Answers(status) => {
                let body = format!("{{\"status\":{status}}}");
                stream.write_all(answer(status, "", &body).as_bytes()).await
            }
            Behaviour::PutsOff(status, seconds) => {
                let more = format!("retry-after: {seconds}\r\n");
                stream.write_all(answer(status, &more, "").as_bytes()).await
            }
            Behaviour::Redirects => {
                let more = format!("location: {}\r\n", self.url("/elsewhere"));
                stream.write_all(answer(307, &more, "").as_bytes()).await
            }
            Behaviour::Huge => {
                stream.write_all(answer(200, "", &"x".repeat(10_000_000)).as_bytes()).await
            }
            Behaviour::DripsBody => {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n").await?;
                drip(stream).await
            }
            Behaviour::DripsHead => drip(stream).await,
            Behaviour::Hangs | Behaviour::Closes => Ok(()),
        }
    }
}

async fn drip(stream: &mut TcpStream) -> std::io::Result<()> {
    for byte in b"HTTP/1.1 200 OK".iter().chain(std::iter::repeat(&b' ')) {
        stream.write_all(&[*byte]).await?;
        tokio::time::sleep(Duration::from_millis(40)).await;
    }
    Ok(())
}

async fn read(stream: &mut TcpStream) -> std::io::Result<Delivered> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let mut lines = text.lines();
    let path = lines.next().and_then(|line| line.split(' ').nth(1)).expect("a request");
    let mut headers = HeaderMap::new();
    for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
        let name: HeaderName = name.parse().expect("a name");
        headers.append(name, value.parse().expect("a value"));
    }
    let length: usize = headers["content-length"].to_str().expect("text").parse().expect("one");
    let mut body = bytes.split_off(head + 4);
    while body.len() < length {
        if stream.read_buf(&mut body).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
    let body = String::from_utf8(body).expect("UTF-8");
    Ok(Delivered { path: path.to_owned(), headers, body, behaviour: Behaviour::Takes })
}
