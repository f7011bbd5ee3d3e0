//! How far long work is, on stderr and only on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar while it lives; nothing where stderr is no terminal.
#[derive(Debug)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{msg:10} {wide_bar} {pos}/{len} {eta}");
        Self(style.map_or_else(|_| bar.clone(), |style| bar.clone().with_style(style)))
    }

    /// Shows how far a step is.
    pub(crate) fn show(&self, step: &'static str, done: u64, of: u64) {
        self.0.set_message(step);
        self.0.set_length(of);
        self.0.set_position(done);
    }
}

impl Progress {
    /// Says something on stdout without the bar in between.
    pub(crate) fn aside<T>(&self, say: impl FnOnce() -> T) -> T {
        self.0.suspend(say)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
