//! A server process, clients that speak HTTP over plain sockets, and what they measure.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};

/// From where shoppers come, attackers, and the proxy that is believed about its clients.
pub(crate) const SHOPPER: Ipv4Addr = Ipv4Addr::LOCALHOST;
pub(crate) const ATTACKER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
pub(crate) const PROXY: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 9);
/// A client that hears nothing for so long gives up.
const PATIENCE: Duration = Duration::from_secs(30);
/// The size of the picture that every server has.
pub(crate) const PICTURE: usize = 4 * 1024 * 1024;

/// A server with the demonstration's shop, in a folder of its own.
pub(crate) struct Server {
    process: Child,
    pub(crate) address: SocketAddr,
    folder: PathBuf,
}

impl Server {
    pub(crate) fn start(binary: &Path) -> Self {
        let folder = std::env::temp_dir().join(format!("siege-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&folder));
        std::fs::create_dir_all(folder.join("uploads")).expect("a folder");
        std::fs::write(folder.join("uploads/vela.jpg"), vec![7; PICTURE]).expect("written");
        let mut process = Command::new(binary)
            .args(["--demo", "--listen", "127.0.0.1:0", "--database", "shop.db"])
            .env_clear()
            .env("SHOP_TRUSTED_PROXIES", format!("{PROXY}/32"))
            .current_dir(&folder)
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        let mut log = BufReader::new(process.stderr.take().expect("its log"));
        let mut line = String::new();
        let address = loop {
            line.clear();
            assert_ne!(log.read_line(&mut line).expect("text"), 0, "it does not listen");
            if let Some((_, address)) = line.split_once("listening on http://") {
                break address.trim().parse().expect("an address");
            }
        };
        // Read to its end, so that the server never waits for its log.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Self { process, address, folder }
    }

    /// A line of the process's `status`, in MiB.
    pub(crate) fn memory(&self, name: &str) -> u64 {
        let path = format!("/proc/{}/status", self.process.id());
        let status = std::fs::read_to_string(path).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        kib.unwrap_or_default() / 1024
    }

    /// Tells the server to stop, and says how long it took.
    pub(crate) fn stop(&mut self) -> Duration {
        let start = Instant::now();
        let pid = self.process.id().to_string();
        drop(Command::new("kill").args(["-s", "TERM", &pid]).status());
        while start.elapsed() < Duration::from_secs(60) {
            if let Ok(Some(_)) = self.process.try_wait() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        start.elapsed()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
        drop(std::fs::remove_dir_all(&self.folder));
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

pub(crate) fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").into_bytes()
}

/// A POST of JSON, of which the proxy says that it came from this client.
pub(crate) fn post(path: &str, client: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    let head = format!("POST {path} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: {client}\r\n");
    let head = format!("{head}content-type: application/json\r\ncontent-length: {length}\r\n\r\n");
    format!("{head}{body}").into_bytes()
}

/// Sends a request and reads its answer, whose status is returned.
pub(crate) fn ask(stream: &mut TcpStream, request: &[u8]) -> std::io::Result<u16> {
    stream.write_all(request)?;
    let (mut read, mut piece) = (Vec::new(), vec![0; 64 * 1024]);
    loop {
        let length = stream.read(&mut piece)?;
        if length == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        read.extend_from_slice(&piece[..length]);
        let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&read[..end]).to_ascii_lowercase();
        let announced = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let body = announced.and_then(|length| length.parse().ok()).unwrap_or(0);
        if read.len() >= end + 4 + body {
            return Ok(head.get(9..12).and_then(|status| status.parse().ok()).unwrap_or(0));
        }
    }
}

/// Threads that go on until this value is told to end or dropped.
pub(crate) struct Crowd<T> {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<T>>,
}

impl<T: Send + 'static> Crowd<T> {
    /// Each thread gets its number, and a flag that says when to end.
    pub(crate) fn of(
        size: usize,
        work: impl Fn(usize, &AtomicBool) -> T + Clone + Send + 'static,
    ) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let threads = (0..size).map(|n| {
            let (stop, work) = (Arc::clone(&stop), work.clone());
            std::thread::spawn(move || work(n, &stop))
        });
        let threads = threads.collect();
        Self { stop, threads }
    }

    pub(crate) fn end(self) -> Vec<T> {
        self.stop.store(true, Ordering::Relaxed);
        self.threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    }
}

/// What shoppers met.
#[derive(Debug, Default)]
pub(crate) struct Met {
    pub(crate) times: Vec<Duration>,
    pub(crate) server_errors: usize,
    pub(crate) broken: usize,
}

impl Met {
    /// The time that 99 of 100 requests stay below, in milliseconds.
    pub(crate) fn p99(&mut self) -> f64 {
        self.times.sort_unstable();
        let at = self.times.len() * 99 / 100;
        self.times.get(at).map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
    }
}

/// What one shopper looks at, over and over.
const PATHS: [&str; 4] = [
    "/api/products",
    "/api/categories",
    "/api/products?limit=5&sort=price_asc",
    "/api/products/search?q=vela",
];

/// Shoppers who each keep a connection and look around, with a pause to think.
pub(crate) fn shop(server: &Server, shoppers: usize, time: Duration) -> Met {
    let address = server.address;
    let crowd = Crowd::of(shoppers, move |n, stop| {
        let mut met = Met::default();
        let mut stream = None;
        let mut step = n;
        while !stop.load(Ordering::Relaxed) {
            step += 1;
            let start = Instant::now();
            let path = PATHS[step % PATHS.len()];
            let answered = match stream.take() {
                Some(stream) => Ok(stream),
                None => connect(SHOPPER, address, false),
            };
            let answered = answered.and_then(|mut open: TcpStream| {
                let status = ask(&mut open, &get(path))?;
                Ok((open, status))
            });
            match answered {
                Ok((open, status)) => {
                    met.times.push(start.elapsed());
                    met.server_errors += usize::from(status >= 500);
                    stream = Some(open);
                }
                Err(_) => met.broken += 1,
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        met
    });
    std::thread::sleep(time);
    crowd.end().into_iter().fold(Met::default(), |mut all, one| {
        all.times.extend(one.times);
        all.server_errors += one.server_errors;
        all.broken += one.broken;
        all
    })
}
