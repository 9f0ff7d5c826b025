//! Three classes seen by two views, and the program to run on them.

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Instances of the toy data.
pub const N: usize = 60;

/// A folder with `a.csv`, `b.npy`, `y.csv` and their variants.
pub struct Toy {
    dir: TempDir,
}

impl Toy {
    /// Writes the files. View a tells class 0 from the others, view b class 1.
    pub fn new() -> Self {
        let toy = Toy { dir: tempfile::tempdir().unwrap() };
        let (a, b, y) = (view_a(), view_b(), labels());
        toy.write("a.csv", csv("x1,x2", &a).as_bytes());
        toy.write("b.npy", &npy(&b));
        toy.write("b.csv", csv("u,v,w", &b).as_bytes());
        toy.write("y.csv", format!("class\n{}\n", y.join("\n")).as_bytes());
        toy
    }

    /// The path of a file of the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file of the folder.
    pub fn write(&self, name: &str, content: &[u8]) {
        fs::write(self.path(name), content).unwrap();
    }

    /// Reads a text file of the folder.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program in this folder, with arguments separated by blanks.
    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("cokernel"));
        command.current_dir(self.dir.path()).args(arguments.split_whitespace());
        command
    }

    /// Runs the program.
    pub fn run(&self, arguments: &str) -> Assert {
        self.command(arguments).assert()
    }

    /// Runs the program, which must succeed; its standard output.
    pub fn output(&self, arguments: &str) -> String {
        String::from_utf8(self.run(arguments).success().get_output().stdout.clone()).unwrap()
    }

    /// Runs the program with `--json`; what it printed.
    pub fn json(&self, arguments: &str) -> Value {
        serde_json::from_str(&self.output(&format!("{arguments} --json"))).unwrap()
    }

    /// Runs the program, which must fail with this exit code; its error sentence.
    pub fn refusal(&self, arguments: &str, code: i32) -> String {
        let assert = self.run(arguments).code(code);
        let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert_eq!(said.lines().count(), 1, "one line: {said}");
        said.trim_end().to_string()
    }

    /// A JSON file of the folder.
    pub fn read_json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }
}

/// The usual flags.
pub const DATA: &str = "--view a=a.csv --view b=b.npy --labels y.csv";

/// Numbers in -0.5..0.5 that look random.
fn noise(i: usize, j: usize) -> f64 {
    let mut x = (i as u64 * 1_000_003 + j as u64 + 17).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x ^= x >> 29;
    x = x.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x ^= x >> 32;
    (x % 10_000) as f64 / 10_000.0 - 0.5
}

/// Class of instance i.
pub fn class(i: usize) -> usize {
    i % 3
}

/// `red`, `green` and `blue`.
pub fn labels() -> Vec<String> {
    (0..N).map(|i| ["red", "green", "blue"][class(i)].to_string()).collect()
}

/// 60 × 2; class 0 is apart.
pub fn view_a() -> Vec<Vec<f64>> {
    let shift = |i| if class(i) == 0 { 1.5 } else { 0.0 };
    (0..N).map(|i| (0..2).map(|j| noise(i, j) + shift(i)).collect()).collect()
}

/// 60 × 3; class 1 is apart.
pub fn view_b() -> Vec<Vec<f64>> {
    let shift = |i| if class(i) == 1 { 1.5 } else { 0.0 };
    (0..N).map(|i| (0..3).map(|j| noise(i, j + 10) + shift(i)).collect()).collect()
}

/// Comma-separated lines below a header.
pub fn csv(header: &str, rows: &[Vec<f64>]) -> String {
    let mut text = format!("{header}\n");
    for row in rows {
        let fields: Vec<String> = row.iter().map(f64::to_string).collect();
        text.push_str(&(fields.join(",") + "\n"));
    }
    text
}

/// A NumPy file, version 1.0, C order, little-endian f64.
pub fn npy(rows: &[Vec<f64>]) -> Vec<u8> {
    let shape = (rows.len(), rows[0].len());
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape:?}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(rows.iter().flatten().flat_map(|v| v.to_le_bytes()));
    bytes
}

/// The rows and cells of a CSV text without quotes.
pub fn cells(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|l| l.split(',').collect()).collect()
}

/// Whether a folder holds no temporary file.
pub fn is_clean(folder: &Path) -> bool {
    let names = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name());
    names.into_iter().all(|n| !n.to_string_lossy().contains(".tmp"))
}
