//! Methods that embed and cluster.

use crate::learn::specs;
use crate::values::{matrix, number, params, perhaps, text, texts, to_r, told};
use crate::views::views;
use crate::work::work;
use cokernel::data::Scale;
use cokernel::kernel::GraphSpec;
use cokernel::model::{EmbeddingModel, MultiView};
use cokernel::multiview::Starts;
use extendr_api::prelude::*;
use extendr_api::{Error, Result};

fn method(spec: &List) -> Result<MultiView> {
    let mut found = MultiView::new(&text(spec, "method")?)
        .map_err(to_r)?
        .scale(Scale::from_id(&text(spec, "scale")?).map_err(to_r)?)
        .storage(text(spec, "storage")?.parse().map_err(to_r)?);
    for (name, value) in params(spec, "params", found.method())? {
        found = found.param(name, value);
    }
    found.params().map_err(to_r)?;
    if let Some(kernels) = texts(spec, "kernels")? {
        found = found.kernels(specs(&kernels)?);
    }
    if let Some(graphs) = texts(spec, "graphs")? {
        let parse = |g: &String| g.parse::<GraphSpec>().map_err(to_r);
        found = found.graphs(graphs.iter().map(parse).collect::<Result<Vec<_>>>()?);
    }
    Ok(found)
}

/// A whole number that is at least 1.
fn count(given: Option<f64>, name: &str) -> Result<usize> {
    match given {
        Some(v) if v >= 1.0 && v.fract() == 0.0 && v < 9e15 => Ok(v as usize),
        found => {
            let found = found.map_or("nothing".to_string(), |v| v.to_string());
            Err(Error::Other(format!("{name}: expected a whole number, at least 1, found {found}")))
        }
    }
}

/// Clusters, counted from 1, with the embedding and the content of the model's file.
#[extendr]
fn ck_cluster(given_views: List, spec: List, run: List) -> Result<List> {
    let (views, method) = (views(&given_views)?, method(&spec)?);
    let k = count(number(&spec, "k")?, "k")?;
    let starts =
        Starts::named("best_of", count(number(&spec, "starts")?, "starts")?).map_err(to_r)?;
    let (bytes, found) = work(&run, move |run| {
        let (model, found) = method.fit_clusters(&views, k, &starts, run)?;
        Ok((model.to_bytes()?, found))
    })?;
    let clusters: Vec<i32> = found.kmeans.assignments.iter().map(|c| *c as i32 + 1).collect();
    Ok(list!(
        clusters = clusters,
        embedding = matrix(&found.embedding.rows),
        inertia = found.kmeans.inertia,
        report = told(&found.report)?,
        bytes = Raw::from_bytes(&bytes)
    ))
}

/// The place of new instances in an embedding, and, where it has clusters, theirs, counted from 1.
#[extendr]
fn ck_embed_new(bytes: Raw, given_views: List, run: List) -> Result<List> {
    let model = EmbeddingModel::from_bytes(bytes.as_slice()).map_err(to_r)?;
    let views = views(&given_views)?;
    let (rows, clusters) = work(&run, move |run| {
        let rows = model.transform_in(&views, run)?;
        let clusters = match model.centers() {
            Some(_) => Some(model.clusters_of(&rows)?),
            None => None,
        };
        Ok((rows, clusters))
    })?;
    let clusters = clusters.map(|all| all.iter().map(|c| *c as i32 + 1).collect::<Vec<i32>>());
    Ok(list!(embedding = matrix(&rows), clusters = perhaps(clusters)))
}

/// Everything an embedding tells about itself.
#[extendr]
fn ck_embedding_summary(bytes: Raw) -> Result<Robj> {
    told(&EmbeddingModel::from_bytes(bytes.as_slice()).map_err(to_r)?.inspect())
}

extendr_module! {
    mod cluster;
    fn ck_cluster;
    fn ck_embed_new;
    fn ck_embedding_summary;
}
