//! One server process taking over from another, and what one process may take of memory.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::process::{server, started};
use crate::binary;

/// Asks again and again on new connections, from several threads, and counts what goes wrong.
struct Poll {
    stop: Arc<AtomicBool>,
    asked: Arc<AtomicUsize>,
    threads: Vec<std::thread::JoinHandle<Vec<String>>>,
}

impl Poll {
    fn start(address: SocketAddr) -> Self {
        let (stop, asked) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let poll = |_| {
            let (stop, asked) = (Arc::clone(&stop), Arc::clone(&asked));
            std::thread::spawn(move || {
                let mut failures = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    failures.extend(ask(address).err());
                    asked.fetch_add(1, Ordering::Relaxed);
                }
                failures
            })
        };
        let threads = (0..2).map(poll).collect();
        Self { stop, asked, threads }
    }

    /// Waits until so many more questions were answered.
    fn wait_for(&self, more: usize) {
        let wanted = self.asked.load(Ordering::Relaxed) + more;
        while self.asked.load(Ordering::Relaxed) < wanted {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn end(self) -> Vec<String> {
        self.stop.store(true, Ordering::Relaxed);
        self.threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    }
}

fn ask(address: SocketAddr) -> Result<(), String> {
    let answer = || {
        let mut stream = TcpStream::connect(address)?;
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).map(|_| answer)
    };
    match answer() {
        Ok(answer) if answer.starts_with("HTTP/1.1 200") => Ok(()),
        Ok(answer) => Err(format!("{answer:?}")),
        Err(error) => Err(error.to_string()),
    }
}

fn terminate(process: &mut Child) {
    let told = Command::new("kill").args(["-s", "TERM", &process.id().to_string()]).status();
    assert!(told.expect("kill").success());
    assert!(process.wait().expect("ends").success());
}

/// A server that gets this socket as systemd hands one over.
fn activated(folder: &std::path::Path, socket: &TcpListener) -> Child {
    let script = "export LISTEN_FDS=1 LISTEN_PID=$$; exec \"$@\" 3<&0 </dev/null";
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh"]).arg(binary::path("shop-server"));
    command.arg("--database").arg(folder.join("shop.db"));
    command.env_clear().current_dir(folder).stderr(Stdio::piped());
    let socket: OwnedFd = socket.try_clone().expect("another handle").into();
    command.stdin(socket).spawn().expect("starts")
}

#[test]
fn a_socket_of_systemd_refuses_no_connection_during_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = socket.local_addr().expect("an address");
    let mut process = activated(folder.path(), &socket);
    let (says, log) = started(&mut process);
    assert_eq!(says, address.to_string());
    // A log must have a reader for as long as its server lives.
    let mut logs = vec![log];
    let poll = Poll::start(address);
    poll.wait_for(20);
    for _ in 0..3 {
        // One after the other, as `systemctl restart` does; connections that come meanwhile wait.
        terminate(&mut process);
        process = activated(folder.path(), &socket);
        logs.push(started(&mut process).1);
        poll.wait_for(20);
    }
    assert_eq!(poll.end(), Vec::<String>::new());
    terminate(&mut process);
}

#[test]
fn a_server_on_the_same_port_takes_over_while_the_other_drains() {
    // A connection that arrives between the last look into the queue and the socket's end is reset,
    // unless the kernel moves it to the other socket (docs/operating.md). That is a matter of
    // microseconds, so it does not happen each time.
    let moves = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_migrate_req");
    let tries = if moves.is_ok_and(|it| it.trim() == "1") { 1 } else { 3 };
    let lost: Vec<_> =
        (0..tries).map(|_| hand_over()).take_while(|lost| !lost.is_empty()).collect();
    assert!(lost.len() < tries, "{lost:?}");
}

/// Three servers take over from each other; what went wrong for who asked meanwhile.
fn hand_over() -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let start = |address: &str| {
        let mut command = Command::new(binary::path("shop-server"));
        command.args(["--listen", address, "--database"]).arg(folder.path().join("shop.db"));
        command.env_clear().env("SHOP_SERVER__REUSE_PORT", "true").current_dir(folder.path());
        let mut process = command.stderr(Stdio::piped()).spawn().expect("starts");
        let (address, log) = started(&mut process);
        (process, address, log)
    };
    let (mut process, address, log) = start("127.0.0.1:0");
    let mut logs = vec![log];
    let poll = Poll::start(address.parse().expect("an address"));
    poll.wait_for(20);
    for _ in 0..3 {
        let (next, _, log) = start(&address);
        logs.push(log);
        terminate(&mut process);
        process = next;
        poll.wait_for(20);
    }
    let lost = poll.end();
    terminate(&mut process);
    lost
}

/// What a process takes at most, in MiB.
fn peak(process: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).expect("status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
}

#[test]
fn pictures_that_no_client_reads_cost_little_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let uploads = folder.path().join("uploads");
    std::fs::create_dir(&uploads).expect("a folder");
    std::fs::write(uploads.join("vela.jpg"), vec![7; 4 * 1024 * 1024]).expect("written");
    let mut command = server(folder.path());
    command.env("SHOP_SERVER__MAX_CONNECTIONS_PER_ADDRESS", "1000");
    let mut process = command.spawn().expect("starts");
    let (address, _log) = started(&mut process);
    assert!(super::process::get(&address, "/healthz").starts_with("HTTP/1.1 200"));
    let before = peak(&process);
    let unread: Vec<TcpStream> = (0..300)
        .map(|_| {
            let mut stream = TcpStream::connect(&address).expect("connects");
            stream.write_all(b"GET /uploads/vela.jpg HTTP/1.1\r\nhost: x\r\n\r\n").expect("sent");
            stream
        })
        .collect();
    for mut stream in &unread {
        // Its answer is on its way; the rest of it stays where it is.
        stream.read_exact(&mut [0; 12]).expect("an answer");
    }
    // Enough for the server to read what it is going to read.
    let until = Instant::now() + Duration::from_secs(2);
    while Instant::now() < until {
        assert!(super::process::get(&address, "/healthz").starts_with("HTTP/1.1 200"));
    }
    let after = peak(&process);
    // 300 pictures are 1,200 MiB.
    assert!(after - before < 100, "from {before} to {after} MiB");
    drop(unread);
    terminate(&mut process);
}
