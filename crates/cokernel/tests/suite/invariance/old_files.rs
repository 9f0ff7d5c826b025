//! Model files of version 0.1.0 load and give what that version gave.
//!
//! Written by it: `cokernel toy synthetic_1 --n 24 --seed 5`, then `fit --method mean --kernel
//! gaussian@view1:gamma=0.2:normalize=center --kernel linear@view2:normalize=unit_trace --scale
//! standard --c 3`, `cluster --method co_regularized --clusters 2`, and what `predict` and
//! `embed --apply` print for the same instances.

use cokernel::data::{Views, toy};
use cokernel::model::{EmbeddingModel, Model, Saved};

fn views() -> Views {
    toy::synthetic_1(24, 5).unwrap().0
}

/// The cells of a table without its first column and its header.
fn cells(text: &str) -> Vec<Vec<&str>> {
    text.lines().skip(1).map(|line| line.split(',').skip(1).collect()).collect()
}

fn close(found: f64, text: &str) {
    let expected: f64 = text.parse().unwrap();
    assert!((found - expected).abs() <= 1e-9 * (1.0 + expected.abs()), "{found} {expected}");
}

#[test]
fn a_classifier_of_the_first_version() {
    let bytes = include_bytes!("../old/classifier.safetensors");
    let model = Model::from_bytes(bytes).unwrap();
    assert_eq!((model.library_version(), model.method()), ("0.1.0", "mean"));
    let found = model.predict(&views()).unwrap();
    let expected = cells(include_str!("../old/classifier.csv"));
    assert_eq!(expected.len(), 24);
    for (i, row) in expected.iter().enumerate() {
        assert_eq!(found.labels[i], row[0]);
        close(found.decisions.get(i, 0), row[1]);
    }
    // Its file does not tell the objectives of its machines, so that it is not equal to itself.
    let again = model.to_bytes().unwrap();
    assert_eq!(Model::from_bytes(&again).unwrap().to_bytes().unwrap(), again);
}

#[test]
fn an_embedding_of_the_first_version() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("embedding.ck");
    std::fs::write(&path, include_bytes!("../old/embedding.safetensors")).unwrap();
    let model = EmbeddingModel::load(&path).unwrap();
    assert_eq!(model.inspect().library_version, "0.1.0");
    assert_eq!(Saved::load(&path).unwrap(), Saved::Embedding(Box::new(model.clone())));
    let rows = model.transform(&views()).unwrap();
    let clusters = model.clusters_of(&rows).unwrap();
    let expected = cells(include_str!("../old/embedding.csv"));
    assert_eq!(expected.len(), 24);
    for (i, row) in expected.iter().enumerate() {
        assert_eq!(clusters[i].to_string(), row[0]);
        assert_eq!(row.len(), 1 + rows.cols());
        row[1..].iter().enumerate().for_each(|(j, text)| close(rows.get(i, j), text));
    }
}
