//! HTTP over plain sockets: what clients send, from where, and what they get.

use std::fmt::Write as _;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream};
use std::time::Duration;

use serde_json::Value;
use socket2::{Domain, Socket, Type};

/// The reverse proxy, whose word about its clients the server believes.
pub(crate) const PROXY: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 9);
/// A client that hears nothing for so long gives up.
const PATIENCE: Duration = Duration::from_secs(60);
/// How much of an answer's body is kept; the rest is counted.
const KEPT: usize = 64 * 1024;

/// An attacker's address, by its number. The server sees it as it is, without a proxy.
pub(crate) fn attacker(number: usize) -> Ipv4Addr {
    let [.., high, low] = (number + 1).to_be_bytes();
    Ipv4Addr::new(127, 0, high + 1, low)
}

/// A request, made of its parts.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    head: String,
    body: Vec<u8>,
}

impl Request {
    fn new(method: &str, path: &str) -> Self {
        Self { head: format!("{method} {path} HTTP/1.1\r\nhost: x\r\n"), body: Vec::new() }
    }

    pub(crate) fn get(path: &str) -> Self {
        Self::new("GET", path)
    }

    pub(crate) fn json(method: &str, path: &str, body: &str) -> Self {
        Self::new(method, path)
            .header("content-type", "application/json")
            .body(body.as_bytes().to_vec())
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        let _ = write!(self.head, "{name}: {value}\r\n");
        self
    }

    /// A POST of a form of files.
    pub(crate) fn form(path: &str, boundary: &str, form: Vec<u8>) -> Self {
        Self::new("POST", path)
            .header("content-type", &format!("multipart/form-data; boundary={boundary}"))
            .body(form)
    }

    pub(crate) fn session(self, token: &str) -> Self {
        self.header("cookie", &format!("token={token}"))
    }

    /// Of which the proxy says that it came from this client.
    pub(crate) fn client(self, address: &str) -> Self {
        self.header("x-forwarded-for", address)
    }

    pub(crate) fn body(mut self, body: Vec<u8>) -> Self {
        self.body = body;
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let length = self.body.len();
        let mut bytes = format!("{}content-length: {length}\r\n\r\n", self.head).into_bytes();
        bytes.extend(&self.body);
        bytes
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The session that it starts.
    pub(crate) token: Option<String>,
    /// The whole body's length in bytes.
    pub(crate) length: usize,
    body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// A connection from one of this machine's own addresses; small buffers make a slow reader show.
pub(crate) fn connect(from: Ipv4Addr, to: SocketAddr, small: bool) -> std::io::Result<TcpStream> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    if small {
        socket.set_recv_buffer_size(4096)?;
    }
    socket.bind(&SocketAddrV4::new(from, 0).into())?;
    socket.connect_timeout(&to.into(), PATIENCE)?;
    let stream = TcpStream::from(socket);
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Sends a request and reads its answer.
pub(crate) fn ask(stream: &mut TcpStream, request: &Request) -> std::io::Result<Answer> {
    stream.write_all(&request.bytes())?;
    let (mut read, mut piece) = (Vec::new(), vec![0; 64 * 1024]);
    let end = loop {
        read.extend_from_slice(some(stream, &mut piece)?);
        if let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
    };
    let head = String::from_utf8_lossy(&read[..end]).into_owned();
    let field = |name: &str| {
        head.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        })
    };
    let length = field("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = read.split_off(end + 4);
    let mut received = body.len();
    while received < length {
        let piece = some(stream, &mut piece)?;
        received += piece.len();
        body.extend(&piece[..piece.len().min(KEPT.saturating_sub(body.len()))]);
    }
    let status = head.get(9..12).and_then(|status| status.parse().ok()).unwrap_or(0);
    let cookie = field("set-cookie").and_then(|cookie| cookie.strip_prefix("token="));
    let token = cookie.and_then(|cookie| cookie.split(';').next()).map(str::to_owned);
    Ok(Answer { status, token, length, body })
}

fn some<'p>(stream: &mut TcpStream, piece: &'p mut [u8]) -> std::io::Result<&'p [u8]> {
    match stream.read(piece)? {
        0 => Err(ErrorKind::UnexpectedEof.into()),
        length => Ok(&piece[..length]),
    }
}
