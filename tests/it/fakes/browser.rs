//! A browser: Chromium without a window, told what to do over a pipe (its protocol for debuggers).

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::num::NonZero;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};

/// What a test without a browser says.
pub(crate) const LEFT_OUT: &str =
    "left out: `SHOP_TEST_BROWSER` is not set, or there is no Chromium on this machine";

/// How long a whole test may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// How long one thing on a page may take, and how often it is looked for.
pub(crate) const WAIT: Duration = Duration::from_secs(60);
pub(crate) const LOOK: Duration = Duration::from_millis(30);

/// As many browsers may run as there are processors: with more of them a page may take longer than
/// [`WAIT`].
static SLOTS: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(std::thread::available_parallelism().map_or(1, NonZero::get)));

/// A page of a browser.
pub(crate) struct Browser {
    process: Arc<Mutex<Child>>,
    to: File,
    from: BufReader<File>,
    session: Option<String>,
    calls: u64,
    /// Every address that it asked for.
    pub(crate) requests: Vec<String>,
    /// What its console has of errors: of scripts, and of what the page's policy forbids.
    pub(crate) complaints: Vec<String>,
    _folder: TempDir,
    _slot: Option<SemaphorePermit<'static>>,
}

impl Browser {
    /// A browser with an empty page, once there is a slot for it; `None` where none is asked for or
    /// installed. Call it off the async threads.
    pub(crate) fn open() -> Option<Self> {
        std::env::var_os("SHOP_TEST_BROWSER")?;
        let slot = Handle::current().block_on(SLOTS.acquire()).expect("it is never closed");
        Self::start(Some(slot))
    }

    /// A second browser of one test, in the slot of the first: tests that each held one and waited
    /// for another would wait forever.
    pub(crate) fn open_another() -> Self {
        Self::start(None).expect("a second browser")
    }

    fn start(slot: Option<SemaphorePermit<'static>>) -> Option<Self> {
        let program =
            ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| {
                let version = Command::new(name)
                    .arg("--version")
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .status();
                version.is_ok_and(|status| status.success())
            })?;
        let folder = tempfile::tempdir().expect("a folder");
        let (to, from) = (folder.path().join("to"), folder.path().join("from"));
        assert!(Command::new("mkfifo").args([&to, &from]).status().expect("mkfifo").success());
        // It reads commands from its file 3 and writes answers to its file 4.
        let start = format!(
            "exec {program} --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
             --disable-background-networking --disable-component-update --disable-sync \
             --disable-dev-shm-usage --enable-blink-features=ComputedAccessibilityInfo \
             --remote-debugging-pipe --user-data-dir=profile \
             3<to 4>from"
        );
        let process = Command::new("sh")
            .args(["-c", &start])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        let (to, from) = (
            File::options().write(true).open(to).expect("a pipe"),
            BufReader::new(File::open(from).expect("a pipe")),
        );
        let mut browser = Self {
            process: Arc::new(Mutex::new(process)),
            to,
            from,
            session: None,
            calls: 0,
            requests: Vec::new(),
            complaints: Vec::new(),
            _folder: folder,
            _slot: slot,
        };
        browser.attach();
        Some(browser)
    }

    fn attach(&mut self) {
        // Kills a browser that does not answer, so that the test fails instead of waiting forever.
        // Not by its number: once it has ended, that may be another process's.
        let process = Arc::clone(&self.process);
        std::thread::spawn(move || {
            std::thread::sleep(PATIENCE);
            drop(process.lock().map(|mut process| process.kill()));
        });
        let target = self.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = self.call("Target.attachToTarget", attach);
        self.session = session["sessionId"].as_str().map(str::to_owned);
        self.call("Network.enable", json!({}));
        self.call("Page.enable", json!({}));
        self.call("Runtime.enable", json!({}));
        self.call("Log.enable", json!({}));
    }

    /// Says one thing and waits for the answer to it.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        let heard = self.exchange(method, params);
        assert!(heard.get("error").is_none(), "{method}: {heard}");
        heard["result"].clone()
    }

    /// The same, where the answer may be a refusal.
    fn exchange(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let mut message = json!({ "id": self.calls, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).expect("it listens");
        loop {
            let mut heard = Vec::new();
            self.from.read_until(0, &mut heard).expect("it speaks");
            assert_eq!(heard.pop(), Some(0), "the browser is gone during {method}");
            let heard: Value = serde_json::from_slice(&heard).expect("JSON");
            self.note(&heard["method"], &heard["params"]);
            if heard["id"] == self.calls {
                return heard;
            }
        }
    }

    /// Keeps what a test may ask about later.
    fn note(&mut self, method: &Value, params: &Value) {
        match method.as_str().unwrap_or_default() {
            "Network.requestWillBeSent" => {
                let url = params["request"]["url"].as_str().expect("a URL");
                self.requests.push(url.to_owned());
            }
            "Runtime.exceptionThrown" => {
                self.complaints.push(params["exceptionDetails"].to_string());
            }
            "Runtime.consoleAPICalled" if params["type"] == "error" => {
                self.complaints.push(params["args"].to_string());
            }
            // A refusal of the server is news of the network, and no mistake of the page.
            "Log.entryAdded"
                if params["entry"]["level"] == "error"
                    && params["entry"]["source"] != "network" =>
            {
                self.complaints.push(params["entry"].to_string());
            }
            _ => {}
        }
    }

    pub(crate) fn visit(&mut self, url: &str) {
        self.call("Page.navigate", json!({ "url": url }));
    }

    /// What a JavaScript expression comes to on the page.
    #[track_caller]
    pub(crate) fn ask(&mut self, expression: &str) -> Value {
        let asked = json!({
            "expression": expression, "awaitPromise": true, "returnByValue": true
        });
        let result = self.call("Runtime.evaluate", asked);
        assert!(result.get("exceptionDetails").is_none(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Whether an expression is true on the page now. While one page makes room for another nothing
    /// is.
    pub(crate) fn holds(&mut self, expression: &str) -> bool {
        let asked = json!({ "expression": expression, "returnByValue": true });
        let heard = self.exchange("Runtime.evaluate", asked);
        let value = &heard["result"]["result"]["value"];
        !matches!(value, Value::Null | Value::Bool(false)) && *value != 0
    }

    /// Waits until an expression is true on the page.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, expression: &str) {
        let end = Instant::now() + WAIT;
        while !self.holds(&format!("Boolean({expression})")) {
            let text = "document.body.innerText";
            assert!(Instant::now() < end, "never: {expression}; it reads: {}", self.ask(text));
            std::thread::sleep(LOOK);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let mut process = self.process.lock().expect("no panic");
        drop(process.kill());
        drop(process.wait());
    }
}
