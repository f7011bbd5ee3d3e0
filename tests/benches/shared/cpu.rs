//! The CPU time of a process, which other programs on the machine move less than its wall time.

use std::time::Duration;

/// User and system time of all threads of a process so far; nothing where Linux tells none.
pub(crate) fn time(pid: u32) -> Duration {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return Duration::ZERO;
    };
    let ticks: u64 = stat
        .rsplit(')')
        .next()
        .into_iter()
        .flat_map(|rest| rest.split_ascii_whitespace().skip(11).take(2))
        .filter_map(|ticks| ticks.parse::<u64>().ok())
        .sum();
    // Linux counts in hundredths of a second on every machine of today.
    Duration::from_millis(ticks * 10)
}
