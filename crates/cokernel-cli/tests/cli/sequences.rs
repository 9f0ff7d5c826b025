//! Sequences as views, and what a model is certain of.

use crate::toy::{DATA, N, Toy, cells, labels};

/// Promoters of three kinds in `dna.csv` (with ids and labels) and `dna.fasta`.
fn toy() -> Toy {
    let toy = Toy::new();
    let (mut csv, mut fasta) = ("id,class,promoter,other\n".to_string(), String::new());
    for (i, label) in labels().iter().enumerate() {
        let motif = ["TATAAT", "GGCCGG", "CACACA"]
            [["blue", "green", "red"].iter().position(|c| *c == label.as_str()).unwrap()];
        let letter = |p: usize| b"ACGT"[(i * 7 + p * (i % 5 + 3)) % 4] as char;
        let noise: String = (0..6 + i % 4).map(letter).collect();
        csv.push_str(&format!("s{i},{label},{noise}{motif}{motif},x\n"));
        fasta.push_str(&format!(">s{i} of {label}\n{noise}\n{motif}{motif}\n"));
    }
    toy.write("dna.csv", csv.as_bytes());
    toy.write("dna.fasta", fasta.as_bytes());
    toy
}

const FROM_CSV: &str = "--sequences dna=dna.csv --variable dna=promoter --id id";

#[test]
fn sequences_are_learned_from_and_predicted() {
    let toy = toy();
    let fitted = toy.json(&format!("fit {FROM_CSV} --label-column class --method mean"));
    assert_eq!(fitted["model"]["weights"][0]["kernel"], "spectrum@dna(k=3, unit_diagonal)");
    assert_eq!(fitted["model"]["views"][0]["kind"], "sequences");
    let text = toy.output(&format!("predict model.ck {FROM_CSV}"));
    let right =
        cells(&text)[1..].iter().zip(labels()).filter(|(row, label)| row[1] == *label).count();
    assert!(right * 10 >= N * 9, "{right} of {N}");
    // A FASTA file holds the same, whatever the flag is.
    assert_eq!(toy.output("predict model.ck --view dna=dna.fasta --id id"), text);
    assert_eq!(toy.output("predict model.ck --sequences dna=dna.fasta --id id"), text);
    let kernel = "--kernel mismatch@dna:k=4:mismatches=1:normalize=unit_diagonal --method mean";
    let fitted = toy.json(&format!("fit {FROM_CSV} --label-column class {kernel}"));
    assert_eq!(
        fitted["model"]["weights"][0]["kernel"],
        "mismatch@dna(k=4, mismatches=1, unit_diagonal)"
    );
}

#[test]
fn refusals_name_the_place() {
    let toy = toy();
    let refused =
        |flags: &str, status: i32| toy.refusal(&format!("fit {flags} --labels y.csv"), status);
    let said = refused("--sequences dna=dna.csv", 1);
    assert!(
        said.contains("which column holds the sequences? name one of id, class, promoter, other"),
        "{said}"
    );
    let said = refused("--sequences dna=dna.csv --variable dna=promotor", 1);
    assert!(said.contains("did you mean 'promoter'"), "{said}");
    let said = refused("--sequences dna=b.npy", 1);
    assert!(
        said.contains("sequences are read from text tables (csv, tsv) and fasta files"),
        "{said}"
    );
    let said = refused("--view dna=dna.fasta --kernel gaussian@dna", 1);
    assert!(
        said.contains("needs features, but view 'dna' is a list of sequences; use 'spectrum@dna'"),
        "{said}"
    );
    let said = refused("--mudata b.npy", 2);
    assert_eq!(said, "error: --mudata: expected an .h5mu or .h5ad file, found 'b.npy'");
}

#[test]
fn held_out_instances_make_sets() {
    let toy = Toy::new();
    toy.run(&format!("fit {DATA} --method mean --hold-out 0.4")).success();
    let text = toy.output(&format!("predict model.ck {DATA} --coverage 0.9"));
    let rows = cells(&text);
    assert_eq!(rows[0].last(), Some(&"set"));
    let hit = rows[1..]
        .iter()
        .zip(labels())
        .filter(|(row, label)| row.last().unwrap().split('|').any(|c| c == *label));
    assert!(hit.count() * 10 >= N * 8);
    // Certain of more is unsure between more; beyond what 24 instances can tell are all.
    let held = |coverage: &str| -> usize {
        let text = toy.output(&format!("predict model.ck {DATA} --coverage {coverage}"));
        cells(&text)[1..]
            .iter()
            .map(|r| r.last().unwrap().split('|').filter(|c| !c.is_empty()).count())
            .sum()
    };
    assert!(held("0.5") < held("0.9") && held("0.99") == 3 * N);
    let json = toy.json(&format!("predict model.ck {DATA} --coverage 0.99"));
    assert_eq!(json["certain"][0], serde_json::json!([true, true, true]));
    let said = toy.refusal(&format!("predict model.ck {DATA} --coverage 1"), 2);
    assert!(said.contains("coverage") && said.contains("below 1"), "{said}");
    let said = toy.refusal(&format!("fit {DATA} --hold-out 1.5"), 2);
    assert!(said.contains("--hold-out") && said.contains("below 1"), "{said}");
    toy.run(&format!("fit {DATA} --method mean")).success();
    let said = toy.refusal(&format!("predict model.ck {DATA} --coverage 0.9"), 1);
    assert!(said.contains("fit it again with a part held out (--hold-out 0.25)"), "{said}");
}

#[test]
fn what_is_lost_without_a_view() {
    let toy = Toy::new();
    toy.run(&format!("fit {DATA} --method mean")).success();
    let assert = toy.run(&format!("predict model.ck {DATA} --importance 3 -o out.csv")).success();
    let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(said.contains("accuracy % lost without view 'a': "), "{said}");
    let json = toy.json(&format!("predict model.ck {DATA} --importance 3"));
    let lost: Vec<f64> = (0..2).map(|v| json["importance"][v]["mean"].as_f64().unwrap()).collect();
    assert!(lost.iter().any(|l| *l > 0.05), "{lost:?}");
    let said = toy.refusal("predict model.ck --view a=a.csv --view b=b.npy --importance 3", 1);
    assert!(said.contains("no instance has a label"), "{said}");
}
