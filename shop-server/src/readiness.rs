//! Whether the shop can work: a list of checks, asked no more than once a second however many ask,
//! and what the settings leave to be desired.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;
use shop_core::{Result, Shop};

use crate::latest::Latest;

/// How long one check may take. A database that takes longer to write one row is of no use.
const DEADLINE: Duration = Duration::from_secs(3);

/// Something that must work, or should.
struct Check {
    name: &'static str,
    /// What it means for people when it fails; errors themselves may tell too much.
    failing: &'static str,
    /// Whether the server gets no requests while it fails. Otherwise the failure is a warning.
    required: bool,
    run: fn(&Shop) -> BoxFuture<'_, Result<()>>,
}

/// Everything that is looked at. A new check is one more entry.
const CHECKS: &[Check] = &[
    Check {
        name: "database",
        failing: "the database does not answer",
        required: true,
        run: |shop| shop.check_ready().boxed(),
    },
    Check {
        name: "writes",
        failing: "the database takes no writes: is the disk full, the file read-only or locked?",
        required: true,
        run: |shop| shop.check_writable().boxed(),
    },
];

/// What the checks said.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Report {
    /// `ok`, or `failing` where a check failed that must not.
    pub(crate) status: Status,
    checks: Vec<Outcome>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ReadinessCheck")]
pub(crate) struct Outcome {
    /// What was looked at; for a setting its key.
    name: String,
    status: Status,
    /// What is wrong, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// How a check, or all of them, went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ReadinessStatus")]
pub(crate) enum Status {
    Ok,
    Warning,
    Failing,
}

/// The latest report.
#[derive(Debug, Default)]
pub(crate) struct Readiness(Latest<Report>);

impl Readiness {
    /// The report of now, or of less than a second ago. Requests at the same time share one.
    pub(crate) async fn report(&self, shop: &Shop) -> Report {
        self.0.get(look(shop)).await
    }
}

async fn look(shop: &Shop) -> Report {
    let mut checks = Vec::with_capacity(CHECKS.len());
    for check in CHECKS {
        checks.push(check.outcome(shop).await);
    }
    checks.extend(shop.warnings().iter().map(|finding| Outcome {
        name: finding.key.clone(),
        status: Status::Warning,
        message: Some(finding.what.clone()),
    }));
    let failing = checks.iter().any(|outcome| outcome.status == Status::Failing);
    Report { status: if failing { Status::Failing } else { Status::Ok }, checks }
}

impl Check {
    async fn outcome(&self, shop: &Shop) -> Outcome {
        let Self { name, failing, required, run } = self;
        let outcome = |status, message: Option<&str>| Outcome {
            name: (*name).to_owned(),
            status,
            message: message.map(str::to_owned),
        };
        match tokio::time::timeout(DEADLINE, run(shop)).await {
            Ok(Ok(())) => return outcome(Status::Ok, None),
            Ok(Err(error)) => tracing::error!(check = name, ?error, "not ready"),
            Err(_) => tracing::error!(check = name, "not ready: it takes too long"),
        }
        outcome(if *required { Status::Failing } else { Status::Warning }, Some(failing))
    }
}
