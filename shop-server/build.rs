//! Puts the pages into the program: the folder `pages` as it is, and each file beside it as brotli
//! packs it, which is done here because it takes long.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "pages")]
    pages::embed().expect("the pages can be read and packed");
}

#[cfg(feature = "pages")]
mod pages {
    use std::fmt::Write as _;
    use std::path::{Path, PathBuf};
    use std::{env, fs, io};

    /// What a browser may ask for.
    const SERVED: [&str; 3] = ["css", "html", "js"];
    /// Is filled in for each answer.
    const WELCOME: &str = "welcome.html";

    /// Writes `pages.rs`: name, content and packed content of each file, sorted by name.
    pub(super) fn embed() -> io::Result<()> {
        let folder = required("CARGO_MANIFEST_DIR").join("pages");
        let out = required("OUT_DIR");
        println!("cargo::rerun-if-changed={}", folder.display());
        let mut files = Vec::new();
        collect(&folder, &mut files)?;
        files.sort();
        let mut table = String::from("[\n");
        for (number, file) in files.iter().enumerate() {
            let packed = out.join(format!("{number}.br"));
            fs::write(&packed, pack(&fs::read(file)?)?)?;
            let name = file.strip_prefix(&folder).map_err(io::Error::other)?.display().to_string();
            let name = name.replace('\\', "/");
            let [file, packed] = [file, &packed].map(|path| path.display().to_string());
            writeln!(
                table,
                "    ({name:?}, include_bytes!({file:?}), include_bytes!({packed:?})),"
            )
            .map_err(io::Error::other)?;
        }
        fs::write(out.join("pages.rs"), table + "]")
    }

    fn required(name: &str) -> PathBuf {
        env::var_os(name).expect("set by Cargo").into()
    }

    fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let ends = |it: &&str| path.extension().is_some_and(|end| end == *it);
            if path.is_dir() {
                collect(&path, files)?;
            } else if SERVED.iter().any(ends) && !path.ends_with(WELCOME) {
                files.push(path);
            }
        }
        Ok(())
    }

    fn pack(content: &[u8]) -> io::Result<Vec<u8>> {
        let mut packed = Vec::new();
        let best = brotli::enc::BrotliEncoderParams::default();
        brotli::BrotliCompress(&mut &*content, &mut packed, &best)?;
        Ok(packed)
    }
}
