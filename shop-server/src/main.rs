//! The shop's server.

mod log_queue;

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use shop_core::Shop;
use shop_core::config::{Finding, Loaded, ProgramConfig, Severity, Sources};
#[cfg(feature = "demo")]
use shop_core::demo::{self, DemoLogin, DemoReport, DemoSize};
use shop_core::error::with_causes;
use shop_server::config::ServerConfig;
#[cfg(feature = "demo")]
use shop_server::config::Storefront;
use shop_server::{ServeOptions, serve};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use self::log_queue::LogQueue;

/// C's allocator took an eighth of the server's time under load (docs/performance.md).
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Serves a shop over HTTP.
#[derive(Debug, Parser)]
#[command(name = "shop-server", version, max_term_width = 100)]
struct Arguments {
    /// Settings in TOML; `SHOP_..` variables override them (`SHOP_CONFIG` names the file too)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The database, instead of the configured one
    #[arg(long, value_name = "PATH")]
    database: Option<String>,
    /// Where to listen, instead of the configured address; port 0 takes a free one
    #[arg(long, value_name = "ADDR:PORT")]
    listen: Option<SocketAddr>,
    /// Fill an empty database with a candle shop, serve a storefront, and say how to log in
    #[cfg(feature = "demo")]
    #[arg(long)]
    demo: bool,
    /// How the log is written to stderr; `SHOP_LOG` sets its level
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    log_format: LogFormat,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

/// Why the server could not start, in English, for its operator.
#[derive(Debug)]
enum StartError {
    Config(Vec<Finding>),
    ReadConfig(PathBuf, std::io::Error),
    Listen(SocketAddr, std::io::Error),
    Open(String, shop_core::Error),
    #[cfg(feature = "demo")]
    Demo(shop_core::Error),
    Run(std::io::Error),
}

impl std::fmt::Display for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Config(errors) => {
                let told: Vec<String> = errors.iter().map(Finding::to_string).collect();
                f.write_str(&told.join("; "))
            }
            Self::ReadConfig(file, error) => write!(f, "cannot read {}: {error}", file.display()),
            Self::Listen(address, error) => write!(f, "cannot listen on {address}: {error}"),
            Self::Open(_, error @ shop_core::Error::Unusable { .. }) => {
                write!(f, "cannot open the shop: {}", with_causes(error))
            }
            Self::Open(database, error) => {
                write!(f, "cannot open the shop in {database}: {}", with_causes(error))
            }
            #[cfg(feature = "demo")]
            Self::Demo(error) => write!(f, "cannot fill the shop: {}", with_causes(error)),
            Self::Run(error) => write!(f, "cannot run: {error}"),
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let log = match LogQueue::start() {
        Ok(log) => log,
        Err(error) => {
            eprintln!("the server did not start: no log can be written: {error}");
            return ExitCode::FAILURE;
        }
    };
    log_to_stderr(arguments.log_format, log.clone());
    let ended = run_to_the_end(arguments);
    log.flush();
    ended
}

fn run_to_the_end(arguments: Arguments) -> ExitCode {
    let ran = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(StartError::Run)
        .and_then(|runtime| runtime.block_on(run(arguments)));
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if let StartError::Config(errors) = &error {
                for wrong in errors {
                    tracing::error!("{wrong}");
                }
                tracing::error!(
                    errors = errors.len(),
                    "the server did not start: settings are wrong"
                );
            } else {
                tracing::error!(%error, "the server did not start");
            }
            ExitCode::FAILURE
        }
    }
}

fn log_to_stderr(format: LogFormat, log: LogQueue) {
    let asked = std::env::var("SHOP_LOG").unwrap_or_default();
    let levels = levels(&asked);
    let unreadable = levels.is_none() && !asked.is_empty();
    let levels = levels.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    let log = tracing_subscriber::fmt::layer()
        .with_writer(log)
        .with_ansi(std::io::stderr().is_terminal());
    // The levels below the log: so what they leave out costs next to nothing.
    let listening = tracing_subscriber::registry().with(levels);
    match format {
        LogFormat::Text => listening.with(log).init(),
        LogFormat::Json => listening.with(log.json().flatten_event(true)).init(),
    }
    if unreadable {
        tracing::warn!(
            "SHOP_LOG: must be levels (off, error, warn, info, debug, trace), each alone or as \
             `target=level`, with commas between; `info` holds instead"
        );
    }
}

/// The levels of the log. A word alone is a level here: taken for a target, as the parser would, a
/// mistyped level would silence everything else.
fn levels(text: &str) -> Option<Targets> {
    let known = text.split(',').all(|one| {
        let level = one.split_once('=').map_or(one, |(_, level)| level);
        !level.is_empty() && level.parse::<LevelFilter>().is_ok()
    });
    if known { text.parse().ok() } else { None }
}

async fn run(arguments: Arguments) -> Result<(), StartError> {
    let Arguments { config, database, listen, .. } = arguments;
    let Loaded { mut config, program: mut server, .. } = read_config(config, database, listen)?;
    let cannot_listen = |error| StartError::Listen(server.listen, error);
    let listener = shop_server::listen(server.listen, server.limits.reuse_port);
    let listener = listener.map_err(cannot_listen)?;
    // What the shop says about its own address must hold for port 0 too.
    server.listen = listener.local_addr().map_err(cannot_listen)?;
    server.complete(&mut config);
    #[cfg(feature = "demo")]
    if arguments.demo {
        server.storefront.get_or_insert(Storefront::Example);
        demo::complete(&mut config);
    }
    let options = ServeOptions::from(&server);
    let (address, database) = (server.listen, config.database_name());
    let shop = Shop::open(config).await.map_err(|error| StartError::Open(database, error))?;
    #[cfg(feature = "demo")]
    let report = if arguments.demo {
        Some(demo::seed(&shop, DemoSize::Shop).await.map_err(StartError::Demo)?)
    } else {
        None
    };
    let shutdown = told_to_stop().map_err(StartError::Run)?;
    tracing::info!("listening on http://{address}");
    #[cfg(feature = "demo")]
    if let Some(report) = report {
        present(report, &shop.config().base_url());
    }
    serve(shop, listener, options, shutdown).await.map_err(StartError::Run)?;
    tracing::info!("stopped");
    Ok(())
}

/// Says where to look and how to log in.
#[cfg(feature = "demo")]
fn present(report: DemoReport, base_url: &str) {
    let DemoReport { filled, products, logins, .. } = report;
    if !filled {
        tracing::warn!("the shop has products already and was left alone");
    }
    tracing::info!("{products} products: {base_url}/api/products");
    #[cfg(feature = "pages")]
    tracing::info!("the storefront: {base_url}/, the back office: {base_url}/admin");
    for DemoLogin { role, email, password, .. } in logins {
        let address = format!("{base_url}/api/auth/login");
        tracing::info!("{role} logs in with {email} / {password} at POST {address}");
    }
}

/// The file's settings, with the environment over them and the arguments over all. What
/// `shop-cli config check` calls an error keeps the server from starting, and what it warns of is
/// warned of at each start.
fn read_config(
    file: Option<PathBuf>,
    database: Option<String>,
    listen: Option<SocketAddr>,
) -> Result<Loaded<ServerConfig>, StartError> {
    let named = std::env::var_os("SHOP_CONFIG").filter(|name| !name.is_empty());
    let file = file.or_else(|| named.map(PathBuf::from));
    let toml = match &file {
        Some(file) => std::fs::read_to_string(file)
            .map_err(|error| StartError::ReadConfig(file.clone(), error))?,
        None => String::new(),
    };
    let variables = Sources::variables(std::env::vars_os());
    let variables = variables.map_err(|error| StartError::Config(error.findings().to_vec()))?;
    let arguments = [
        database.map(|it| ("--database".to_owned(), it)),
        listen.map(|it| ("--listen".to_owned(), it.to_string())),
    ];
    let overrides = variables.into_iter().chain(arguments.into_iter().flatten()).collect();
    let sources = Sources { file, toml, overrides };
    let (errors, warnings): (Vec<_>, Vec<_>) =
        ServerConfig::findings(&sources).into_iter().partition(|it| it.severity == Severity::Error);
    for warning in warnings {
        tracing::warn!("{warning}");
    }
    if !errors.is_empty() {
        return Err(StartError::Config(errors));
    }
    let loaded = ServerConfig::load(&sources);
    loaded.map_err(|error| StartError::Config(error.findings().to_vec()))
}

/// Ready at the first SIGTERM or SIGINT.
fn told_to_stop() -> std::io::Result<impl Future<Output = ()> + Send> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("stopping: finishing what is in flight");
    })
}
