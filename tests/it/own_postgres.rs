//! A PostgreSQL of a program's own, in a folder that lasts as long as it: one that may be killed,
//! or that is to be measured alone. Its programs are looked for where Debian puts them.

use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long it may take to start, also after it was killed.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct OwnPostgres {
    programs: PathBuf,
    folder: TempDir,
    port: u16,
    /// It refuses to run as root.
    user: Option<(u32, u32)>,
    process: Child,
}

impl OwnPostgres {
    /// A new one with its own default settings; none where PostgreSQL is not installed.
    pub(crate) fn start() -> Option<Self> {
        let (programs, user) = (programs()?, other_user());
        let folder = folder(user);
        let mut init = command(&programs, "initdb", user);
        init.args(["-U", "shop", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N", "-D"]);
        run(init.arg(folder.path().join("data")));
        Some(Self::start_in(programs, folder, user))
    }

    /// A streaming replica of it.
    pub(crate) fn replica(&self) -> Self {
        let (programs, user) = (self.programs.clone(), self.user);
        let folder = folder(user);
        let mut copy = command(&programs, "pg_basebackup", user);
        copy.args(["-h", "127.0.0.1", "-U", "shop", "-p"]).arg(self.port.to_string());
        copy.args(["-R", "-N", "-X", "stream", "-c", "fast", "-D"]);
        run(copy.arg(folder.path().join("data")));
        Self::start_in(programs, folder, user)
    }

    fn start_in(programs: PathBuf, folder: TempDir, user: Option<(u32, u32)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let process = spawn(&programs, user, folder.path(), port);
        let mut started = Self { programs, folder, port, user, process };
        started.wait();
        started
    }

    pub(crate) fn url(&self, database: &str) -> String {
        format!("postgres://shop@127.0.0.1:{}/{database}", self.port)
    }

    /// Runs one of its client programs (`psql`, `pgbench`) on a database; what it printed.
    pub(crate) fn client(&self, program: &str, database: &str, arguments: &[&str]) -> String {
        let mut client = command(&self.programs, program, None);
        client.args(["-h", "127.0.0.1", "-U", "shop", "-p"]).arg(self.port.to_string());
        let output = run(client.args(arguments).arg(database));
        String::from_utf8(output.stdout).expect("text")
    }

    /// What a statement prints.
    pub(crate) fn sql(&self, database: &str, sql: &str) -> String {
        let arguments = ["-q", "-At", "-v", "ON_ERROR_STOP=1", "-c", sql];
        self.client("psql", database, &arguments).trim().to_owned()
    }

    /// As a power cut would: nothing is said and nothing is written. Its children go with it.
    pub(crate) fn kill(&mut self) {
        let children = children(self.process.id());
        self.process.kill().expect("killed");
        self.process.wait().expect("gone");
        for child in children {
            let kill = Command::new("kill").args(["-9", &child.to_string()]).output();
            // Some have ended by themselves when they saw that it is gone.
            drop(kill.expect("kill runs"));
        }
    }

    /// On the same folder and port, once it has recovered.
    pub(crate) fn restart(&mut self) {
        self.process = spawn(&self.programs, self.user, self.folder.path(), self.port);
        self.wait();
    }

    fn wait(&mut self) {
        let begun = Instant::now();
        loop {
            let mut ask = command(&self.programs, "pg_isready", None);
            ask.args(["-q", "-h", "127.0.0.1", "-p"]).arg(self.port.to_string());
            if ask.status().expect("it can be asked").success() {
                return;
            }
            // It ends at once where what is left of a killed one still holds its memory.
            if self.process.try_wait().expect("a state").is_some() {
                self.process = spawn(&self.programs, self.user, self.folder.path(), self.port);
            }
            let log = || std::fs::read_to_string(self.folder.path().join("log"));
            assert!(begun.elapsed() < PATIENCE, "it does not start: {:?}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for OwnPostgres {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A folder of this user's.
fn folder(user: Option<(u32, u32)>) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    if let Some((user, group)) = user {
        chown(folder.path(), Some(user), Some(group)).expect("given away");
    }
    folder
}

/// Where the programs of the newest one that is installed are.
fn programs() -> Option<PathBuf> {
    let installed = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let versions = installed.filter_map(|entry| {
        let path = entry.ok()?.path();
        let version: u32 = path.file_name()?.to_str()?.parse().ok()?;
        path.join("bin/initdb").exists().then(|| (version, path.join("bin")))
    });
    versions.max().map(|(_, programs)| programs)
}

/// Somebody else than root, where this is root.
fn other_user() -> Option<(u32, u32)> {
    if std::fs::metadata("/proc/self").expect("this process").uid() != 0 {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").expect("users");
    let named = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut numbers = line.split(':').skip(2).map_while(|number| number.parse().ok());
        Some((numbers.next()?, numbers.next()?))
    };
    Some(named("postgres").or_else(|| named("nobody")).expect("somebody else than root"))
}

fn command(programs: &Path, name: &str, user: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(programs.join(name));
    command.env_clear().env("PATH", "/usr/bin:/bin").current_dir("/");
    if let Some((user, group)) = user {
        command.uid(user).gid(group);
    }
    command
}

fn spawn(programs: &Path, user: Option<(u32, u32)>, folder: &Path, port: u16) -> Child {
    let log = std::fs::File::options().create(true).append(true).open(folder.join("log"));
    let mut server = command(programs, "postgres", user);
    server.args(["-k", "", "-c", "listen_addresses=127.0.0.1", "-p"]).arg(port.to_string());
    server.arg("-D").arg(folder.join("data")).stderr(log.expect("a log")).stdout(Stdio::null());
    server.spawn().expect("starts")
}

fn run(command: &mut Command) -> Output {
    let output = command.output().expect("runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    output
}

/// The processes that a process started.
fn children(parent: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").expect("processes");
    let child = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.ok()?.path();
        let id: u32 = path.file_name()?.to_str()?.parse().ok()?;
        let status = std::fs::read_to_string(path.join("stat")).ok()?;
        // After the name, in brackets: the state, then the parent.
        let parent_id: u32 = status.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
        (parent_id == parent).then_some(id)
    };
    processes.filter_map(child).collect()
}
