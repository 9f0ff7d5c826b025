//! The native half of the Python package `cokernel`: a thin layer over the library. Arrays come
//! in without a copy and go out as numpy arrays; reports and registry entries go out as JSON; all
//! work happens without the global interpreter lock and can be interrupted.
//!
//! Private: users meet the estimators of `python/cokernel`.

mod array;
mod calibrate;
mod cluster;
mod experiments;
mod kernels;
mod learn;
mod registry;
mod search;
mod splits;
mod statistics;
mod views;
mod work;
mod workers;

use pyo3::prelude::*;

/// Cokernel's native functions.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::calibrate::{calibrate, calibration_folds, deviations, probabilities};
    #[pymodule_export]
    use crate::cluster::{Clusterer, EmbeddingModel, PreparedViews};
    #[pymodule_export]
    use crate::experiments::{
        Stored, experiment_example, experiment_text, experiments, merge_stores, run_experiment,
    };
    #[pymodule_export]
    use crate::kernels::FittedKernels;
    #[pymodule_export]
    use crate::learn::{Learned, Learner, Model, Prepared, task_pairs};
    #[pymodule_export]
    use crate::registry::{
        cluster_scores, digits, graph_kernel, kernel_families, kernel_specs, load, machines,
        methods, methods_named, toy,
    };
    #[pymodule_export]
    use crate::search::search_surface;
    #[pymodule_export]
    use crate::splits::{check_splits, column_splits, draw_splits, read_splits};
    #[pymodule_export]
    use crate::statistics::{compare_scores, f_5x2, friedman, holm, nemenyi, t_test, wilcoxon};
    #[pymodule_export]
    use crate::views::Views;
    #[pymodule_export]
    use crate::work::Run;
    #[pymodule_export]
    use crate::workers::answer;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", cokernel::VERSION)
    }
}
