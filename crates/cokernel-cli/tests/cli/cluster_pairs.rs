//! Clustering and embedding on kernels whose weights come from pairs.

use crate::toy::{N, Toy, labels};

const VIEWS: &str = "--view a=a.csv --view b=b.csv -k 3 --seed 3";

/// Neighbours in the file by their classes.
fn pairs(weight: &str) -> String {
    let y = labels();
    let line = |i: usize| {
        let j = (i + 1 + i % 5) % N;
        format!("{i},{j},{}{weight}\n", if y[i] == y[j] { "must" } else { "cannot" })
    };
    (0..N).map(line).collect()
}

#[test]
fn clusters_and_embeddings_of_weighted_kernels() {
    let toy = Toy::new();
    toy.write("p.csv", pairs("").as_bytes());
    toy.write("w.csv", pairs(",2.5").as_bytes());
    let last = |command: &str| {
        let json = toy.json(command);
        json["clustering"]["rows"].as_array().unwrap().last().unwrap().clone()
    };
    let found =
        last(&format!("cluster {VIEWS} --pairs p.csv --model c.ck -o c.csv --labels y.csv"));
    let weights = found["report"]["details"]["pair_weights"].as_array().unwrap();
    assert_eq!(weights.len(), 2);
    assert!(found["report"]["notes"].to_string().contains("the kernels have weights from "));
    assert!(found["scores"]["best"]["accuracy"].as_f64().unwrap() > 0.7);
    // All pairs with the same weight are all pairs.
    let same = last(&format!("cluster {VIEWS} --pairs w.csv -o c.csv"));
    assert_eq!(same["assignments"], found["assignments"]);
    let one = last(&format!(
        "cluster {VIEWS} --pairs p.csv --combine views --pairs-set penalty=l1 -m co_trained -o c.csv"
    ));
    assert!(one["report"]["details"].get("pair_weights").is_some());
    let products = last(&format!(
        "cluster {VIEWS} --pairs p.csv --pairs-method polynomial_two_stage -o c.csv"
    ));
    assert!(products["report"]["notes"].to_string().contains("the similarity was learned from "));
    // New rows: the old ones get back their own clusters.
    toy.run("embed --apply c.ck --view a=a.csv --view b=b.csv -o again.csv").success();
    let clusters = |name: &str| -> Vec<String> {
        let text = toy.read(name);
        let of = |line: &str| line.split(',').nth(1).unwrap().to_string();
        text.lines().skip(1).map(of).collect()
    };
    toy.run(&format!("cluster {VIEWS} --pairs p.csv -o c.csv")).success();
    assert_eq!(clusters("again.csv"), clusters("c.csv"));
    toy.run(&format!("embed {VIEWS} --pairs p.csv -o e.csv")).success();
    assert_eq!(toy.read("e.csv").lines().count(), N + 1);
}

#[test]
fn a_project_file_and_wrong_calls() {
    let toy = Toy::new();
    toy.write("p.csv", pairs("").as_bytes());
    for (command, said) in [
        (format!("cluster {VIEWS} -m concat_kmeans --pairs p.csv"), "--pairs: "),
        (
            format!("cluster {VIEWS} --pairs p.csv --combine both"),
            "expected sum or views, found 'both'",
        ),
        (format!("cluster {VIEWS} --combine sum"), "there are no pairs to learn from"),
        (format!("cluster {VIEWS} --pairs p.csv --pairs-method mean"), "methods that do: "),
        (format!("cluster {VIEWS} --pairs p.csv --pairs-set nope=1"), "--pairs-set: "),
        (
            format!(
                "cluster {VIEWS} --pairs p.csv --pairs-method forest_two_stage --combine views"
            ),
            "learns no weights of kernels",
        ),
    ] {
        let found = toy.refusal(&command, 2);
        assert!(found.contains(said), "{command}: {found}");
    }
    toy.write("cokernel.toml", b"views = { a = \"a.csv\", b = \"b.csv\" }\npairs = \"p.csv\"\n");
    let assert = toy.run("cluster -k 2 -o c.csv").success();
    let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(said.contains("the kernels have weights from "), "{said}");
    let assert = toy.run("cluster -k 2 -m cca -o c.csv").success();
    let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(said.contains("the pairs of the project file are not used: "), "{said}");
}
