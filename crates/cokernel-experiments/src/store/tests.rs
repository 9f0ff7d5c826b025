use super::*;
use crate::place_of;
use crate::{Done, collect, work};
use cokernel::Run;
use std::collections::HashSet;

const TEXT: &str = r#"
title = "Small"
[data]
kind = "toy"
generator = "gaussian_classes"
n = 36
params = { distance = 2.0 }
[protocol]
folds = 3
scores = ["accuracy"]
seed = 5
[[rows]]
label = "mean"
method = "mean"
grid = { c = [0.1, 1.0] }
pick = "best"
[[rows]]
label = "product"
method = "product"
"#;

/// Everything that a table is made of; the outcome is the same whenever it was computed.
#[derive(Debug, PartialEq)]
struct Tables {
    text: String,
    outcome: serde_json::Value,
    counts: Counts,
}

struct Made {
    folder: tempfile::TempDir,
    spec: Specification,
    plan: Experiment,
    cells: Vec<Cell>,
}

fn made() -> Made {
    let (place, id) = ("small.toml".to_string(), "small".to_string());
    let spec = Specification { place, id, text: TEXT.to_string(), base: PathBuf::from(".") };
    let plan = spec.parse().unwrap();
    let cells = plan.cells(None, 5).unwrap();
    Made { folder: tempfile::tempdir().unwrap(), spec, plan, cells }
}

impl Made {
    fn path(&self) -> PathBuf {
        self.folder.path().join("small.sqlite")
    }

    /// As `cokernel run` opens it.
    fn prepared(&self) -> Result<(Store, Vec<String>)> {
        Store::prepare(&self.path(), &self.spec, &self.plan, &self.cells, 5, false)
    }

    fn work(&self, store: &mut Store) {
        let run = Run::with_seed(5);
        work(store, &self.plan, &self.cells, None, None, &run, &mut |_, _| {}).unwrap();
    }

    /// As `cokernel report` reads it.
    fn tables(&self) -> Result<Tables> {
        let store = Store::open(&self.path())?;
        let about = store.about()?;
        let plan = about.specification.parse()?;
        let cells = store.cells(&plan)?;
        let kept = store.sound_results(&plan, &cells)?;
        let mut text = format!("{} {}\n", about.seed, about.specification.text);
        for (i, k) in &kept {
            let measured = serde_json::to_string(&k.measured)?;
            text.push_str(&format!("{i} {} {:?} {measured}\n", cells[*i].id, k.spent));
        }
        let results = kept.into_iter().map(|(i, k)| (i, k.measured)).collect();
        let done = Done { cells: &cells, results: &results, seed: about.seed };
        let mut outcome = serde_json::to_value(&collect(&plan, &done, None, 0.0)[0].outcome)?;
        without_times(&mut outcome);
        Ok(Tables { text, outcome, counts: store.counts()? })
    }
}

fn without_times(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(map) => {
            map.remove("seconds");
            map.values_mut().for_each(without_times);
        }
        serde_json::Value::Array(list) => list.iter_mut().for_each(without_times),
        _ => {}
    }
}

/// Before, rows had a checksum of the result alone: a bit in the name of a cell made its result
/// vanish from the means, and one in the specification or the seed was not seen.
#[test]
fn no_flipped_bit_changes_a_table_silently() {
    let made = made();
    let (mut store, _) = made.prepared().unwrap();
    made.work(&mut store);
    drop(store);
    let whole = std::fs::read(made.path()).unwrap();
    let expected = made.tables().unwrap();
    assert_eq!((expected.counts.done, expected.counts.all()), (9, 9));
    let found = |needle: &[u8]| -> Vec<usize> {
        whole.windows(needle.len()).enumerate().filter(|w| w.1 == needle).map(|w| w.0).collect()
    };
    // Places that decide: names of cells, decisions, scores, seeds, states, checksums, title.
    let mut places: Vec<usize> = Vec::new();
    for needle in [
        made.cells[0].id.as_bytes(),
        made.cells[8].id.as_bytes(),
        b"\"accuracy\":[0.",
        b"\"decided_by",
        b"\"seed\":5",
        b"\"version\"",
        b"done",
        b"cells",
        b"distance = 2.0",
        b"folds = 3",
        b"seed = 5",
        b"checksum",
    ] {
        places.extend(found(needle).iter().flat_map(|p| (0..needle.len() + 4).map(move |i| p + i)));
    }
    let mut state = 88172645463325252_u64;
    let mut next = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    let (mut refused, mut mended, mut harmless) = (0, 0, 0);
    for round in 0..400 {
        let at = if round % 2 == 0 { places[next(places.len())] } else { next(whole.len()) };
        let bit = next(8);
        let mut bytes = whole.clone();
        bytes[at.min(whole.len() - 1)] ^= 1 << bit;
        std::fs::write(made.path(), &bytes).unwrap();
        match made.tables() {
            Ok(found) => {
                assert_eq!(found, expected, "byte {at}, bit {bit}");
                harmless += 1;
            }
            Err(e) => {
                assert!(!crate::misuse::one_line(&e).is_empty());
                refused += 1;
                // Running again makes it whole, or refuses it, too; nothing is left out.
                if let Ok((mut store, told)) = made.prepared() {
                    assert!(!told.is_empty(), "byte {at}, bit {bit}: {e}");
                    made.work(&mut store);
                    drop(store);
                    let found = made.tables().unwrap();
                    assert_eq!(found.outcome, expected.outcome, "byte {at}, bit {bit}");
                    assert_eq!(found.counts, expected.counts);
                    mended += 1;
                }
            }
        }
        for ending in ["-wal", "-shm"] {
            // Where the store was refused, they are there.
            let _ = std::fs::remove_file(made.folder.path().join(format!("small.sqlite{ending}")));
        }
    }
    assert!(refused > 100 && mended > 30 && harmless > 30, "{refused} {mended} {harmless}");
}

#[test]
fn a_lost_result_is_computed_again_and_named() {
    let made = made();
    let (mut store, told) = made.prepared().unwrap();
    assert!(told.is_empty());
    made.work(&mut store);
    let expected = made.tables().unwrap();
    let id = &made.cells[4].id;
    let sql = "UPDATE results SET cell = 'f' || cell WHERE cell = ?1";
    assert_eq!(store.connection.execute(sql, [id]).unwrap(), 1);
    assert_eq!(store.counts().unwrap(), Counts { waiting: 1, done: 8, ..Counts::default() });
    let name = place_of(&made.plan, &made.cells[4]);
    let said = made.tables().unwrap_err().to_string();
    assert!(said.contains("1 result is not as it was written") && said.contains(&name), "{said}");
    drop(store);
    let (mut store, told) = made.prepared().unwrap();
    assert!(told.len() == 1 && told[0].starts_with(&name), "{told:?}");
    made.work(&mut store);
    let found = made.tables().unwrap();
    assert_eq!((found.outcome, found.counts), (expected.outcome, expected.counts));
}

#[test]
fn a_store_of_format_1_is_brought_to_this_one() {
    let made = made();
    let (mut store, _) = made.prepared().unwrap();
    made.work(&mut store);
    let expected = made.tables().unwrap();
    // As format 1 was: a checksum of the result alone.
    let old = |text: &str| {
        use sha2::{Digest, Sha256};
        crate::hexadecimal(&Sha256::digest(text.as_bytes())[..8])
    };
    let results: Vec<(String, String)> = {
        let mut all = store.connection.prepare("SELECT cell, result FROM results").unwrap();
        let rows = all.query_map([], |r| Ok((r.get(0)?, r.get(1)?))).unwrap();
        rows.collect::<rusqlite::Result<_>>().unwrap()
    };
    for (i, (cell, result)) in results.iter().enumerate() {
        let sum = if i == 3 { old("other") } else { old(result) };
        let sql = "UPDATE results SET checksum = ?2 WHERE cell = ?1";
        store.connection.execute(sql, [cell, &sum]).unwrap();
    }
    let sql = "ALTER TABLE cells DROP COLUMN lost; DELETE FROM about WHERE key = 'checksum'; \
               PRAGMA user_version = 1";
    store.connection.execute_batch(sql).unwrap();
    drop(store);
    let said = made.tables().unwrap_err().to_string();
    assert!(said.contains("1 result is not as it was written"), "{said}");
    let (mut store, told) = made.prepared().unwrap();
    assert_eq!(told.len(), 1, "{told:?}");
    made.work(&mut store);
    let found = made.tables().unwrap();
    assert_eq!((found.outcome, found.counts), (expected.outcome, expected.counts));
}

#[test]
fn a_cell_that_ends_its_process_is_set_aside() {
    let made = made();
    let (mut store, _) = made.prepared().unwrap();
    let pid = std::process::id();
    let claim = |store: &mut Store| {
        let worker = store.enter().unwrap();
        match store.claim(&worker, None).unwrap() {
            Claim::Cell(id) => (worker, id),
            other => panic!("{other:?}"),
        }
    };
    let bad = made.cells[0].id.clone();
    // Once, and again: it is the first that waits.
    let (_first, id) = claim(&mut store);
    assert_eq!(id, bad);
    assert!(store.crashed(pid, "ended with signal 9").unwrap());
    assert_eq!(store.counts().unwrap().waiting, 9);
    let (_second, id) = claim(&mut store);
    assert_eq!(id, bad);
    assert!(store.crashed(pid, "ended with signal 9").unwrap());
    let troubles = store.troubles().unwrap();
    assert_eq!(troubles.len(), 1);
    assert!(troubles[0].error.contains("set aside: the process that computed it ended with"));
    assert!(!store.crashed(pid, "ended with signal 9").unwrap(), "it had no cell");
    // One that has vanished, its process killed and nobody told, computes nothing.
    let _third = claim(&mut store);
    assert_eq!(store.counts().unwrap().running, 1);
    store.connection.execute("UPDATE workers SET began = 1, seen = 0", []).unwrap();
    assert_eq!((store.counts().unwrap().running, store.counts().unwrap().waiting), (0, 8));
    // All others are tried.
    made.work(&mut store);
    let counts = store.counts().unwrap();
    assert_eq!((counts.done, counts.failed), (8, 1));
    assert_eq!(store.again("failed").unwrap(), 1);
    made.work(&mut store);
    assert_eq!(store.counts().unwrap().done, 9);
}

#[test]
fn a_cell_whose_workers_vanished_is_tried_after_the_others() {
    let made = made();
    let (mut store, _) = made.prepared().unwrap();
    let bad = &made.cells[0].id;
    store.connection.execute("UPDATE cells SET lost = 2 WHERE id = ?1", [bad]).unwrap();
    let worker = store.enter().unwrap();
    let mut order = Vec::new();
    while let Claim::Cell(id) = store.claim(&worker, order.last().map(String::as_str)).unwrap() {
        order.push(id);
    }
    assert_eq!(order.len(), 9);
    assert_eq!(order.last(), Some(bad));
    assert_eq!(order.iter().collect::<HashSet<_>>().len(), 9);
}

#[cfg(target_os = "linux")]
#[test]
fn leftovers_of_dead_processes_are_cleared() {
    let made = made();
    let mut child = std::process::Command::new("true").spawn().unwrap();
    let dead = child.id();
    child.wait().unwrap();
    let put = |pid: u32, ending: &str| {
        let path = made.folder.path().join(format!(".small.sqlite.{pid}.{ending}"));
        std::fs::write(&path, b"half").unwrap();
        path
    };
    let parent = std::os::unix::process::parent_id();
    let gone =
        [put(dead, "new"), put(dead, "new-wal"), put(dead, "new-shm"), put(dead, "new-journal")];
    let kept = [put(parent, "new"), put(dead, "news"), put(dead, "old")];
    made.prepared().unwrap();
    assert!(gone.iter().all(|p| !p.exists()) && kept.iter().all(|p| p.exists()));
}

/// What was computed by another version is shown as it is, and never mixed with results of this one.
#[test]
fn a_store_of_another_version_is_read_and_refused_with_the_way_out() {
    let mut made = made();
    let now = made.cells.clone();
    for cell in &mut made.cells {
        cell.decided_by = cell.decided_by.replacen(cokernel::VERSION, "0.0.9", 1);
        cell.id = crate::id_of(&cell.decided_by);
    }
    let (mut store, _) = made.prepared().unwrap();
    made.work(&mut store);
    let sql = "UPDATE about SET value = '0.0.9' WHERE key = 'version'";
    store.connection.execute(sql, []).unwrap();
    let sum = about_sum(&about_pairs(&store.connection).unwrap());
    let sql = "UPDATE about SET value = ?1 WHERE key = 'checksum'";
    store.connection.execute(sql, [sum]).unwrap();
    drop(store);
    let read = made.tables().unwrap();
    assert_eq!(read.counts.done, 9);
    made.cells = now;
    let said = made.prepared().err().unwrap().to_string();
    let version = format!("they are of version 0.0.9, this is {}", cokernel::VERSION);
    assert!(said.contains(&version), "{said}");
    assert!(said.contains("Name another file with --store; or --update it"), "{said}");
    assert_eq!(made.tables().unwrap(), read, "it is left as it is");
    let updated = Store::prepare(&made.path(), &made.spec, &made.plan, &made.cells, 5, true);
    let counts = updated.unwrap().0.counts().unwrap();
    assert_eq!((counts.waiting, counts.done), (9, 0), "no result of the other version is taken");
}

impl Made {
    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A store of its own for a part of the cells, computed.
    fn part(&self, shard: &str) -> PathBuf {
        let path = self.file(&format!("{}.sqlite", shard.replace('/', "-")));
        let mut store =
            Store::prepare(&path, &self.spec, &self.plan, &self.cells, 5, false).unwrap().0;
        let shard: Shard = shard.parse().unwrap();
        store.restrict(&shard.ids(&self.plan, &self.cells)).unwrap();
        self.work(&mut store);
        assert_eq!(store.counts().unwrap().done, store.counts().unwrap().all());
        path
    }
}

#[test]
fn parts_have_every_cell_once() {
    let made = made();
    let all: HashSet<&str> = made.cells.iter().map(|c| c.id.as_str()).collect();
    for of in 1..=12_usize {
        let mut seen = HashSet::new();
        for number in 1..=of {
            let shard: Shard = format!("{number}/{of}").parse().unwrap();
            let ids = shard.ids(&made.plan, &made.cells);
            // Three folds of three cells each; single cells where there are more parts than folds.
            let groups = |k: usize| (3 - (number - 1).min(3)).div_ceil(of) * k;
            let size = if of <= 3 { groups(3) } else { (9 - (number - 1).min(9)).div_ceil(of) };
            assert_eq!(ids.len(), size, "{shard}");
            ids.into_iter().for_each(|id| assert!(seen.insert(id), "{id} is in two parts"));
        }
        assert_eq!(seen, all);
    }
    for wrong in ["0/3", "4/3", "3", "a/b", "1/0", "-1/2", "1/2/3"] {
        let said = wrong.parse::<Shard>().unwrap_err().to_string();
        assert!(said.contains(wrong) && said.contains("such as 3/16"), "{said}");
    }
}

#[test]
fn parts_are_joined_to_the_store_of_one_run() {
    let made = made();
    let (mut store, _) = made.prepared().unwrap();
    made.work(&mut store);
    drop(store);
    let measured = |path: &Path| -> Vec<serde_json::Value> {
        let store = Store::open(path).unwrap();
        let cells = store.cells(&made.plan).unwrap();
        let kept = store.sound_results(&made.plan, &cells).unwrap();
        let mut all: Vec<_> =
            kept.values().map(|k| serde_json::to_value(&k.measured).unwrap()).collect();
        all.iter_mut().for_each(without_times);
        all
    };
    let whole = measured(&made.path());
    let into = made.file("joined.sqlite");
    let mut parts: Vec<PathBuf> = ["1/4", "2/4", "3/4", "4/4"].map(|s| made.part(s)).to_vec();
    let last = parts.pop().unwrap();
    let found = merge(&parts, &into).unwrap();
    assert_eq!((found.stores, found.added, found.again), (3, 7, 0));
    assert_eq!((found.counts.done, found.counts.waiting), (7, 2));
    // A store that has what a part has is not joined with it, but after it.
    let both = [last.clone(), made.path()];
    let said = merge(&both, &made.file("refused.sqlite")).unwrap_err().to_string();
    assert!(said.contains("4-4.sqlite and ") && said.contains("both have a result"), "{said}");
    assert!(!made.file("refused.sqlite").exists());
    // The last one comes later, with one that is there already, and itself twice.
    let found = merge(&[last.clone(), parts[0].clone(), last], &into).unwrap();
    assert_eq!((found.stores, found.added, found.again), (3, 2, 3));
    assert_eq!((found.counts.done, found.counts.all()), (9, 9));
    assert_eq!(measured(&into), whole);
    // The same results of another run are fine.
    let found = merge(&[made.path()], &into).unwrap();
    assert_eq!((found.added, found.again), (0, 9));
}

#[test]
fn what_does_not_fit_together_is_refused_and_nothing_is_written() {
    let made = made();
    let (one, two) = (made.part("1/2"), made.part("2/2"));
    let into = made.file("joined.sqlite");
    let refused = |stores: &[&PathBuf], parts: &[&str]| {
        let stores: Vec<PathBuf> = stores.iter().map(|p| (*p).clone()).collect();
        let said = format!("{:#}", merge(&stores, &into).unwrap_err());
        for part in parts {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert!(!into.exists());
    };
    // Another seed, another specification.
    for (text, seed, why) in [
        (TEXT.to_string(), 6, "seed 5 there, 6 here"),
        (TEXT.replace("1.0]", "2.0]"), 5, "line 15 of the specification differs"),
    ] {
        let path = made.file(&format!("other-{seed}.sqlite"));
        let spec = Specification { text, ..made.spec.clone() };
        let plan = spec.parse().unwrap();
        let cells = plan.cells(None, seed).unwrap();
        Store::prepare(&path, &spec, &plan, &cells, seed, false).unwrap();
        refused(&[&one, &path], &["other-", "1-2.sqlite", why]);
    }
    refused(&[&one, &made.file("none.sqlite")], &["there is no store"]);
    // A result that is sound, and another one.
    let copy = made.file("copy.sqlite");
    std::fs::copy(&one, &copy).unwrap();
    let mut store = Store::open(&copy).unwrap();
    let mut row = None;
    verify::each_result(&store.connection, |_, r| row = r).unwrap();
    let mut row = row.unwrap();
    row.result =
        row.result.replace("\"converged\"", "\"stalled\"").replace("closed_form", "stalled");
    store.transaction(|t| Ok(row.write(t)?)).unwrap();
    drop(store);
    let cell = made.cells.iter().find(|c| c.id == row.cell).unwrap();
    let name = place_of(&made.plan, cell);
    refused(
        &[&one, &two, &copy],
        &[&name, "1-2.sqlite", "copy.sqlite", "different results of this cell"],
    );
    // A result that is not as it was written.
    let store = Store::open(&copy).unwrap();
    store
        .connection
        .execute("UPDATE results SET seconds = seconds + 1 WHERE cell = ?1", [&row.cell])
        .unwrap();
    drop(store);
    refused(&[&two, &copy], &[&name, "copy.sqlite", "1 result is not as it was written"]);
    let found = merge(&[one, two], &into).unwrap();
    assert_eq!((found.counts.done, found.counts.all()), (9, 9));
}

/// Errors go along, and a result elsewhere counts more.
#[test]
fn errors_are_joined_where_there_is_no_result() {
    let made = made();
    let (one, two) = (made.part("1/2"), made.part("2/2"));
    let mut names = Vec::new();
    for path in [&one, &two] {
        let store = Store::open(path).unwrap();
        let sql = "UPDATE cells SET state = 'failed', error = 'no luck' WHERE id = \
                   (SELECT id FROM cells WHERE id NOT IN (SELECT cell FROM results) ORDER BY position LIMIT 1) \
                   RETURNING label";
        names.push(store.connection.query_row(sql, [], |r| r.get::<_, String>(0)).unwrap());
    }
    let into = made.file("first.sqlite");
    let found = merge(std::slice::from_ref(&one), &into).unwrap();
    assert_eq!((found.counts.failed, found.counts.waiting + found.counts.done), (1, 8));
    let troubles = Store::open(&into).unwrap().troubles().unwrap();
    assert_eq!((&troubles[0].label, troubles[0].error.as_str()), (&names[0], "no luck"));
    let found = merge(&[two], &into).unwrap();
    assert_eq!((found.counts.failed, found.counts.done), (0, 9));
}
