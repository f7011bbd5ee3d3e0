use std::fmt::Write as _;
use std::process::Stdio;

use serde_json::json;
use shop_tests::repeats;

use super::Cli;

const HEAD: &str = "slug,name,variant,price,sku,stock\n";

fn file(cli: &Cli, name: &str, text: &str) -> String {
    let file = cli.dir.path().join(name);
    std::fs::write(&file, text).expect("written");
    file.display().to_string()
}

fn products(cli: &Cli) -> i64 {
    let listed = cli.json(&["product", "list"]);
    listed["pagination"]["total"].as_i64().expect("a number")
}

#[test]
fn what_was_exported_is_imported_into_an_empty_shop() {
    let (full, empty) = (Cli::with_shop(), Cli::with_shop());
    assert_eq!(full.run(&["demo", "seed"], "").code, Some(0));
    let written = full.run(&["export", "products", "--output", "catalogue.csv"], "");
    assert_eq!((written.code, written.stdout.as_str()), (Some(0), ""), "{written:?}");
    let catalogue = full.dir.path().join("catalogue.csv").display().to_string();
    let done = empty.json(&["import", "products", &catalogue]);
    assert_eq!((&done["written"], &done["bad"]), (&json!(true), &json!(0)));
    assert!(done["variants"].as_i64() > Some(0), "the demo has variants: {done}");
    let (before, after) =
        (full.run(&["product", "export"], ""), empty.run(&["product", "export"], ""));
    assert_eq!(before.stdout, after.stdout);
    assert_eq!(done["products"].as_i64(), Some(products(&full)));

    let again = empty.run(&["product", "import", &catalogue], "");
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    let (before, after) = (before.stdout, empty.run(&["product", "export"], "").stdout);
    assert_eq!(before, after);
}

#[test]
fn every_bad_row_is_named_with_its_line_and_column_and_nothing_is_written() {
    let cli = Cli::with_shop();
    let rows = "vela,Vela,,10,A,1\n\
                ,Vela,,10,,1\n\
                dois,,,0,A,-1\n\
                \"tres\",\"Três\n linhas\",,\"1,234\",,x\n\
                quatro,Quatro,,4,,\n\
                quatro,,Cor=Azul,5,B,2\n\
                quatro,,Cor=Azul,5,B,2\n\
                outro,,Azul,,C,2\n\
                cinco,Cinco,,5,,,x\n\
                seis,Seis,,6,,6\n";
    let bad = file(&cli, "bad.csv", &format!("{HEAD}{rows}"));
    let report = cli.run(&["import", "products", &bad, "--format", "csv"], "");
    assert_eq!(report.code, Some(1), "{report:?}");
    let mut found = csv::Reader::from_reader(report.stdout.as_bytes());
    let found: Vec<(u64, String)> = found
        .records()
        .map(|row| row.expect("CSV"))
        .map(|row| (row[0].parse().expect("a line"), row[1].to_owned()))
        .collect();
    let expected = [
        (3, "slug"),
        (4, "name"),
        (4, "price"),
        (4, "stock"),
        (5, "price"),
        (5, "stock"),
        (9, "variant"),
        (10, "slug"),
        (10, "variant"),
        (11, ""),
    ];
    let found: Vec<(u64, &str)> = found.iter().map(|(line, name)| (*line, &**name)).collect();
    for each in expected {
        assert!(found.contains(&each), "{each:?} in {found:?}");
    }
    assert!(found.iter().all(|(line, _)| ![2, 7, 8, 12].contains(line)), "{found:?}");
    assert!(report.stderr.contains("nothing was imported"), "{report:?}");
    assert_eq!(products(&cli), 0);

    let json = cli.run(&["import", "products", &bad, "--format", "json"], "");
    let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!((&json["written"], &json["rows"]), (&json!(false), &json!(10)));
    assert_eq!(json["badRows"].as_array().map(|rows| json!(rows.len())), Some(json["bad"].clone()));

    let dry = cli.run(&["import", "products", &bad, "--skip-bad", "--dry-run"], "");
    assert_eq!((dry.code, products(&cli)), (Some(0), 0), "{dry:?}");
    let some = cli.run(&["import", "products", &bad, "--skip-bad"], "");
    assert_eq!((some.code, products(&cli)), (Some(0), 2), "{some:?}");
    assert_eq!(cli.json(&["product", "show", "seis"])["stock"], 6);
}

#[test]
fn a_file_as_a_brazilian_spreadsheet_program_saves_it_is_read() {
    let cli = Cli::with_shop();
    let text = "\u{feff}Name;PRICE;weight_kg;category;category_name;active\r\n\
                '=Vela \"grande\";12,90;0,25;velas;Velas;não\r\n\r\n;;;;;\r\n\
                Sachê;5;;velas;;sim\r\n";
    let done = cli.json(&["import", "products", &file(&cli, "a.csv", text)]);
    assert_eq!((&done["products"], &done["written"]), (&json!(2), &json!(true)));
    let vela = cli.json(&["product", "show", "vela-grande"]);
    assert_eq!(vela["name"], "=Vela \"grande\"");
    assert_eq!((&vela["price"], &vela["weight"]), (&json!(12.9), &json!(0.25)));
    assert_eq!((&vela["active"], &vela["category"]["name"]), (&json!(false), &json!("Velas")));
    assert_eq!(cli.json(&["product", "show", "sache"])["category"], vela["category"]);
}

#[test]
fn lines_are_counted_as_an_editor_counts_them() {
    let cli = Cli::with_shop();
    for end in ["\n", "\r\n"] {
        let lines = ["name,price", "", "A1,1", "\"x", "y\",0", "", "B2,x"].join(end);
        for text in [lines.clone(), lines + end] {
            let bad = cli.run(&["import", "products", &file(&cli, "a.csv", &text)], "").stdout;
            let said: Vec<&str> = bad.lines().filter(|line| line.starts_with("line ")).collect();
            assert!(said[0].starts_with("line 4: price:"), "{text:?}: {bad}");
            assert!(said[1].starts_with("line 7: price:"), "{text:?}: {bad}");
            assert_eq!(said.len(), 2, "{text:?}: {bad}");
        }
    }
}

#[test]
fn what_is_no_file_of_products_is_refused() {
    let cli = Cli::with_shop();
    for (text, named) in [
        ("", "name"),
        ("price,stock\n1,2\n", "name"),
        ("name,price,colour\n", "colour"),
        ("name,price,name\n", "name"),
    ] {
        let refused = cli.failure(&["import", "products", &file(&cli, "a.csv", text)]);
        assert!(refused.0 == 1 && refused.1.contains(named), "{refused:?}");
    }
    let endless = format!("name,price\n\"{}", "x".repeat(3 << 20));
    let refused = cli.failure(&["import", "products", &file(&cli, "a.csv", &endless)]);
    assert!(refused.1.contains("aspas"), "{refused:?}");
    assert_eq!(cli.failure(&["import", "products", "missing.csv"]).0, 1);
    assert_eq!(cli.failure(&["import", "products", "."]).0, 1);
    assert_eq!(cli.run(&["import", "products"], "").code, Some(2));
    assert_eq!(products(&cli), 0);
}

/// KiB of memory that a command held at most while it looked through and wrote so many products.
fn peak(count: usize) -> Option<usize> {
    let cli = Cli::with_shop();
    let mut text = String::from(HEAD);
    for n in 0..count {
        writeln!(text, "vela-{n},Vela de lavanda número {n},,{}.90,SKU-{n},{}", 1 + n % 90, n % 7)
            .expect("written");
    }
    let file = file(&cli, "many.csv", &text);
    let mut command = cli.command();
    command.args(["import", "products", &file, "--format", "json"]).stdout(Stdio::piped());
    let mut process = command.spawn().expect("starts");
    let status = format!("/proc/{}/status", process.id());
    let mut peak = None;
    while process.try_wait().expect("asked").is_none() {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        peak = now.or(peak);
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let done: serde_json::Value =
        serde_json::from_reader(process.stdout.take().expect("a pipe")).expect("JSON");
    assert_eq!((&done["products"], &done["written"]), (&json!(count), &json!(true)));
    peak
}

#[test]
fn many_rows_take_hardly_more_memory_than_a_few() {
    // On PostgreSQL each row waits for the server.
    let many = if crate::database::server().is_some() { 30_000 } else { 100_000 };
    let rows = repeats(10_000, many);
    // Where the system does not say, only that they are imported is held.
    let (Some(few), Some(many)) = (peak(1_000), peak(rows)) else { return };
    assert!(many < few + 30_000, "{few} KiB for a thousand, {many} KiB for {rows} rows");
}

#[test]
fn a_dry_run_names_each_cell_that_would_change() {
    let cli = Cli::with_shop();
    let first = file(&cli, "a.csv", &format!("{HEAD}vela,Vela,,10,V,5\n"));
    cli.json(&["import", "products", &first]);
    let then = file(&cli, "b.csv", "sku,name,price\nV,Vela,12\nN,Nova,3\n");
    let told = cli.run(&["import", "products", &then, "--dry-run"], "");
    let lines: Vec<&str> = told.stdout.lines().take(2).collect();
    let expected = ["line 2: vela: price: \"10,00\" -> \"12,00\"", "line 3: nova: new"];
    assert_eq!(lines, expected, "{told:?}");
    let csv = cli.run(&["import", "products", &then, "--dry-run", "--format", "csv"], "");
    assert!(csv.stdout.contains("\n2,changed,vela,,price,\"10,00\",\"12,00\",\n"), "{csv:?}");
    let json = cli.json(&["import", "products", &then, "--dry-run", "--only-existing"]);
    assert_eq!((&json["updated"], &json["leftOut"]), (&json!(1), &json!(1)));
    assert_eq!(json["changes"][0]["changes"][0]["after"], "12,00");
    assert_eq!(products(&cli), 1);
}

#[test]
fn a_file_of_another_program_is_taken_where_it_is_named() {
    let cli = Cli::with_shop();
    let export = include_str!("../vectors/products/shopify.csv");
    let export = file(&cli, "shopify.csv", export);
    let unnamed = cli.failure(&["import", "products", &export]);
    assert!(unnamed.1.contains("handle"), "{unnamed:?}");
    let done = cli.json(&["import", "products", &export, "--from", "shopify"]);
    assert_eq!((&done["created"], &done["written"]), (&json!(3), &json!(true)));
}

#[test]
fn pictures_of_a_folder_are_uploaded_once_and_named_by_their_files() {
    let cli = Cli::with_shop();
    let folder = cli.dir.path().join("fotos");
    std::fs::create_dir(&folder).expect("a folder");
    for (name, colour) in [("mel.png", [255, 200, 0]), ("Mel-2.PNG", [9, 9, 9])] {
        std::fs::write(folder.join(name), png(colour)).expect("a picture");
    }
    std::fs::write(folder.join("leia-me.txt"), "no picture").expect("a file");
    let pictures = folder.display().to_string();
    let own =
        file(&cli, "own.csv", "sku,name,price,images\nMEL,Vela de mel,54.90,mel.png Mel-2.PNG\n");
    let import = |file: &str, more: &[&str]| {
        cli.run(&[&["import", "products", file, "--pictures", &pictures], more].concat(), "")
    };

    let dry = import(&own, &["--dry-run"]);
    assert_eq!((dry.code, products(&cli)), (Some(0), 0), "{dry:?}");
    let uploads = cli.dir.path().join("uploads");
    assert!(!uploads.exists(), "a dry run keeps nothing");
    let done = import(&own, &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let exported = cli.run(&["export", "products"], "").stdout;
    let kept: Vec<&str> = exported.split("/uploads/").skip(1).map(|rest| &rest[..36]).collect();
    assert_eq!(kept.len(), 2, "{exported}");
    assert!(kept.iter().all(|name| uploads.join(name).is_file()), "{kept:?}");
    let again = cli.json(&["import", "products", &own, "--pictures", &pictures]);
    assert_eq!(again["updated"], json!(0), "{again}");

    let missing = file(&cli, "missing.csv", "sku,name,price,images\nB,Outra,5,outra.png\n");
    let told = import(&missing, &[]);
    assert_eq!(told.code, Some(1), "{told:?}");
    assert!(told.stdout.contains("images: Nenhuma imagem com este nome"), "{told:?}");
    std::fs::write(folder.join("quebrada.jpg"), "no picture").expect("a file");
    std::fs::write(folder.join("grande.jpg"), vec![0; 6 << 20]).expect("a file");
    for more in [&["--dry-run"][..], &[]] {
        let told = import(&own, more);
        assert_eq!(told.code, Some(0), "no cell names them: {told:?}");
        for left_out in ["quebrada.jpg: ", "grande.jpg: "] {
            assert!(told.stderr.contains(left_out), "{told:?}");
        }
    }
    let named = file(&cli, "named.csv", "sku,name,price,images\nB,Outra,5,grande.jpg\n");
    let told = import(&named, &[]);
    assert_eq!(told.code, Some(1), "{told:?}");
    assert!(told.stdout.contains("images: Nenhuma imagem com este nome"), "{told:?}");
}

fn png(colour: [u8; 3]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 1, 1);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(&colour).expect("pixels");
    writer.finish().expect("a file");
    file
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_written_is_a_failure() {
    let rows = format!("{HEAD}vela,Vela,,10,A,1\nmel,Mel,,x,B,1\n");
    for (how, imported) in [(&["--skip-bad"][..], 1), (&["--skip-bad", "--dry-run"], 0)] {
        for format in ["csv", "table", "json"] {
            let cli = Cli::with_shop();
            let bad = file(&cli, "bad.csv", &rows);
            let full = std::fs::File::options().write(true).open("/dev/full").expect("a device");
            let mut command = cli.command();
            command.args(["import", "products", &bad, "--database", cli.data.name()]).args(how);
            command.args(["--format", format]).stdout(full).stderr(Stdio::piped());
            let ended: super::Ended = command.output().expect("ends").into();
            assert_eq!(ended.code, Some(1), "{format}: {ended:?}");
            assert!(ended.stderr.contains("No space left on device"), "{ended:?}");
            // The products do not suffer from it.
            assert_eq!(products(&cli), imported, "{format}");
        }
    }
}

#[test]
fn a_reader_that_has_gone_is_no_failure() {
    let cli = Cli::with_shop();
    let bad = file(&cli, "bad.csv", &format!("{HEAD}vela,Vela,,10,A,1\nmel,Mel,,x,B,1\n"));
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = cli.command();
    command.args(["import", "products", &bad, "--skip-bad", "--format", "csv"]);
    command.args(["--database", cli.data.name()]).stdout(writer).stderr(Stdio::piped());
    let ended: super::Ended = command.output().expect("ends").into();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(products(&cli), 1);
}
