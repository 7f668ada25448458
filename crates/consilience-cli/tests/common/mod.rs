//! Drives the real binary.

// each test program uses a part of this
#![allow(dead_code, unreachable_pub)]

use std::path::PathBuf;
use std::process::{Command, Output};

/// A folder of its own for each test, where the binary runs.
pub struct Workplace {
    folder: tempfile::TempDir,
}

impl Workplace {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file for the binary to read.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path(name), content).unwrap();
        self
    }

    /// Two small views of 30 samples in three clear clusters, with labels beside them.
    pub fn with_views(self) -> Self {
        let (mut a, mut b, mut labels) = ("width,height\n".to_owned(), "p,q,r\n".to_owned(), String::new());
        for i in 0..30_usize {
            let (class, wobble) = (i % 3, (i * 7 % 10) as f64 / 20.0);
            a += &format!("{},{}\n", 10.0 * class as f64 + wobble, wobble - 5.0 * class as f64);
            b += &format!("{},{},{}\n", class as f64 * 8.0 - wobble, wobble, wobble * 0.5 + class as f64);
            labels += &format!("{}\n", ["red", "green", "blue"][class]);
        }
        self.file("a.csv", a).file("b.csv", b).file("truth.txt", labels);
        self
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_consilience"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env("COLUMNS", "100")
            .output()
            .unwrap()
    }

    /// Exit code, stdout and stderr in one text, for snapshots.
    pub fn talk(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let code = output.status.code().unwrap();
        format!("exit {code}\n--- stdout\n{}--- stderr\n{}", text(&output.stdout), text(&output.stderr))
    }

    /// Stdout as JSON, of a run that must succeed.
    pub fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let output = self.run(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

pub fn shell(place: &Workplace, script: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_consilience");
    let script = script.replace("consilience", program);
    Command::new("bash").args(["-c", &script]).current_dir(place.path("")).output().unwrap()
}

/// What a program said.
pub fn words(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
