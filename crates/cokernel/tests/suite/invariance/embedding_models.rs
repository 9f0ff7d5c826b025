//! Every method that clusters, as a model for new rows: training instances get back their own
//! rows and clusters, through a file, too.

use cokernel::catalogue::methods;
use cokernel::data::{Scale, Views, toy};
use cokernel::method::{Method, Task};
use cokernel::model::{EmbeddingModel, MultiView};
use cokernel::multiview::{Spectrum, Starts, agreement_matrix};
use cokernel::{Run, data::Matrix};

fn clusterers() -> impl Iterator<Item = &'static Method> {
    methods().filter(|m| m.tasks.contains(&Task::Cluster))
}

fn views(n: usize) -> Views {
    toy::views(n, 3, &[3.0, 2.0], 7).unwrap().0
}

#[test]
fn every_extension_gives_training_instances_their_own_rows() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.ck");
    let (train, run, starts) = (views(75), Run::with_seed(2), Starts::default());
    let part: Vec<usize> = (0..75).step_by(9).collect();
    let some = train.select_new(&part, &(0..75).collect::<Vec<_>>());
    let mut extended = Vec::new();
    for m in clusterers() {
        for scale in [Scale::None, Scale::Standard] {
            let method = MultiView::new(m.id).unwrap().scale(scale);
            let (model, found) = method.fit_clusters(&train, 3, &starts, &run).unwrap();
            model.save(&path).unwrap();
            let back = EmbeddingModel::load(&path).unwrap();
            assert_eq!(back, model, "{}", m.id);
            if !model.extends() {
                let e = model.transform(&some).unwrap_err().to_string();
                assert!(e.contains(m.id) && e.contains("no embedding of new rows"), "{e}");
                continue;
            }
            extended.push(m.id);
            let rows = model.transform(&train).unwrap();
            let pairs = rows.values().iter().zip(found.embedding.rows.values());
            let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let size = found.embedding.rows.values().iter().fold(1.0_f64, |a, v| a.max(v.abs()));
            assert!(worst < 1e-8 * size, "{} {scale:?}: {worst:e}", m.id);
            assert_eq!(model.assign(&train).unwrap(), found.assignments, "{}", m.id);
            assert_eq!(back.transform(&some).unwrap(), model.transform(&some).unwrap());
            let own = back.transform(&some).unwrap();
            for (i, row) in part.iter().enumerate() {
                for (a, b) in own.row(i).iter().zip(rows.row(*row)) {
                    assert!((a - b).abs() < 1e-9 * size, "{}", m.id);
                }
            }
        }
    }
    assert!(extended.contains(&"spectral"));
}

#[test]
fn the_agreement_of_kernels_is_that_of_their_leading_vectors() {
    let spectrum = |columns: [usize; 2]| Spectrum {
        kernel: String::new(),
        view: String::new(),
        values: vec![1.0, 0.5],
        vectors: Matrix::from_fn(4, 2, |i, j| f64::from(u8::from(i == columns[j]))),
    };
    let all = [spectrum([0, 1]), spectrum([1, 2]), spectrum([2, 3])];
    let two = agreement_matrix(&all, 2);
    assert_eq!(two, [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]);
    assert_eq!(agreement_matrix(&all, 1)[0], [1.0, 0.0, 0.0]);
}
