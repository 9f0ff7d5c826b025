//! Learns from made-up data: what is learned can be written, reads back as the same, and predicts
//! the same bits; or learning says why not.

use crate::decode::{Bytes, noise, same_bits};
use cokernel::data::{Labels, Views};
use cokernel::machine::Decomposition;
use cokernel::mkl::REGISTRY;
use cokernel::model::{Mkl, Model};
use cokernel::{Result, Run};

/// What is learned from these bytes, and new instances for it.
fn fitted(input: &mut Bytes<'_>) -> Result<(Model, Views)> {
    let n = 2 + input.below(11);
    let classes = 2 + input.below(3);
    let labels: Vec<String> = (0..n)
        .map(|_| match input.byte() {
            255 => "?".to_string(),
            b => (usize::from(b) % classes).to_string(),
        })
        .collect();
    let labels = Labels::from_texts(&labels);
    let (c, scale) = (input.power(-12, 17), input.scale());
    let (balanced, one) = (input.byte() & 1 == 1, input.byte() & 1 == 1);
    let run: Run = input.run();
    let views = input.views(n)?;
    let (method, given) = input.method(REGISTRY, &views);
    let mut mkl = Mkl::new(method.id)?.c(c).scale(scale).balanced(balanced);
    if one {
        mkl = mkl.decomposition(Decomposition::OneVsOne);
    }
    for (name, value) in given {
        mkl = mkl.param(name, value);
    }
    if let Some(kernels) = input.kernels(&views)? {
        mkl = mkl.kernels(kernels);
    }
    let model = mkl.fit(&views, &labels, &run)?;
    let all: Vec<usize> = (0..n).collect();
    let new = views.select_new(&all, &labels.known_rows());
    Ok((model, new))
}

/// See above; whether something was learned.
pub fn learn(bytes: &[u8]) -> bool {
    let (model, new) = match fitted(&mut Bytes(bytes)) {
        Ok(found) => found,
        Err(e) => {
            assert!(!e.to_string().is_empty());
            return false;
        }
    };
    let file = model.to_bytes().expect("what was learned can be written");
    let back = Model::from_bytes(&file).expect("what was written can be read");
    assert_eq!(back, model, "what is read is what was written");
    match (model.predict(&new), back.predict(&new)) {
        (Ok(a), Ok(b)) => {
            assert!(same_bits(&a.decisions, &b.decisions) && a.labels == b.labels);
            assert!(a.decisions.values().iter().all(|v| v.is_finite()));
        }
        (Err(a), Err(b)) => assert_eq!(a.to_string(), b.to_string()),
        (a, b) => panic!("before and after: {a:?}, {b:?}"),
    }
    true
}

/// Bytes that something is learned from.
pub fn seeds() -> Vec<Vec<u8>> {
    noise(40, 120).into_iter().filter(|bytes| learn(bytes)).take(8).collect()
}
