//! Black-box tests: through the library's public API, through HTTP, through the real binaries.

mod binary;
mod cli;
mod core;
mod http;
