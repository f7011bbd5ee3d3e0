//! What decides a life: a seed, and a statement that is to fail in it.

use std::fmt;
use std::str::FromStr;

/// A statement of a job that writes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Statement {
    /// The job's name.
    pub job: String,
    /// The statement's text, on one line.
    pub sql: String,
}

impl Statement {
    pub(crate) fn new(job: &str, sql: &str) -> Self {
        let sql = sql.split_whitespace().collect::<Vec<_>>().join(" ");
        Self { job: job.to_owned(), sql }
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.job, self.sql)
    }
}

impl FromStr for Statement {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (job, sql) = text.split_once(": ").ok_or("not <job>: <statement>")?;
        Ok(Self::new(job, sql))
    }
}

/// What decides a life: the same scenario is the same history.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scenario {
    /// Decides what happens, and what goes wrong.
    pub seed: u64,
    /// Fails as well when it first runs in a step in which nothing else goes wrong with the
    /// database.
    pub failing: Option<Statement>,
}

impl From<u64> for Scenario {
    fn from(seed: u64) -> Self {
        Self { seed, failing: None }
    }
}

/// As `simulate` takes it.
impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--seed {}", self.seed)?;
        self.failing.as_ref().map_or(Ok(()), |it| write!(f, " --failing {:?}", it.to_string()))
    }
}
