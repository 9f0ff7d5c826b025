//! Worker processes of a fit (`--workers`), and fits that were killed (`--scratch`): the same bytes.

use crate::toy::{Toy, npy};
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// 17,000 instances in two views, of which passes are given away.
fn many(toy: &Toy) -> String {
    let n = 17_000;
    let value = |i: usize, j: usize| {
        ((i * 37 + j * 101) as f64 * 0.618).sin() + 0.8 * ((i % 2) * (j % 2)) as f64
    };
    let table = |from: usize| -> Vec<Vec<f64>> {
        (0..n).map(|i| (from..from + 3).map(|j| value(i, j)).collect()).collect()
    };
    toy.write("a.npy", &npy(&table(0)));
    toy.write("b.npy", &npy(&table(7)));
    let labels: Vec<String> = (0..n).map(|i| (i % 2).to_string()).collect();
    toy.write("z.csv", format!("class\n{}\n", labels.join("\n")).as_bytes());
    "fit --view a=a.npy --view b=b.npy --labels z.csv --kernel gaussian:sigma=median*2^-2..1 \
     --method simple_mkl --set tol=1e-6 --machine squared_hinge_svc --c 0.1 --storage nystroem:rank=60"
        .to_string()
}

/// The model without what the clock and interruptions leave in it.
fn model(toy: &Toy, file: &str) -> serde_json::Value {
    let mut json = toy.json(&format!("inspect {file}"));
    let report = &mut json["report"];
    assert_eq!(report["status"], "converged");
    report["seconds"] = 0.into();
    report["notes"] = serde_json::Value::Null;
    let predicted = format!("predict {file} --view a=a.npy --view b=b.npy -o p.csv");
    toy.json(&predicted);
    serde_json::json!([json, toy.read("p.csv")])
}

fn start(toy: &Toy, args: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_cokernel"))
        .args(args.split_whitespace())
        .current_dir(toy.path("."))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Processes whose parent is this one.
#[cfg(target_os = "linux")]
fn children(of: u32) -> Vec<u32> {
    let parent = |stat: &str| -> Option<u32> {
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    };
    let own = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let id: u32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        (parent(&stat)? == of).then_some(id)
    });
    own.collect()
}

#[test]
#[cfg(target_os = "linux")]
fn workers_may_be_killed_at_any_moment() {
    let toy = Toy::new();
    let fit = many(&toy);
    toy.json(&format!("{fit} -o alone.ck"));
    let alone = model(&toy, "alone.ck");
    toy.json(&format!("{fit} --workers 2 -o two.ck --scratch s"));
    assert_eq!(alone, model(&toy, "two.ck"));
    assert_eq!(fs::read_dir(toy.path("s")).unwrap().count(), 0, "something is left");
    let (mut killed, mut round) = (0, 0_u64);
    while killed < 20 {
        assert!(round < 40, "{killed} workers were killed");
        let file = format!("killed{round}.ck");
        let mut child =
            start(&toy, &format!("{fit} --workers 2 --threads 2 --scratch s -o {file}"));
        let mut wait = 7 + 13 * round;
        while child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(wait));
            wait = wait * 3 % 197 + 20;
            if let Some(worker) = children(child.id()).into_iter().next() {
                let worker = worker.to_string();
                let done =
                    Command::new("kill").args(["-9", &worker]).stderr(Stdio::null()).status();
                killed += usize::from(done.unwrap().success());
            }
        }
        assert_eq!(alone, model(&toy, &file), "round {round}");
        round += 1;
    }
}

#[test]
fn a_killed_fit_goes_on() {
    let toy = Toy::new();
    let fit = many(&toy);
    toy.json(&format!("{fit} -o alone.ck"));
    let alone = model(&toy, "alone.ck");
    for (flags, wait) in [("", 150), ("--workers 2", 400)] {
        let mut kills = 0;
        loop {
            let mut child = start(&toy, &format!("{fit} {flags} --scratch s -o again.ck"));
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_millis(wait + 400 * kills)
                && child.try_wait().unwrap().is_none()
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            if child.try_wait().unwrap().is_some() {
                break;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
        }
        assert!(kills > 0, "{flags}: never killed");
        assert_eq!(alone, model(&toy, "again.ck"), "{flags}, killed {kills} times");
        assert_eq!(fs::read_dir(toy.path("s")).unwrap().count(), 0, "{flags}: something is left");
    }
}

/// The limit of the size of files stands for a full disk.
#[test]
#[cfg(unix)]
fn a_full_disk_is_a_sentence_and_nothing_is_lost() {
    let toy = Toy::new();
    let fit = many(&toy);
    toy.json(&format!("{fit} -o alone.ck"));
    let alone = model(&toy, "alone.ck");
    // Blocks of 512 bytes, or of 1,024: less than the state, and than the rows of a view.
    for (flags, blocks, file) in [("", 8, "state"), ("--workers 2", 300, "view-0.dense")] {
        let limited = format!(
            "trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" {fit} {flags} --scratch s -o m.ck"
        );
        let mut command = Command::new("sh");
        command.args(["-c", &limited]).arg(env!("CARGO_BIN_EXE_cokernel"));
        let done = command.current_dir(toy.path("")).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(1), "{said}");
        assert!(said.contains(&format!("{file}: ")) && said.contains("make room there"), "{said}");
        assert!(!toy.path("m.ck").exists());
        toy.json(&format!("{fit} {flags} --scratch s -o again.ck"));
        assert_eq!(alone, model(&toy, "again.ck"), "{flags}");
        assert_eq!(fs::read_dir(toy.path("s")).unwrap().count(), 0, "{flags}: something is left");
    }
}

#[test]
fn what_workers_are_not_for_is_said() {
    let toy = Toy::new();
    let data = crate::toy::DATA;
    let said = toy.refusal(&format!("fit {data} --workers 2"), 2);
    assert!(said.contains("workers") && said.contains("nystroem"), "{said}");
    let said = toy.refusal(&format!("fit {data} --storage nystroem:rank=20 --workers 0"), 2);
    assert!(said.contains("expected 1 to"), "{said}");
    toy.write("file", b"");
    let said = toy.refusal(&format!("fit {data} --storage nystroem:rank=20 --scratch file"), 1);
    assert!(said.contains("file"), "{said}");
}
