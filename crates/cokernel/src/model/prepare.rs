//! The first half of a fit: instances, scaling and kernels, and what decides about them.

use super::missing::{self, Lacking};
use super::prepared::{
    Wanted, check_square, dropped_note, kernels_or_default, used_views, without_view,
};
use super::{Given, Mkl, Prepared, Recipe};
use crate::bank::{Storage, check_present};
use crate::catalogue;
use crate::data::{Labels, Missing, Preparation, Target, Views};
use crate::kernel::{Family, KernelSpec};
use crate::mkl::Arrangement;
use crate::{Error, Event, Result, Run, machine};
use std::borrow::Cow;

impl Mkl {
    /// [`prepare`](Self::prepare) with what else is known about the instances.
    ///
    /// # Errors
    /// As [`fit_given`](Self::fit_given).
    pub fn prepare_given(
        &self,
        views: &Views,
        labels: &Labels,
        given: &Given<'_>,
        run: &Run,
    ) -> Result<Prepared> {
        let watch = run.watch();
        if given.pairs.is_some() {
            self.require_pairs()?;
        }
        let mut prepared = self.prepare(views, labels, run)?;
        if let Some(posteriors) = given.posteriors {
            prepared = prepared.with_posteriors(posteriors)?;
        }
        if let Some(weights) = given.weights {
            prepared = prepared.with_weights(weights)?;
        }
        if let Some(pairs) = given.pairs {
            prepared = prepared.with_pairs(views, pairs, &run.remaining(&watch))?;
        }
        Ok(prepared)
    }

    /// The first half of [`fit`](Self::fit): instances, scaling and kernels.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn prepare(&self, views: &Views, labels: &Labels, run: &Run) -> Result<Prepared> {
        let watch = run.watch();
        self.check_storage(Some(views.n()))?;
        let recipe = self.recipe()?;
        if views.is_empty() {
            return Err(Error::Data("there is no view; give at least one".to_string()));
        }
        if labels.len() != views.n() {
            let expected = format!("{}, one per instance of the views", views.n());
            return Err(Error::shape("labels", expected, labels.len()));
        }
        let mut rows = match recipe.unlabelled {
            true => (0..labels.len()).collect(),
            false => Target::rows(labels, recipe.task),
        };
        let unlabelled = views.n() - rows.len();
        if rows.is_empty() && !matches!(labels, Labels::Absent(_)) {
            return Err(Error::Labels("every label is missing".to_string()));
        }
        let mut target = recipe.target(labels, &rows)?;
        let all = views.n();
        let views = match unlabelled {
            0 => Cow::Borrowed(views),
            _ => Cow::Owned(views.select(&rows)),
        };
        let names = views.iter().map(|v| v.name.clone()).collect();
        let specs = self.specs(&views)?;
        let mut views = used_views(views, &specs, &recipe.looks_at)?;
        // Where nothing was asked for, and all is there, nothing is kept for new instances.
        let handling = match views.missing().is_empty() && recipe.missing == Missing::Auto {
            true => Missing::Refuse,
            false => missing::chosen(recipe.missing, &views, self.learner()?.as_ref()),
        };
        let lacking = Lacking::of(&views, handling, recipe.wanted.own_features);
        let mut n_incomplete = 0;
        if let Some(lacking) = &lacking {
            match handling {
                Missing::Refuse => return Err(missing::refused(&views)),
                Missing::Drop => {
                    let kept = lacking.complete_rows(&views)?;
                    n_incomplete = rows.len() - kept.len();
                    rows = kept.iter().map(|i| rows[*i]).collect();
                    target = recipe.target(labels, &rows)?;
                    views = Cow::Owned(views.select(&kept));
                }
                _ => check_present(&views)?,
            }
        }
        check_square(&views)?;
        run.tell(Event::Begin { stage: "kernels", total: None });
        let concat = recipe.arrangement == Arrangement::Concatenated;
        let preparation = Preparation::fit(&views, self.scale, concat)?;
        let mut notes = dropped_note(unlabelled, &views, recipe.task);
        if let Target::Partial(partial) = &target {
            let count = partial.codes.iter().filter(|c| c.is_none()).count();
            notes.push(format!(
                "{count} of {all} instances have no label and are learned from, too"
            ));
        }
        notes.extend(lacking.as_ref().map(Lacking::note));
        notes.extend_from_slice(preparation.notes());
        let given = views.iter().map(super::ViewInfo::of).collect();
        let specs = if concat { without_view(specs) } else { specs };
        let (preparation, views, bank, space) = match &self.storage {
            Storage::LowRank(how) => {
                missing::landmarks(handling, preparation, &views, (&specs, *how), run, &mut notes)?
            }
            storage => {
                crate::scale::Workers::refuse_others(run)?;
                let how = (handling, &recipe);
                let (preparation, views, bank) =
                    missing::kernels(how, preparation, &views, &specs, storage.clone(), run)?;
                (preparation, views, bank, None)
            }
        };
        notes.extend_from_slice(bank.notes());
        notes.extend(bank.indefinite(&views)?);
        run.tell(Event::End);
        Ok(Prepared {
            rows,
            target,
            preparation,
            views,
            given,
            names,
            bank,
            space,
            n_dropped: unlabelled + n_incomplete,
            n_incomplete,
            recipe: recipe.on(lacking.as_ref()),
            lacking,
            notes,
            weights: None,
            paired: None,
            seconds: watch.seconds(),
            known: Default::default(),
            shared: Default::default(),
        })
    }

    /// Whether [`prepare`](Self::prepare) of the same instances would give what is prepared already.
    ///
    /// # Errors
    /// Wrong parameters.
    pub fn shares(&self, prepared: &Prepared) -> Result<bool> {
        Ok(self.recipe()?.on(prepared.lacking.as_ref()) == prepared.recipe)
    }

    /// Refuses a storage that the method or the machine cannot learn from.
    ///
    /// # Errors
    /// Landmarks, for a method or a machine that needs kernels between all instances.
    pub fn check_stored(&self) -> Result<()> {
        self.check_storage(None)
    }

    /// [`check_stored`](Self::check_stored), saying what so many instances would take.
    fn check_storage(&self, n: Option<usize>) -> Result<()> {
        if let Storage::LowRank(_) = self.storage {
            let learner = self.learner()?;
            if !learner.scales() && learner.samples().is_none() {
                return Err(self.storage.refused(&format!("method '{}'", self.method.id), n));
            }
            if self.machine.checked()?.build()?.loss().is_none() {
                return Err(machine::no_loss());
            }
        }
        Ok(())
    }

    /// What decides about the kernels; also checks the parameters.
    pub(crate) fn recipe(&self) -> Result<Recipe> {
        let learner = self.learner()?;
        let (arrangement, looks_at) = (learner.arrangement(), learner.looks_at());
        let (kernels, scale, storage) = (self.kernels.clone(), self.scale, self.storage.clone());
        let task = self.task();
        catalogue::goes_with(self.method, self.machine.method())?;
        let unlabelled = self.uses_unlabelled()?;
        self.check_storage(None)?;
        let graphs = Vec::new();
        let width = self.width;
        let missing = missing::resolved(self, learner.as_ref())?;
        Ok(Recipe {
            kernels,
            graphs,
            scale,
            storage,
            width,
            looks_at,
            arrangement,
            task,
            unlabelled,
            missing,
            wanted: Wanted {
                unit_diagonals: learner.needs_unit_diagonals(),
                features: learner.looks_at_features(),
                own_features: learner.needs_features(),
            },
        })
    }

    /// The given kernel specifications, or the default for these views.
    pub(super) fn specs(&self, views: &Views) -> Result<Vec<KernelSpec>> {
        let specs = kernels_or_default(self.kernels.as_deref(), views)?;
        Ok(match self.width {
            1.0 => specs,
            _ if !specs.iter().any(|s| matches!(s.family, Family::Exponential(_))) => {
                let problem = "expected 1, because no kernel has a width";
                return Err(Error::parameter("width", problem));
            }
            width => specs.into_iter().map(|s| s.wider(width)).collect(),
        })
    }
}

impl Recipe {
    /// What is known about these instances.
    fn target(&self, labels: &Labels, rows: &[usize]) -> Result<Target> {
        match self.unlabelled {
            true => Target::partial(&labels.select(rows)),
            false => Target::of(&labels.select(rows), self.task),
        }
    }
}
