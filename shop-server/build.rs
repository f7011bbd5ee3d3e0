//! Puts the pages into the program: the back office (`pages`) and the example of a storefront
//! (`../examples/storefront`), each file as it is and beside it as brotli packs it, without the
//! comments, the types and the indentation of scripts and styles. It is done here because it takes
//! long.

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

    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest, Sha256};

    /// What a browser may ask for.
    const SERVED: [&str; 4] = ["css", "html", "js", "svg"];
    /// Is filled in for each answer.
    const WELCOME: &str = "welcome.html";

    /// Writes `pages.rs` and `storefront.rs`, a `Set` each.
    pub(super) fn embed() -> io::Result<()> {
        let own = required("CARGO_MANIFEST_DIR");
        let (office, storefront) = (own.join("pages"), own.join("../examples/storefront"));
        embed_set("pages", &office, &office, "admin/index.html")?;
        embed_set("storefront", &storefront, &storefront.join("loja"), "index.html")
    }

    /// Writes the set of what lies below `served` and the page `shell`, by their paths in `folder`:
    /// name, content and packed content of each file, sorted by name, and the policy that the pages
    /// are sent with.
    fn embed_set(set: &str, folder: &Path, served: &Path, shell: &str) -> io::Result<()> {
        let out = required("OUT_DIR");
        println!("cargo::rerun-if-changed={}", folder.display());
        // A copy of this package alone, as `cargo vendor` makes one, has no examples.
        if !folder.exists() {
            return fs::write(out.join(format!("{set}.rs")), "Set { policy: \"\", files: &[] }");
        }
        let mut files = vec![folder.join(shell)];
        collect(served, &mut files)?;
        files.sort();
        files.dedup();
        let policy = policy(&fs::read_to_string(folder.join(shell))?);
        let mut table = format!("Set {{ policy: {policy:?}, files: &[\n");
        for (number, file) in files.iter().enumerate() {
            let packed = out.join(format!("{set}-{number}.br"));
            fs::write(&packed, pack(lean(file)?.as_bytes())?)?;
            let name = file.strip_prefix(folder).map_err(io::Error::other)?.display().to_string();
            let name = name.replace('\\', "/");
            let [file, packed] = [file, &packed].map(|path| path.display().to_string());
            writeln!(
                table,
                "    ({name:?}, include_bytes!({file:?}), include_bytes!({packed:?})),"
            )
            .map_err(io::Error::other)?;
        }
        fs::write(out.join(format!("{set}.rs")), table + "] }")
    }

    /// Only this server's scripts and styles run, and the import map of `shell`, which a browser
    /// takes from within the page alone. Pictures may also be made in the page itself: those that
    /// staff are about to upload, and codes to pay by. Those of products may stand at other shops'
    /// addresses: an import keeps them where they are.
    fn policy(shell: &str) -> String {
        let map = shell.split_once("<script type=\"importmap\">");
        let map = map.and_then(|(_, rest)| rest.split_once("</script>"));
        let map = map.map(|(map, _)| format!(" 'sha256-{}'", STANDARD.encode(Sha256::digest(map))));
        format!(
            "default-src 'self'; img-src 'self' data: blob: https:; script-src 'self'{}; style-src 'self'; \
             frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
            map.unwrap_or_default()
        )
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

    /// A file without the lines that are comments, without the types beside code, and without
    /// indentation: browsers read none within markup, and no text of the pages has any.
    fn lean(file: &Path) -> io::Result<String> {
        let text = fs::read_to_string(file)?;
        if !file.extension().is_some_and(|end| end == "css" || end == "js") {
            return Ok(text);
        }
        let mut within = false;
        let mut is_code = |line: &str| {
            let line = line.trim();
            let begins = line.starts_with("/*") && (line.ends_with("*/") || !line.contains("*/"));
            let is_comment = within || begins || line.starts_with("//");
            within = (within || begins) && !line.ends_with("*/");
            !is_comment
        };
        let code = text.split_inclusive('\n').filter(|line| is_code(line));
        Ok(code.map(|line| without_types(line.trim_start())).collect())
    }

    /// A line of a script without what `/** @type {..} */` says of its parts.
    fn without_types(line: &str) -> String {
        let mut parts = line.split("/** @");
        let mut code = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            if let Some((_, rest)) = part.split_once("*/") {
                code.push_str(rest.strip_prefix(' ').unwrap_or(rest));
            } else {
                code.push_str("/** @");
                code.push_str(part);
            }
        }
        code
    }

    fn pack(content: &[u8]) -> io::Result<Vec<u8>> {
        let mut packed = Vec::new();
        let best = brotli::enc::BrotliEncoderParams::default();
        brotli::BrotliCompress(&mut &*content, &mut packed, &best)?;
        Ok(packed)
    }
}
