//! Generators of toy data: their parameters with ranges, and what their data takes.

use super::source::Labelled;
use cokernel::Error;
use cokernel::data::toy::{self, Uninformative};
use cokernel::method::Task;
use std::collections::BTreeMap;

/// A generator with its parameters.
#[derive(Debug)]
pub struct Toy {
    /// Which toy data.
    pub generator: &'static Generator,
    /// Instances.
    pub n: usize,
    /// Parameters by name.
    pub params: BTreeMap<String, f64>,
}

/// An entry of the list of generators.
#[derive(Debug)]
pub struct Generator {
    pub id: &'static str,
    /// The tasks that its labels are for.
    pub tasks: &'static [Task],
    /// Beside `n`.
    pub params: &'static [Param],
    /// Numbers in all views of n instances.
    numbers: fn(f64, &[f64]) -> f64,
    make: fn(usize, &[f64], u64) -> cokernel::Result<Labelled>,
}

/// A parameter of a generator.
#[derive(Debug)]
pub struct Param {
    pub name: &'static str,
    pub default: f64,
    range: (f64, f64),
    whole: bool,
}

/// The number of instances, as a sweep may have it.
pub const N: Param = Param { name: "n", default: 0.0, range: (1.0, 1e8), whole: true };

/// Beyond these, numbers of a generator would not be finite, or not mean anything.
const FAR: f64 = 1e9;

const fn real(name: &'static str, default: f64, least: f64, most: f64) -> Param {
    Param { name, default, range: (least, most), whole: false }
}

const CLASSES: Param = Param { name: "classes", default: 3.0, range: (1.0, 1e5), whole: true };

const OF_CLASSES: &[Task] = &[Task::Classify, Task::Detect, Task::Cluster];

/// All generators.
pub static GENERATORS: &[Generator] = &[
    Generator {
        id: "synthetic_1",
        tasks: OF_CLASSES,
        params: &[],
        numbers: |n, _| 4.0 * n,
        make: |n, _, seed| toy::synthetic_1(n, seed),
    },
    Generator {
        id: "synthetic_2",
        tasks: OF_CLASSES,
        params: &[],
        numbers: |n, _| 6.0 * n,
        make: |n, _, seed| toy::synthetic_2(n, seed),
    },
    Generator {
        id: "correlated",
        tasks: OF_CLASSES,
        params: &[real("rho", 0.0, -1.0, 1.0)],
        numbers: |n, _| 4.0 * n,
        make: |n, p, seed| toy::correlated(n, p[0], seed),
    },
    Generator {
        id: "complementary_corruption",
        tasks: OF_CLASSES,
        params: &[real("alpha", 1.0, 0.0, FAR)],
        numbers: |n, _| 2.0 * n * n,
        make: |n, p, seed| toy::complementary_corruption(n, p[0], seed),
    },
    Generator {
        id: "uninformative",
        tasks: OF_CLASSES,
        params: &[],
        numbers: |n, _| 2.0 * n * n,
        make: |n, _, seed| toy::uninformative(n, Uninformative::Ones, seed),
    },
    Generator {
        id: "uninformative_random",
        tasks: OF_CLASSES,
        params: &[],
        numbers: |n, _| 2.0 * n * n,
        make: |n, _, seed| toy::uninformative(n, Uninformative::Random, seed),
    },
    Generator {
        id: "contradictory",
        tasks: OF_CLASSES,
        params: &[],
        numbers: |n, _| 2.0 * n * n,
        make: |n, _, _| toy::contradictory(n),
    },
    Generator {
        id: "two_circles",
        tasks: OF_CLASSES,
        params: &[real("noise", 0.1, 0.0, FAR)],
        numbers: |n, _| 2.0 * n,
        make: |n, p, seed| toy::two_circles(n, p[0], seed),
    },
    Generator {
        id: "gaussian_classes",
        tasks: OF_CLASSES,
        params: &[CLASSES, real("distance", 3.0, -FAR, FAR)],
        numbers: |n, p| 2.0 * p[0] * n,
        make: |n, p, seed| toy::views(n, p[0] as usize, &[p[1], p[1]], seed),
    },
    Generator {
        id: "waves",
        tasks: &[Task::Regress],
        params: &[real("noise", 0.1, 0.0, FAR)],
        numbers: |n, _| 6.0 * n,
        make: |n, p, seed| toy::waves(n, p[0], seed),
    },
    Generator {
        id: "strays",
        tasks: &[Task::Detect],
        params: &[real("share", 0.1, 0.0, 1.0)],
        numbers: |n, _| 6.0 * n,
        make: |n, p, seed| toy::strays(n, p[0], seed),
    },
];

impl Param {
    /// Refuses a value out of range.
    pub fn check(&self, value: f64) -> Result<(), String> {
        let (least, most) = self.range;
        if (least..=most).contains(&value) && !(self.whole && value.fract() != 0.0) {
            return Ok(());
        }
        let what = if self.whole { "a whole number" } else { "a number" };
        let found = cokernel::brief(value);
        Err(format!("{}: expected {what} from {least} to {most}, found {found}", self.name))
    }
}

impl Toy {
    /// Refuses generators that do not exist.
    pub fn new(generator: &str, n: usize) -> Result<Self, Error> {
        let known = || GENERATORS.iter().map(|g| g.id);
        let found = GENERATORS.iter().find(|g| g.id == generator);
        let generator = found.ok_or_else(|| Error::unknown("generator", generator, known()))?;
        Ok(Toy { generator, n, params: BTreeMap::new() })
    }

    /// The parameter with this name, or `n`.
    pub fn param(&self, name: &str) -> Option<&'static Param> {
        let all = std::iter::once(&N).chain(self.generator.params);
        all.into_iter().find(|p| p.name == name)
    }

    /// Gives a parameter another value than its default; refuses names that do not exist.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), String> {
        let own = self.generator.params;
        let found = own.iter().find(|p| p.name == name).ok_or_else(|| {
            Error::unknown("parameter", name, own.iter().map(|p| p.name)).to_string()
        })?;
        found.check(value)?;
        self.params.insert(name.to_string(), value);
        Ok(())
    }

    /// The number of instances and the parameters; `swept` is one with another value.
    fn values(&self, swept: Option<(&str, f64)>) -> (usize, Vec<f64>) {
        let swept = |name: &str| swept.filter(|s| s.0 == name).map(|s| s.1);
        let value = |p: &Param| {
            let own = || self.params.get(p.name).copied();
            swept(p.name).or_else(own).unwrap_or(p.default)
        };
        let n = swept(N.name).map_or(self.n, |n| n as usize);
        (n, self.generator.params.iter().map(value).collect())
    }

    /// Instances, and bytes of the views.
    pub fn size(&self, swept: Option<(&str, f64)>) -> (usize, usize) {
        let (n, params) = self.values(swept);
        (n, (8.0 * (self.generator.numbers)(n as f64, &params)) as usize)
    }

    /// Instances, and classes among them; every generator of classes has two or more.
    pub fn classes(&self, swept: Option<(&str, f64)>) -> (usize, usize) {
        let (n, params) = self.values(swept);
        let own = self.generator.params.iter().zip(params).find(|p| p.0.name == CLASSES.name);
        (n, own.map_or(2, |p| p.1 as usize))
    }

    /// One data set.
    pub fn make(&self, swept: Option<(&str, f64)>, seed: u64) -> Result<Labelled, Error> {
        let (n, params) = self.values(swept);
        (self.generator.make)(n, &params, seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cokernel::data::Table;

    #[test]
    fn generators_take_their_parameters_and_sweeps() {
        let mut toy = Toy::new("two_circles", 20).unwrap();
        toy.set("noise", 0.0).unwrap();
        let (views, _) = toy.make(None, 1).unwrap();
        assert_eq!(views, toy::two_circles(20, 0.0, 1).unwrap().0);
        let (views, _) = toy.make(Some(("noise", 0.5)), 1).unwrap();
        assert_eq!(views, toy::two_circles(20, 0.5, 1).unwrap().0);
        assert_eq!(toy.make(Some(("n", 8.0)), 1).unwrap().0.n(), 8);
        let said = Toy::new("two_circle", 20).unwrap_err().to_string();
        assert!(said.starts_with("unknown generator 'two_circle' (did you mean 'two_circles'?)"));
        let said = toy.set("nois", 0.0).unwrap_err();
        assert!(said.contains("did you mean 'noise'"), "{said}");
        assert_eq!(
            toy.set("noise", -1.0).unwrap_err(),
            "noise: expected a number from 0 to 1000000000, found -1"
        );
        let mut classes = Toy::new("gaussian_classes", 20).unwrap();
        assert!(classes.set("classes", 2.5).unwrap_err().contains("a whole number from 1"));
        assert!(classes.set("distance", f64::NAN).is_err());
    }

    #[test]
    fn the_size_is_known_before_the_data() {
        for generator in GENERATORS {
            let toy = Toy::new(generator.id, 12).unwrap();
            let (views, _) = toy.make(None, 0).unwrap();
            let numbers = |table: &Table| match table {
                Table::Dense(m) | Table::Similarity(m) => m.rows() * m.cols(),
                Table::Sparse(m) | Table::Graph(m) => m.rows() * m.cols(),
                Table::Sequences(s) => s.letters().len(),
            };
            let all: usize = views.iter().map(|v| numbers(&v.table)).sum();
            assert_eq!(toy.size(None), (12, 8 * all), "{}", generator.id);
        }
    }
}
