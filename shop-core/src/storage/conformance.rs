//! The behaviours that every storage engine must show.
