use std::path::{Path, PathBuf};

use clap::Subcommand;
use shop_core::clock::{Clock, SystemClock};
use shop_core::maintenance::{
    BackupOptions, CheckReport, Copied, Database, DatabaseError, DatabaseStats, Pending,
    Progress as Told, SchemaState,
};

use crate::failure::{Exit, Failure};
use crate::invocation::Invocation;
use crate::output::{Format, Table, note, warn};
use crate::progress::Progress;

/// A shop's data as a whole.
#[derive(Debug, Subcommand)]
pub(crate) enum Db {
    /// Copies the database into one file while servers go on writing, and looks at all of the copy
    Backup {
        /// Where to; a file that is there already is only replaced when that is confirmed
        file: PathBuf,
    },
    /// Makes the database hold what a backup holds; no server may have it open
    Restore {
        /// The backup
        file: PathBuf,
    },
    /// Checks what must hold: pages, references, stock, totals, counters, outbox, search
    Check,
    /// Brings the database to the schema of this version
    Migrate {
        /// Only tells what is to be done
        #[arg(long)]
        dry_run: bool,
    },
    /// Moves a whole shop into another database, which must be empty, and reads every row back;
    /// stop the server first
    Copy {
        /// A file, or `postgres://user:password@host/name`
        from: String,
        /// The same
        to: String,
    },
    /// Rows and sizes of every table, and what waits to leave
    Stats,
}

impl Db {
    pub(crate) async fn run(self, invocation: &Invocation) -> Result<(), Failure> {
        let settings = invocation.settings()?;
        let database = Database::at(&settings.database);
        match self {
            Self::Backup { file } => {
                back_up(&database, file, &settings.uploads_dir(), invocation).await
            }
            Self::Restore { file } => restore(&database, file, invocation).await,
            Self::Check => check(&database, invocation).await,
            Self::Migrate { dry_run } => migrate(&database, dry_run, invocation).await,
            Self::Copy { from, to } => {
                let (from, to) = (Database::at(&from), Database::at(&to));
                let copied = from.copy_to(&to, SystemClock.now(), told("rows")).await?;
                invocation.format.write(&copied, || moved(&copied))
            }
            Self::Stats => stats(&database, invocation).await,
        }
    }
}

async fn back_up(
    database: &Database,
    file: PathBuf,
    uploads: &Path,
    invocation: &Invocation,
) -> Result<(), Failure> {
    if file.as_os_str() == "-" {
        let why =
            "a backup is looked at before it gets its name, so it goes to a file, not to stdout";
        return Err(Failure::of(Exit::Usage, why));
    }
    // Anything else that has the name is refused, whatever the answer.
    let replace = file.symlink_metadata().is_ok_and(|it| it.is_file());
    if replace {
        invocation.confirm(&format!("{} is there already and will be replaced", file.display()))?;
    }
    let options = BackupOptions { file, replace };
    let made = database.backup(options, SystemClock.now(), told("pages")).await?;
    // What stands beside the database is easily forgotten until it is missed.
    let uploads = uploads.display();
    warn(&format!("not in it: the pictures in {uploads}, the configuration, certificates"));
    invocation.format.write(&made, || Table {
        head: ["FILE", "BYTES", "SCHEMA", "CHECKS PASSED"],
        rows: vec![[
            made.file.display().to_string(),
            made.bytes.to_string(),
            made.schema_version.to_string(),
            made.checks.to_string(),
        ]],
    })
}

async fn restore(
    database: &Database,
    file: PathBuf,
    invocation: &Invocation,
) -> Result<(), Failure> {
    if database.is_there() {
        invocation.confirm("what the database holds now will be put aside")?;
    }
    let done = database.restore(file, SystemClock.now(), told("pages")).await?;
    if !done.wrong.is_empty() {
        warn(&format!("the backup's own data are wrong: see db check ({})", done.wrong.join(", ")));
    }
    warn("pictures are not in a backup: put theirs back too");
    invocation.format.write(&done, || Table {
        head: ["FILE", "SCHEMA", "KEPT ASIDE"],
        rows: vec![[
            done.file.display().to_string(),
            done.schema_version.to_string(),
            done.replaced.as_ref().map_or_else(String::new, |file| file.display().to_string()),
        ]],
    })
}

async fn check(database: &Database, invocation: &Invocation) -> Result<(), Failure> {
    let report = database.check(SystemClock.now()).await?;
    invocation.format.write(&report, || findings(&report))?;
    if report.is_ok() {
        return Ok(());
    }
    let (wrong, of) = (report.wrong().count(), report.checks.len());
    Err(Failure::new(format!("{wrong} of {of} checks found something wrong")))
}

/// A line for each check, and below it one for each thing that is wrong.
fn findings(report: &CheckReport) -> Table<3> {
    let mut rows = Vec::new();
    for check in &report.checks {
        let outcome = if check.wrong == 0 { "ok".to_owned() } else { check.wrong.to_string() };
        rows.push([check.name.to_owned(), outcome, check.about.to_owned()]);
        let found = check.found.iter();
        rows.extend(found.map(|it| [String::new(), it.id.clone(), it.what.clone()]));
        if check.wrong > check.found.len() {
            let more = check.wrong - check.found.len();
            rows.push([String::new(), String::new(), format!("and {more} more")]);
        }
    }
    Table { head: ["CHECK", "WRONG", "WHAT"], rows }
}

async fn migrate(
    database: &Database,
    dry_run: bool,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let mut state = database.schema().await?;
    if !state.pending.is_empty() && invocation.format != Format::Json {
        note(&format!(
            "it takes {} on a disk that nothing else uses",
            rough(state.estimated_seconds)
        ));
    }
    if !dry_run {
        state = database.migrate().await?;
    }
    let done = if dry_run { "pending" } else { "applied" };
    invocation.format.write(&state, || steps(&state, done))
}

/// An estimate as people say it.
fn rough(seconds: u64) -> String {
    match seconds {
        0 => "less than a second".to_owned(),
        1 => "about a second".to_owned(),
        2..=90 => format!("about {seconds} seconds"),
        91..=5400 => format!("about {} minutes", seconds.div_ceil(60)),
        _ => format!("about {} hours", seconds.div_ceil(3600)),
    }
}

fn steps(state: &SchemaState, done: &str) -> Table<3> {
    let steps = state.pending.iter();
    let rows = steps.map(|it| [it.version.to_string(), it.name.to_owned(), done.to_owned()]);
    Table { head: ["VERSION", "NAME", "STATE"], rows: rows.collect() }
}

fn moved(copied: &Copied) -> Table<3> {
    let tables = copied.tables.iter();
    let rows = tables.map(|it| [it.name.to_owned(), it.rows.to_string(), it.sha256.clone()]);
    Table { head: ["TABLE", "ROWS", "SHA-256"], rows: rows.collect() }
}

async fn stats(database: &Database, invocation: &Invocation) -> Result<(), Failure> {
    let stats = database.stats().await?;
    invocation.format.write(&stats, || figures(&stats))
}

fn figures(stats: &DatabaseStats) -> Table<3> {
    let figure = |name: &str, value: String| [name.to_owned(), value, String::new()];
    let mut rows = vec![
        figure("engine", stats.engine.to_owned()),
        figure("schema version", stats.schema_version.to_string()),
    ];
    if let Some(file) = &stats.file {
        rows.push(figure("file", format!("{} bytes", file.bytes)));
        rows.push(figure("wal", format!("{} bytes", file.wal_bytes)));
        rows.push(figure("pages", format!("{} of {} bytes", file.pages, file.page_bytes)));
        rows.push(figure("free pages", file.free_pages.to_string()));
    }
    rows.extend(stats.pending.iter().map(|Pending { what, rows, oldest, .. }| {
        let oldest = oldest.map_or_else(String::new, |oldest| format!("since {oldest}"));
        [format!("waiting {what}"), format!("{rows} rows"), oldest]
    }));
    rows.extend(stats.tables.iter().map(|table| {
        [table.name.clone(), format!("{} rows", table.rows), format!("{} bytes", table.bytes)]
    }));
    Table { head: ["WHAT", "COUNT", "SIZE"], rows }
}

/// Shows how far a long step is.
fn told(step: &'static str) -> Told {
    let bar = Progress::new();
    Box::new(move |done, of| bar.show(step, done, of))
}

impl From<DatabaseError> for Failure {
    fn from(error: DatabaseError) -> Self {
        let exit = match &error {
            DatabaseError::Failed(error) => return error.clone().into(),
            DatabaseError::Missing(_) => Exit::NotFound,
            DatabaseError::Exists(_) | DatabaseError::InUse(_) | DatabaseError::BeingMade(_) => {
                Exit::Conflict
            }
            DatabaseError::NotAFile(_) => Exit::Refused,
            _ => Exit::Failed,
        };
        Self::of(exit, error.to_string())
    }
}
