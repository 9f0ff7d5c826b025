//! Kernels in files (`--storage mapped:DIR`): the same answers, runs that are killed, side by side and on a full disk.

use crate::toy::{DATA, Toy, npy};
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const KERNELS: &str = "--kernel gaussian:sigma=median*2^-1..1 --kernel linear";

/// What was learned, without what differs from run to run.
fn learned(mut json: Value) -> Value {
    let report = &mut json["model"]["report"];
    report["seconds"] = 0.into();
    report["notes"] = Value::Null;
    json["model"].take()
}

#[test]
fn commands_give_the_answers_of_memory() {
    let toy = Toy::new();
    for (kept, file) in [("resident", "mapped:k"), ("resident_f32", "mapped_f32:k")] {
        let fit = |storage| learned(toy.json(&format!("fit {DATA} {KERNELS} --storage {storage}")));
        assert_eq!(fit(kept), fit(file));
        let evaluated =
            |storage| toy.json(&format!("evaluate {DATA} {KERNELS} --folds 2 --storage {storage}"));
        let want = without_seconds(evaluated(kept));
        assert!(want.to_string().len() > 200);
        assert_eq!(want, without_seconds(evaluated(file)));
    }
    let table = |storage| {
        let flags = "--methods simple_mkl,mean --folds 2 --seed 3 --threads 2";
        toy.json(&format!("compare {DATA} {KERNELS} {flags} --storage {storage}"))
    };
    assert_eq!(without_seconds(table("resident")), without_seconds(table("mapped:k")));
    let clusters = |storage| {
        let views = "--view a=a.csv --view b=b.npy -k 3 --method co_regularized";
        toy.json(&format!("cluster {views} --storage {storage} -o c.csv"));
        toy.read("c.csv")
    };
    assert_eq!(clusters("resident"), clusters("mapped:k"));
}

/// All numbers but those of the clock.
fn without_seconds(mut json: Value) -> Value {
    match &mut json {
        Value::Object(map) => {
            map.retain(|name, _| !name.contains("seconds"));
            map.values_mut().for_each(|v| *v = without_seconds(v.take()));
        }
        Value::Array(all) => all.iter_mut().for_each(|v| *v = without_seconds(v.take())),
        _ => {}
    }
    json
}

#[test]
fn a_directory_is_asked_for() {
    let toy = Toy::new();
    let said = toy.refusal(&format!("fit {DATA} --storage mapped"), 2);
    assert!(said.contains("--storage") && said.contains("such as mapped:kernels"), "{said}");
    let said = toy.refusal(&format!("fit {DATA} --storage maped:k"), 2);
    assert!(said.contains("did you mean 'mapped'"), "{said}");
    let said = toy.refusal(&format!("fit {DATA} --storage mapped:y.csv"), 1);
    assert!(said.contains("y.csv"), "{said}");
}

/// 1,200 instances with 800 features, whose Laplacian kernels take a while: 55 tiles of 9 kernels.
fn wide(toy: &Toy) -> String {
    let n = 1_200;
    let value = |i: usize, j: usize| ((i * 37 + j * 101) as f64 * 0.618).sin() + (i % 2) as f64;
    let rows: Vec<Vec<f64>> = (0..n).map(|i| (0..800).map(|j| value(i, j)).collect()).collect();
    toy.write("x.npy", &npy(&rows));
    let labels: Vec<String> = (0..n).map(|i| (i % 2).to_string()).collect();
    toy.write("z.csv", format!("class\n{}\n", labels.join("\n")).as_bytes());
    "fit --view x=x.npy --labels z.csv --method mean --kernel laplacian:scale=median*2^-4..4"
        .to_string()
}

const TILES: usize = 55;
const TILE: usize = 120 * 120 * 9 * 8;

/// The file of kernels, once there is one.
fn file(toy: &Toy) -> Option<Vec<u8>> {
    let mut all = fs::read_dir(toy.path("k")).ok()?;
    let path = all.next()?.unwrap().path();
    assert!(all.next().is_none(), "one file");
    Some(fs::read(path).unwrap())
}

/// How many tiles a file says it has.
fn there(file: &[u8]) -> usize {
    let table = file.get(4_096..).unwrap_or_default();
    table.chunks_exact(8).take(TILES).filter(|entry| entry[4] == 1).count()
}

fn start(toy: &Toy, arguments: &str) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("cokernel"));
    command.current_dir(toy.path("")).args(arguments.split_whitespace()).arg("--json");
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn notes(json: &Value) -> String {
    json["model"]["report"]["notes"].to_string()
}

/// How many tiles the file under `k` says it has: its head is read, nothing else.
fn there_now(toy: &Toy) -> usize {
    let Some(Ok(entry)) = fs::read_dir(toy.path("k")).ok().and_then(|mut all| all.next()) else {
        return 0;
    };
    let mut head = Vec::new();
    let Ok(file) = fs::File::open(entry.path()) else { return 0 };
    file.take(4_096 + 8 * TILES as u64).read_to_end(&mut head).unwrap();
    there(&head)
}

/// Starts the fit and kills it once at least `least` tiles are there; how many there were. A fit that was done before
/// the signal reached it (where the machine had no time for this test) is begun again from the `kept` tiles.
fn killed(toy: &Toy, fit: &str, least: usize, kept: usize) -> usize {
    let before = (kept > 0).then(|| file(toy).unwrap());
    for _ in 0..20 {
        let mut child = start(toy, &format!("{fit} --storage mapped:k --threads 1"));
        let clock = Instant::now();
        while there_now(toy) < least {
            assert!(clock.elapsed() < Duration::from_secs(120), "tiles are written");
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let now = there_now(toy);
        assert!(now >= kept.max(least), "{now} tiles after {kept}");
        if now < TILES {
            return now;
        }
        let path = fs::read_dir(toy.path("k")).unwrap().next().unwrap().unwrap().path();
        fs::remove_file(&path).unwrap();
        before.iter().for_each(|bytes| fs::write(&path, bytes).unwrap());
    }
    panic!("the fit was done before it could be killed, twenty times");
}

#[test]
fn a_run_that_was_killed_goes_on() {
    let toy = Toy::new();
    let fit = wide(&toy);
    let wanted = learned(toy.json(&format!("{fit} --storage resident")));
    let first = killed(&toy, &fit, 2, 0);
    let kept = if first < 40 { killed(&toy, &fit, first + 5, first) } else { first };
    let json = toy.json(&format!("{fit} --storage mapped:k"));
    assert!(
        notes(&json).contains(&format!("{kept} of {TILES} tiles were there")),
        "{}",
        notes(&json)
    );
    assert_eq!(learned(json), wanted);
    // The same bytes as in one go.
    let pieced = file(&toy).unwrap();
    fs::remove_dir_all(toy.path("k")).unwrap();
    toy.json(&format!("{fit} --storage mapped:k"));
    assert!(file(&toy).unwrap() == pieced);
    assert_eq!(there(&pieced), TILES);
}

#[test]
fn two_programs_share_one_file() {
    let toy = Toy::new();
    let fit = wide(&toy);
    let wanted = learned(toy.json(&format!("{fit} --storage resident -o r.ck")));
    let both = ["1", "2"].map(|i| start(&toy, &format!("{fit} --storage mapped:k -o m{i}.ck")));
    for child in both {
        let done = child.wait_with_output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        assert_eq!(learned(serde_json::from_slice(&done.stdout).unwrap()), wanted);
    }
    assert_eq!(there(&file(&toy).unwrap()), TILES);
}

/// The limit of the size of files stands for a full disk.
#[test]
fn a_full_disk_is_a_sentence_and_nothing_is_lost() {
    let toy = Toy::new();
    let fit = wide(&toy);
    let program = assert_cmd::cargo::cargo_bin!("cokernel");
    // 20,000 blocks of 512 bytes, or of 1,024: nine or nineteen of the tiles.
    let limited =
        format!("trap '' XFSZ; ulimit -f 20000; exec \"$0\" {fit} --storage mapped:k --threads 1");
    let mut command = Command::new("sh");
    let done =
        command.args(["-c", &limited]).arg(program).current_dir(toy.path("")).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(1), "{said}");
    for part in [
        ".grams: ",
        "9 kernels over 1200 instances take 0.057 GB",
        "are written and stay",
        "mapped_f32",
    ] {
        assert!(said.contains(part), "{said}");
    }
    assert!(!toy.path("model.ck").exists());
    let before = file(&toy).unwrap();
    let kept = there(&before);
    assert!((5..TILES).contains(&kept) && before.len() >= kept * TILE, "{kept} tiles");
    let json = toy.json(&format!("{fit} --storage mapped:k"));
    assert!(
        notes(&json).contains(&format!("{kept} of {TILES} tiles were there")),
        "{}",
        notes(&json)
    );
    assert_eq!(learned(json), learned(toy.json(&format!("{fit} --storage resident"))));
}
