//! The server process, what it holds, and how much it may write.

use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use tempfile::TempDir;

use super::wire::PROXY;

/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// Orders without end, and receivers of webhooks on this machine.
pub(crate) fn settings() -> Vec<(&'static str, String)> {
    let limits = [
        "SHOP_ORDERS__MAX_OPEN_UNPAID",
        "SHOP_ORDERS__MAX_PER_HOUR",
        "SHOP_ORDERS__MAX_PER_HOUR_PER_IP",
    ];
    let mut settings: Vec<_> = limits.into_iter().map(|name| (name, "0".to_owned())).collect();
    settings.push(("SHOP_WEBHOOKS__ALLOW_INSECURE", "true".to_owned()));
    settings.push(("SHOP_API__REQUESTS_PER_MINUTE", "0".to_owned()));
    settings
}

/// A running server, in a folder of its own.
pub(crate) struct Server {
    folder: TempDir,
    process: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// With an empty database, which `--demo` fills; nothing that it does leaves this machine.
    pub(crate) fn start(binary: &Path, settings: Vec<(&'static str, String)>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log.txt");
        // The shell leaves the server deaf to the signal that would end it when its files may not
        // grow.
        let process = Command::new("sh")
            .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
            .arg(binary)
            .args(["--listen", "127.0.0.1:0", "--database", "shop.db", "--demo"])
            .env_clear()
            .envs(settings)
            .env("SHOP_TRUSTED_PROXIES", format!("{PROXY}/32"))
            .env("SHOP_SHIPPING__CEP__URL", "offline")
            // The line that says where it listens, and not one for each request.
            .env("SHOP_LOG", "error,shop_server=info,shop_server::app=error")
            .current_dir(folder.path())
            .stderr(File::create(&log).expect("a log"))
            .spawn()
            .expect("it starts");
        let address = listens(&log);
        Self { folder, process, address }
    }

    fn proc(&self, name: &str) -> PathBuf {
        format!("/proc/{}/{name}", self.process.id()).into()
    }

    /// MiB of memory that it holds.
    pub(crate) fn memory(&self) -> f64 {
        let status = std::fs::read_to_string(self.proc("status")).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("memory");
        let kib: f64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
        kib / 1024.0
    }

    /// How many file descriptors and threads it has.
    pub(crate) fn descriptors(&self) -> (usize, usize) {
        let count = |name| std::fs::read_dir(self.proc(name)).expect("it runs").count();
        (count("fd"), count("task"))
    }

    /// MiB of a file of its folder.
    pub(crate) fn file(&self, name: &str) -> f64 {
        let file = std::fs::metadata(self.folder.path().join(name));
        #[expect(clippy::cast_precision_loss, reason = "no file is that large")]
        file.map_or(0.0, |it| it.len() as f64 / (1024.0 * 1024.0))
    }

    /// A handle with which the disk is made full.
    pub(crate) fn disk(&self) -> Disk {
        Disk(Pid::from_child(&self.process))
    }
}

/// What of the disk the server may use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Disk(Pid);

impl Disk {
    /// From now on no file of the server may grow, or any as much as before.
    pub(crate) fn set_full(self, full: bool) {
        let room = getrlimit(Resource::Fsize);
        let limit = if full { Rlimit { current: Some(0), ..room } } else { room };
        let _ = prlimit(Some(self.0), Resource::Fsize, limit);
    }
}

fn listens(log: &Path) -> SocketAddr {
    for _ in 0..PATIENCE.as_millis() / 10 {
        let text = std::fs::read_to_string(log).expect("its log");
        if let Some((_, rest)) = text.split_once("listening on http://")
            && let Some((address, _)) = rest.split_once('\n')
        {
            return address.trim().parse().expect("an address");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("it does not listen: {}", std::fs::read_to_string(log).unwrap_or_default());
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
