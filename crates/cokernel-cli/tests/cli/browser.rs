//! A headless Chromium, driven by its DevTools protocol over two named pipes.

use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The longest that an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The program, if there is one.
pub fn program() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let folders = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
    let all = names.iter().flat_map(|n| folders.iter().map(move |f| f.join(n)));
    all.into_iter().find(|p| p.is_file())
}

/// A running browser with one page.
pub struct Browser {
    child: Child,
    commands: File,
    answers: Receiver<Value>,
    session: Value,
    number: u64,
    /// Errors and warnings of the console, exceptions, and what was asked of a network.
    pub complaints: Vec<String>,
    _folder: tempfile::TempDir,
}

impl Browser {
    /// Starts the browser with an empty profile.
    pub fn start(program: &Path) -> Browser {
        let folder = tempfile::tempdir().unwrap();
        let pipes = ["in", "out"].map(|name| folder.path().join(name));
        assert!(Command::new("mkfifo").args(&pipes).status().unwrap().success());
        let script = "exec \"$0\" --headless --no-sandbox --disable-gpu --disable-quic \
                      --no-first-run --disable-background-networking --disable-component-update \
                      --disable-sync --disable-dev-shm-usage --hide-scrollbars \
                      --remote-debugging-pipe --user-data-dir=\"$3\" 3<\"$1\" 4>\"$2\"";
        let child = Command::new("sh")
            .args(["-c", script])
            .arg(program)
            .args(&pipes)
            .arg(folder.path().join("profile"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let commands = OpenOptions::new().write(true).open(&pipes[0]).unwrap();
        let out = File::open(&pipes[1]).unwrap();
        let (send, answers) = channel();
        std::thread::spawn(move || {
            let mut out = BufReader::new(out);
            let mut message = Vec::new();
            while out.read_until(0, &mut message).is_ok_and(|n| n > 0) {
                message.pop();
                let Ok(value) = serde_json::from_slice(&message) else { break };
                if send.send(value).is_err() {
                    break;
                }
                message.clear();
            }
        });
        let mut browser = Browser {
            child,
            commands,
            answers,
            session: Value::Null,
            number: 0,
            complaints: Vec::new(),
            _folder: folder,
        };
        let page = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let target = json!({ "targetId": page["targetId"], "flatten": true });
        browser.session = browser.call("Target.attachToTarget", target)["sessionId"].clone();
        for part in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{part}.enable"), json!({}));
        }
        browser
    }

    /// Calls a method and waits for its answer.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let mut command = json!({ "id": self.number, "method": method, "params": params });
        if !self.session.is_null() {
            command["sessionId"] = self.session.clone();
        }
        self.commands.write_all(command.to_string().as_bytes()).unwrap();
        self.commands.write_all(b"\0").unwrap();
        loop {
            let message = self.next(method);
            if message["id"] == self.number {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
        }
    }

    fn next(&mut self, what: &str) -> Value {
        let message = self.answers.recv_timeout(PATIENCE);
        let message = message.unwrap_or_else(|e| panic!("no answer to {what}: {e}"));
        let params = &message["params"];
        let complaint = match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => {
                ["error", "warning"].contains(&params["type"].as_str().unwrap())
            }
            Some("Log.entryAdded") => params["entry"]["level"] == "error",
            Some("Network.requestWillBeSent") => {
                let url = params["request"]["url"].as_str().unwrap();
                !(url.starts_with("file:") || url.starts_with("data:") || url.starts_with("about:"))
            }
            _ => false,
        };
        if complaint {
            self.complaints.push(message.to_string());
        }
        message
    }

    /// Shows a file in a window of this size and theme.
    pub fn open(&mut self, file: &Path, (width, height): (u32, u32), theme: &str) {
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
        });
        self.call("Emulation.setDeviceMetricsOverride", size);
        let theme = json!({ "features": [{ "name": "prefers-color-scheme", "value": theme }] });
        self.call("Emulation.setEmulatedMedia", theme);
        let url = format!("file://{}", file.display());
        self.call("Page.navigate", json!({ "url": url }));
        while self.next("load")["method"] != "Page.loadEventFired" {}
    }

    /// The value of an expression of JavaScript.
    pub fn ask(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", params);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Moves the pointer.
    pub fn point(&mut self, x: f64, y: f64) {
        let event = json!({ "type": "mouseMoved", "x": x, "y": y });
        self.call("Input.dispatchMouseEvent", event);
    }

    /// Presses and releases a key.
    pub fn key(&mut self, key: &str, code: u32, text: &str) {
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { text } else { "" };
            let event = json!({
                "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text,
            });
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// The whole page, as width, height and RGB or RGBA values with their number per pixel.
    pub fn picture(&mut self) -> (usize, usize, usize, Vec<u8>) {
        let params = json!({ "format": "png", "captureBeyondViewport": true });
        let answer = self.call("Page.captureScreenshot", params);
        let bytes = base64(answer["data"].as_str().unwrap());
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let channels = info.color_type.samples();
        (info.width as usize, info.height as usize, channels, pixels)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn base64(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        b'/' => 63,
        other => panic!("{other} is no letter of base 64"),
    };
    let letters: Vec<u32> = text.bytes().filter(|c| *c != b'=').map(value).collect();
    let mut out = Vec::new();
    for group in letters.chunks(4) {
        let bits = group.iter().fold(0, |a, v| a << 6 | v) << (6 * (4 - group.len()));
        out.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    out
}
