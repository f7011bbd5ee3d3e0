//! The tests of the whole shop are in `it/`; this library is empty.
