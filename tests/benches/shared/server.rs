//! This program again as servers, each in a process of its own, so that its CPU time can be told
//! from that of the load.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::cpu;

/// What a server is to be.
pub(crate) const ROLE: &str = "SHOP_BENCH_ROLE";
/// The file, or the database, that it serves.
pub(crate) const WHAT: &str = "SHOP_BENCH_WHAT";

/// A server in a process of its own, which ends with this value.
pub(crate) struct Server {
    pub(crate) port: u16,
    process: Child,
}

impl Server {
    /// This program again, in a role, with what it is to serve.
    pub(crate) fn start(role: &str, what: &str) -> Self {
        let mut process = Command::new(std::env::current_exe().expect("this program"))
            .env(ROLE, role)
            .env(WHAT, what)
            .stdout(Stdio::piped())
            .spawn()
            .expect("starts");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("its output");
        BufReader::new(stdout).read_line(&mut line).expect("its port");
        let port = line.trim().parse().expect("a port");
        Self { port, process }
    }

    /// The time that it has computed for.
    pub(crate) fn cpu(&self) -> Duration {
        cpu::time(self.pid())
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
