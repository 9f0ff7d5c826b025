//! Runs that are ended from outside, and places where nothing can be written.

use crate::run::{LEARN, ask, tables};
use crate::toy::Toy;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Cells of some seconds each.
fn slow() -> String {
    LEARN.replace("n = 120", "n = 900").replace("repeats = 2", "repeats = 40")
}

fn start(toy: &Toy, arguments: &str) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("cokernel"));
    command.current_dir(toy.path("")).args(arguments.split_whitespace());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn signal(name: &str, pid: u32) {
    let done = Command::new("kill").args([name, &pid.to_string()]).status();
    assert!(done.unwrap().success());
}

/// Processes with this word among their arguments, that work here.
fn processes(folder: &Path, word: &str) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let of = |entry: std::fs::DirEntry| -> Option<u32> {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let words = std::fs::read(entry.path().join("cmdline")).ok()?;
        let here = std::fs::read_link(entry.path().join("cwd")).ok()? == folder;
        let found = words.split(|b| *b == 0).any(|w| w == word.as_bytes());
        (here && found).then_some(pid)
    };
    all.filter_map(of).collect()
}

fn wait_until(what: &str, test: impl Fn() -> bool) {
    let clock = Instant::now();
    while !test() {
        assert!(clock.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn workers(toy: &Toy) -> Vec<u32> {
    processes(&std::fs::canonicalize(toy.path("")).unwrap(), "--worker-of")
}

fn running(toy: &Toy) -> i64 {
    match toy.path("exp.sqlite").is_file() {
        true => ask(toy, "exp.sqlite", "SELECT count(*) FROM cells WHERE state = 'running'"),
        false => 0,
    }
}

/// Before, only SIGINT was known: the others ended the caller, and its workers went on.
#[cfg(target_os = "linux")]
#[test]
fn workers_end_with_their_caller() {
    // Twice at once: to a process, and to its group, as `timeout` does.
    for (name, times, code) in [
        ("-TERM", 1, Some(130)),
        ("-TERM", 2, Some(130)),
        ("-HUP", 1, Some(130)),
        ("-INT", 1, Some(130)),
        ("-KILL", 1, None),
    ] {
        let toy = Toy::new();
        toy.write("exp.toml", slow().as_bytes());
        let child = start(&toy, "run exp.toml --workers 2 --threads 1");
        wait_until("two workers begin", || running(&toy) == 2);
        assert_eq!(workers(&toy).len(), 2);
        (0..times).for_each(|_| signal(name, child.id()));
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), code, "{name}: {}", String::from_utf8_lossy(&done.stderr));
        if code.is_some() {
            assert_eq!(running(&toy), 0, "{name}: cells are given back");
            assert!(String::from_utf8_lossy(&done.stdout).contains("waiting"), "{name}");
        }
        wait_until("the workers end", || workers(&toy).is_empty());
    }
}

/// `nohup` means that a run goes on after its terminal is gone.
#[test]
fn a_run_that_is_to_outlive_its_terminal_does() {
    let toy = Toy::new();
    toy.write("exp.toml", LEARN.as_bytes());
    let program = assert_cmd::cargo::cargo_bin!("cokernel");
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" run exp.toml"]).arg(program);
    let child = command.current_dir(toy.path("")).stdout(Stdio::piped()).spawn().unwrap();
    wait_until("it begins", || running(&toy) > 0);
    signal("-HUP", child.id());
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success(), "{:?}", done.status);
    assert!(String::from_utf8_lossy(&done.stdout).contains("70 cells: 70 done"));
}

/// Learning keeps what there is, too.
#[test]
fn a_long_comparison_that_is_terminated_writes_what_there_is() {
    let toy = Toy::new();
    toy.run("toy synthetic_2 --n 1500 --seed 1 --out d").success();
    for name in ["-TERM", "-HUP"] {
        let child =
            start(&toy, "compare --project d/cokernel.toml --task cluster -k 2 -o out.json");
        std::thread::sleep(Duration::from_millis(1500));
        signal(name, child.id());
        let done = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        // A fast machine may have been at its end.
        assert!(matches!(done.status.code(), Some(130 | 0)), "{name}: {:?} {said}", done.status);
    }
}

/// Before, a file of zeros was written.
#[test]
fn an_embedding_that_was_stopped_before_it_began_is_not_written() {
    let toy = Toy::new();
    for command in ["embed -k 3 --method kernel_cca", "cluster -k 3 --method kernel_cca"] {
        let files =
            "--view a=a.csv --view b=b.npy -o out.csv --model m.ck --time-limit 1e-9 --quiet";
        let said = toy.refusal(&format!("{command} {files}"), 1);
        assert!(said.contains("the embedding was stopped (time limit)"), "{said}");
        assert!(!toy.path("out.csv").exists() && !toy.path("m.ck").exists(), "{command}");
    }
}

/// Before, such a cell was claimed first by every worker and run, and no other one was tried.
#[cfg(target_os = "linux")]
#[test]
fn a_cell_that_ends_its_worker_twice_is_set_aside_and_the_others_go_on() {
    let toy = Toy::new();
    // The first row is slow, and whoever computes it is killed.
    let text = LEARN.replace("repeats = 2", "repeats = 1").replace(
        "[[rows]]\nlabel = \"view 0\"",
        "[[rows]]\nlabel = \"slow\"\nmethod = \"simple_mkl\"\nkernels = [\"gaussian:sigma=median*2^-20..20\"]\n\
         params = { tol = 1e-9 }\nviews = [\"view0\", \"view1\"]\n\n[[rows]]\nlabel = \"view 0\"",
    );
    toy.write("exp.toml", text.replace("n = 120", "n = 600").as_bytes());
    let child = start(&toy, "run exp.toml");
    for lost in 0..2 {
        let slow = format!(
            "SELECT count(*) FROM cells WHERE state = 'running' AND label LIKE '%slow%' \
             AND position = 0 AND lost = {lost}"
        );
        wait_until("the slow cell is computed", || {
            toy.path("exp.sqlite").is_file() && ask(&toy, "exp.sqlite", &slow) == 1
        });
        let all = workers(&toy);
        assert_eq!(all.len(), 1);
        signal("-KILL", all[0]);
        wait_until("it ends", || !workers(&toy).contains(&all[0]));
    }
    wait_until("it is set aside", || {
        ask(&toy, "exp.sqlite", "SELECT count(*) FROM cells WHERE state = 'failed'") == 1
    });
    wait_until("others are computed", || {
        ask(&toy, "exp.sqlite", "SELECT count(*) FROM results") > 0
    });
    signal("-INT", child.id());
    let done = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(
        said.contains("slow: set aside: the process that computed it ended with signal: 9"),
        "{said}"
    );
    assert_eq!(ask(&toy, "exp.sqlite", "SELECT max(claims) FROM cells"), 2);
}

/// Before, a store that was made where the room ended was malformed for ever.
#[test]
fn a_store_made_where_the_room_ends_is_whole_or_not_there() {
    let toy = Toy::new();
    toy.write("exp.toml", LEARN.as_bytes());
    toy.output("run exp.toml --store whole.sqlite");
    let expected = tables(&toy, "whole.sqlite");
    let program = assert_cmd::cargo::cargo_bin!("cokernel");
    let (mut refused, mut begun) = (0, 0);
    for blocks in [8, 64, 200, 300, 400, 600] {
        let mut command = Command::new("sh");
        let script = "trap '' XFSZ; ulimit -f $1; exec \"$0\" run exp.toml";
        command.args(["-c", script]).arg(program).arg(blocks.to_string());
        let done = command.current_dir(toy.path("")).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(!said.contains("damaged") && !said.contains("malformed"), "{blocks}: {said}");
        if !done.status.success() {
            assert!(
                said.contains("is the disk full") || said.contains("is full"),
                "{blocks}: {said}"
            );
        }
        if toy.path("exp.sqlite").exists() {
            begun += 1;
            toy.output("status exp.sqlite");
            toy.output("run exp.toml");
            assert_eq!(tables(&toy, "exp.sqlite"), expected, "{blocks}");
            for ending in ["", "-wal", "-shm"] {
                let _ = std::fs::remove_file(toy.path(&format!("exp.sqlite{ending}")));
            }
        } else {
            refused += 1;
            assert!(said.contains("cannot make the store exp.sqlite"), "{blocks}: {said}");
        }
    }
    assert!(refused > 0 && begun > 0, "{refused} {begun}");
}

/// Before, a thread could ask for its workspace when kernels had taken the room that was there for it at
/// the start (with caches of 260 MB, at 1,400 and 1,425 MB here), and the program was aborted.
#[cfg(target_os = "linux")]
#[test]
fn where_address_space_is_bounded_commands_end_with_a_sentence() {
    let toy = Toy::new();
    toy.output("toy synthetic_1 --n 5000 --out d");
    let program = assert_cmd::cargo::cargo_bin!("cokernel");
    for kilobytes in [300_000, 500_000, 1_375_000, 1_400_000, 1_425_000, 1_450_000] {
        let mut command = Command::new("sh");
        let script = "ulimit -v $1; exec \"$0\" fit --project d/cokernel.toml --method mean \
                      --kernel linear --threads 2 -o m.ck";
        command.args(["-c", script]).arg(program).arg(kilobytes.to_string());
        let done = command.current_dir(toy.path("")).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(matches!(done.status.code(), Some(0 | 1)), "{kilobytes}: {:?} {said}", done.status);
        let refused = said.contains("which is not there") || said.contains("ulimit -v");
        assert!(done.status.success() || refused, "{kilobytes}: {said}");
    }
}

/// Before, it was called damaged.
#[test]
fn a_store_that_cannot_be_written_is_read() {
    let toy = Toy::new();
    toy.write("exp.toml", LEARN.as_bytes());
    toy.output("run exp.toml");
    let open = |mode: &str, name: &str| {
        let path = toy.path(name);
        assert!(Command::new("chmod").arg(mode).arg(path).status().unwrap().success());
    };
    std::fs::create_dir(toy.path("locked")).unwrap();
    std::fs::copy(toy.path("exp.sqlite"), toy.path("locked/exp.sqlite")).unwrap();
    open("755", "");
    open("644", "exp.toml");
    open("444", "locked/exp.sqlite");
    open("555", "locked");
    // Nothing is locked for root.
    let root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let run = |arguments: &str| {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("cokernel"));
        command.current_dir(toy.path("")).args(arguments.split_whitespace());
        if root {
            command.uid(65534).gid(65534);
        }
        command.output()
    };
    let Ok(done) = run("status locked/exp.sqlite") else {
        eprintln!("skipped: another user cannot run the program here");
        return;
    };
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success() && said.contains("70 cells: 70 done"), "{done:?}");
    let done = run("run exp.toml --store locked/exp.sqlite").unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(said.contains("read-only") && !said.contains("damaged"), "{said}");
    assert_eq!(done.status.code(), Some(1), "{said}");
    open("755", "locked");
}
