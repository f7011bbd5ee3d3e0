//! Where the simulated shop lives: its data, its clock, its third parties, and the program that is
//! started on them again and again.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use shop_core::clock::{ManualClock, Timestamp};
use shop_core::config::{MailConfig, OrdersConfig, Secret};
use shop_core::money::Money;
use shop_core::storage::{Postgres, Sqlite, Storage};
use shop_core::{Config, Shop};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::bank::{Bank, BankMood};
use super::carrier::{Carrier, CarrierMood};
use super::faults::{Control, Fate, FaultyStorage, Planned};
use super::mailbox::{MailMood, Mailbox};
use super::model::MAX_OPEN;
use super::office::{Office, OfficeMood};
use super::rng::Rng;
use super::scenario::Scenario;
use crate::database::{self, Database};

/// Noon in São Paulo on a Saturday.
const START: Timestamp = Timestamp::from_millis(1_795_273_200_000);
/// With which providers sign.
pub(crate) const SECRET: &str = "simulated-provider-secret-0001";
/// The subtotal from which sending is free, and what it costs below, in cents.
pub(crate) const FREE_FROM: i64 = 15_000;
pub(crate) const FREIGHT: i64 = 1_250;
/// What a disk writes whole.
const SECTOR: usize = 512;

/// The database: a file, or one on a server.
pub(crate) struct Data {
    dir: PathBuf,
    server: Option<Database>,
    /// How often a program on the file died. What comes after it is another file, so that threads
    /// of its engine that end late cannot reach it: a process that is killed has none.
    deaths: AtomicUsize,
}

/// What is on the disk: the file of data and what is committed beside it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Image {
    file: Vec<u8>,
    wal: Vec<u8>,
}

impl Image {
    /// What is left of a commit when the power goes while it is written: each sector that it
    /// changed is there or not. What was on the disk before it is.
    pub(crate) fn torn(before: Self, after: Self, planned: Option<Planned>) -> Self {
        // A checkpoint syncs the log first, and then both are whole.
        if before.file != after.file {
            return after;
        }
        let mut chance = Rng::new(planned.map_or(0, |it| it.statement as u64));
        let mut wal = before.wal.clone();
        wal.resize(after.wal.len().max(wal.len()), 0);
        for (place, new) in after.wal.chunks(SECTOR).enumerate() {
            let from = place * SECTOR;
            if wal[from..from + new.len()] != *new && chance.chance(50) {
                wal[from..from + new.len()].copy_from_slice(new);
            }
        }
        Self { file: before.file, wal }
    }
}

impl Data {
    fn new(dir: &Path) -> Self {
        let server = database::server().map(|_| Database::new(dir));
        let data = Self { dir: dir.to_owned(), server, deaths: AtomicUsize::new(0) };
        if data.server.is_none() {
            std::fs::write(data.name(), template()).expect("a file");
        }
        data
    }

    pub(crate) fn name(&self) -> String {
        let deaths = self.deaths.load(Ordering::Relaxed);
        let file = || self.dir.join(format!("shop-{deaths}.db")).display().to_string();
        self.server.as_ref().map_or_else(file, |it| it.name().to_owned())
    }

    fn wal(&self) -> PathBuf {
        format!("{}-wal", self.name()).into()
    }

    /// As it is on the disk now. A server keeps its own.
    pub(crate) fn image(&self) -> Image {
        if self.server.is_some() {
            return Image::default();
        }
        let read = |path: &Path| std::fs::read(path).unwrap_or_default();
        Image { file: read(Path::new(&self.name())), wal: read(&self.wal()) }
    }

    fn put_back(&self, image: &Image) {
        if self.server.is_some() {
            return;
        }
        let old = self.name();
        self.deaths.fetch_add(1, Ordering::Relaxed);
        std::fs::write(self.name(), &image.file).expect("written");
        std::fs::write(self.wal(), &image.wal).expect("written");
        drop(std::fs::remove_file(old));
    }

    fn open(&self) -> Arc<dyn Storage> {
        let url = self.name();
        if self.server.is_none() {
            return Arc::new(Sqlite::open_with(url, 2).expect("the file opens"));
        }
        // Its driver blocks, which no async thread may.
        let opened = std::thread::spawn(move || Postgres::open(&url));
        Arc::new(opened.join().expect("no panic").expect("the server answers"))
    }
}

/// A file that is migrated once.
fn template() -> &'static [u8] {
    static TEMPLATE: OnceLock<Vec<u8>> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let dir = folder();
        let path = dir.path().join("template.db");
        drop(Sqlite::open(&path).expect("migrated"));
        std::fs::read(&path).expect("the file")
    })
}

/// A folder in memory where there is one: what a disk does when the power goes is simulated.
fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }
        .expect("a folder")
}

/// The program, running.
pub(crate) struct Running {
    // Dropped in this order, as by a process that ends.
    pub(crate) runtime: Runtime,
    pub(crate) shop: Shop,
    pub(crate) engine: Arc<dyn Storage>,
}

/// How third parties answer during one step.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Moods {
    pub(crate) bank: BankMood,
    pub(crate) mail: MailMood,
    pub(crate) office: OfficeMood,
    pub(crate) carrier: CarrierMood,
}

/// Everything that outlives the program.
pub(crate) struct House {
    pub(crate) clock: ManualClock,
    pub(crate) bank: Bank,
    pub(crate) mailbox: Mailbox,
    pub(crate) carrier: Carrier,
    pub(crate) office: Office,
    pub(crate) control: Arc<Control>,
    data: Arc<Data>,
    fate: Arc<Fate>,
    dir: TempDir,
}

impl House {
    pub(crate) fn new(scenario: Scenario) -> Self {
        let dir = folder();
        let data = Arc::new(Data::new(dir.path()));
        let fate = Arc::new(Fate::new(scenario));
        let control = Arc::new(Control::new(Arc::clone(&data), Arc::clone(&fate)));
        let clock = ManualClock::at(START);
        let (bank, office) = (Bank::new(clock.clone()), Office::new(clock.clone()));
        let (mailbox, carrier) = (Mailbox::default(), Carrier::default());
        Self { clock, bank, mailbox, carrier, office, control, data, fate, dir }
    }

    pub(crate) fn set(&self, moods: Moods) {
        self.bank.set(moods.bank);
        self.mailbox.set(moods.mail);
        self.office.set(moods.office);
        self.carrier.set(moods.carrier);
    }

    pub(crate) fn database(&self) -> String {
        self.data.name()
    }

    fn config(&self) -> Config {
        let mut config = Config {
            database: self.data.name(),
            uploads_dir: Some(self.dir.path().join("uploads")),
            mail: MailConfig::default(),
            orders: OrdersConfig {
                max_per_hour: 0,
                max_open_unpaid: u32::try_from(MAX_OPEN).unwrap_or(0),
                ..OrdersConfig::default()
            },
            ..Config::default()
        };
        "offline".clone_into(&mut config.shipping.cep.url);
        config.shipping.free_from = Some(Money::from_cents(FREE_FROM));
        config.shipping.fallback_price = Money::from_cents(FREIGHT);
        config.payments.provider1.webhook_secret = Some(Secret::new(SECRET));
        config.payments.provider2.webhook_secret = Some(Secret::new(SECRET));
        config
    }

    /// Starts the program.
    pub(crate) fn start(&mut self) -> Running {
        let (data, fate) = (Arc::clone(&self.data), Arc::clone(&self.fate));
        self.control = Arc::new(Control::new(data, fate));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.expect("a runtime");
        let engine = self.data.open();
        let storage =
            FaultyStorage { engine: Arc::clone(&engine), control: Arc::clone(&self.control) };
        let builder = Shop::builder(self.config())
            .clock(self.clock.clone())
            .storage(storage)
            .mailer(self.mailbox.clone())
            .pix_and_cards(self.bank.clone())
            .intents(self.bank.of_intents())
            .carriers(vec![Arc::new(self.carrier.clone())])
            .nfe_issuer(self.office.clone());
        let shop = runtime.block_on(builder.open()).expect("the shop opens");
        Running { runtime, shop, engine }
    }

    /// What is left once the program has ended, by itself or not.
    pub(crate) fn ended(&self, running: Running) {
        let image = self.control.take_image();
        drop(running);
        if let Some(image) = image {
            self.data.put_back(&image);
        }
    }
}
