//! Programs that embed the library; each is an example target of this package.
