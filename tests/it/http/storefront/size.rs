//! How much a browser has to fetch of the storefront, and that its first page names what it will
//! need.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/storefront");

/// All files packed as one, in bytes.
const ALL_AS_ONE: usize = 60 * 1024;

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|it| it == "js" || it == "css" || it == "html") {
            files.push(path);
        }
    }
}

#[test]
fn the_storefront_is_small() {
    let mut files = Vec::new();
    collect(FOLDER.as_ref(), &mut files);
    files.sort();
    assert!(files.len() > 50);
    let mut all = Vec::new();
    for file in files {
        let content = std::fs::read_to_string(&file).expect("a file");
        let lines = content.lines().count();
        assert!(lines < 400, "{} has {lines} lines", file.display());
        all.extend_from_slice(content.as_bytes());
    }
    let mut packed = Vec::new();
    let best = brotli::enc::BrotliEncoderParams::default();
    brotli::BrotliCompress(&mut &*all, &mut packed, &best).expect("packed");
    assert!(packed.len() <= ALL_AS_ONE, "{} bytes", packed.len());
}

/// What a module imports before it runs, as paths of the server.
fn imports(file: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(file).expect("a module");
    let names =
        text.lines().filter(|line| line.starts_with("import ") || line.starts_with("} from "));
    let names = names.chain(text.lines().filter(|line| line.starts_with("export {")));
    let path = |line: &str| {
        let name = line.rsplit_once("from '")?.1.trim_end_matches("';");
        let folder = file.parent().expect("a folder");
        Some(if name.starts_with('.') {
            folder.join(name)
        } else {
            let name = name.rsplit('/').next().expect("a name");
            Path::new(FOLDER).join(format!("loja/vendor/{name}.js"))
        })
    };
    names.filter_map(path).map(|it| it.canonicalize().expect("a file")).collect()
}

#[test]
fn the_first_page_names_each_module_that_it_begins_with() {
    let page = std::fs::read_to_string(format!("{FOLDER}/index.html")).expect("the page");
    let named: BTreeSet<PathBuf> = page
        .lines()
        .filter_map(|line| {
            line.strip_prefix("<link rel=\"modulepreload\" href=\"")?.strip_suffix("\">")
        })
        .map(|path| Path::new(FOLDER).join(path.trim_start_matches('/')))
        .map(|path| path.canonicalize().expect("a file"))
        .collect();
    let first = Path::new(FOLDER).join("loja/app.js").canonicalize().expect("a file");
    let mut needed = BTreeSet::new();
    let mut open = vec![first.clone()];
    while let Some(file) = open.pop() {
        if needed.insert(file.clone()) {
            open.extend(imports(&file));
        }
    }
    needed.remove(&first);
    assert!(needed.is_subset(&named), "{:#?}", needed.difference(&named));
}
