//! Clusters made-up data: what is found can be written, reads back as the same, and places the same
//! rows at the same bits; or it says why not.

use crate::decode::{Bytes, noise, same_bits};
use cokernel::Result;
use cokernel::data::Views;
use cokernel::model::{EmbeddingModel, MultiView};
use cokernel::multiview::{Clustering, REGISTRY, Seeding, Starts};

/// What is found in these bytes.
fn found(input: &mut Bytes<'_>) -> Result<(EmbeddingModel, Clustering, Views)> {
    let n = 2 + input.below(15);
    let k = 1 + input.below(5);
    let scale = input.scale();
    let seeding = if input.byte() & 1 == 1 { Seeding::Random } else { Seeding::PlusPlus };
    let starts = Starts { seeding, starts: 1 + input.below(3) };
    let run = input.run();
    let views = input.views(n)?;
    let (method, given) = input.method(REGISTRY, &views);
    let mut method = MultiView::new(method.id)?.scale(scale);
    for (name, value) in given {
        method = method.param(name, value);
    }
    if let Some(kernels) = input.kernels(&views)? {
        method = method.kernels(kernels);
    }
    if input.byte() % 8 == 1 {
        method = method.graphs(["knn:k=2".parse()?]);
    }
    let (model, found) = method.fit_clusters(&views, k, &starts, &run)?;
    Ok((model, found, views))
}

/// See above; whether something was found.
pub fn cluster(bytes: &[u8]) -> bool {
    let (model, found, views) = match found(&mut Bytes(bytes)) {
        Ok(found) => found,
        Err(e) => {
            assert!(!e.to_string().is_empty());
            return false;
        }
    };
    assert_eq!(found.assignments.len(), views.n());
    assert!(found.embedding.rows.values().iter().all(|v| v.is_finite()));
    let file = model.to_bytes().expect("what was found can be written");
    let back = EmbeddingModel::from_bytes(&file).expect("what was written can be read");
    assert_eq!(back, model, "what is read is what was written");
    match (model.transform(&views), back.transform(&views)) {
        (Ok(a), Ok(b)) => {
            assert!(same_bits(&a, &b));
            assert_eq!(model.clusters_of(&a).ok(), back.clusters_of(&b).ok());
        }
        (Err(a), Err(b)) => assert_eq!(a.to_string(), b.to_string()),
        (a, b) => panic!("before and after: {a:?}, {b:?}"),
    }
    true
}

/// Bytes that something is found in.
pub fn seeds() -> Vec<Vec<u8>> {
    noise(40, 120).into_iter().filter(|bytes| cluster(bytes)).take(8).collect()
}
