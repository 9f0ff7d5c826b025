//! What gates look at: the parameter, and the columns that it means.

use super::{Problem, check};
use crate::data::Views;
use crate::params::{Param, Params, Range};
use crate::rule::Input;
use crate::{Error, Result};

const ALL: &str = "all";

/// The parameter.
pub(super) const GATE_VIEWS: Param = Param {
    name: "gate_views",
    doc: "Views that the gates look at, separated by commas; all: those of the kernels that have features, or the \
          similarities where there are no features.",
    range: Range::Text { default: ALL, expected: "all, or names of views separated by commas" },
};

/// Its value.
#[derive(Debug)]
pub(super) struct GateViews(String);

impl GateViews {
    pub fn new(params: &Params) -> Self {
        GateViews(params.text(GATE_VIEWS.name).to_string())
    }

    /// The views that are named, none where gates look at all.
    pub fn named(&self) -> Vec<String> {
        if self.0.trim() == ALL {
            return Vec::new();
        }
        let names = self.0.split(',').map(str::trim).filter(|n| !n.is_empty());
        names.map(String::from).collect()
    }

    /// Their columns, standardised.
    ///
    /// # Errors
    /// A view is not there; there is no memory for the columns.
    pub fn input(&self, views: &Views) -> Result<Input> {
        let named = self.named();
        if !named.is_empty() {
            return Input::of(views, &named);
        }
        let of = |similarity: bool| -> Vec<String> {
            let chosen = views.iter().filter(|v| v.table.is_similarity() == similarity);
            chosen.map(|v| v.name.clone()).collect()
        };
        let features = of(false);
        match features.is_empty() {
            true => Input::of(views, &of(true)),
            false => Input::of(views, &features),
        }
    }
}

/// Refuses what method `id` cannot learn gates with, and gives the views.
pub(super) fn check_all<'a>(problem: &Problem<'a>, id: &str) -> Result<&'a Views> {
    check(problem)?;
    if !problem.machine.has_free_dual() {
        let text = format!(
            "the kernel enters its dual in another way than {id} relies on; choose another machine"
        );
        return Err(Error::parameter("machine", text));
    }
    let views = problem.views.ok_or_else(|| {
        Error::Data(format!("{id}: gates look at features; give the views, not kernels alone"))
    })?;
    match views.n() == problem.bank.n() {
        true => Ok(views),
        false => Err(Error::shape("views of the gates", problem.bank.n(), views.n())),
    }
}
