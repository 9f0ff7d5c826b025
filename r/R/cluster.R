# Clustering from several views.

#' Cluster instances that several views describe
#'
#' @param views,kernels,scale,similarity,storage,seed,threads,time_limit,memory,verbose As for \code{\link{cokernel}}.
#' @param k Number of clusters.
#' @param method Which method, see \code{\link{ck_methods}}.
#' @param graphs Graphs to be made of features, as texts such as \code{"knn:k=10"}.
#' @param params Named list of parameters of the method.
#' @param starts Starts of k-means, of which the best is taken.
#' @return A list of class \code{cokernel_clusters}: \code{cluster} (from 1), \code{embedding}, \code{inertia},
#'   \code{report}.
#' @export
cokernel_cluster <- function(views, k, method = "co_regularized", kernels = NULL, graphs = NULL, params = list(),
                             scale = "standard", similarity = character(), storage = "auto", starts = 20, seed = 0,
                             threads = NULL, time_limit = NULL, memory = NULL, verbose = FALSE) {
  views <- for_training(views_of(views, similarity))
  spec <- list(method = method, kernels = kernels, graphs = graphs, params = params, scale = scale, storage = storage, k = k,
               starts = starts)
  found <- native(wrap__ck_cluster, views$views, spec, run_of(seed, threads, time_limit, memory, verbose))
  told_of(found$report)
  structure(
    list(cluster = setNames(found$clusters, views$ids), embedding = named_rows(found$embedding, views$ids, NULL),
         inertia = found$inertia, report = found$report, bytes = found$bytes, told = native(wrap__ck_embedding_summary, found$bytes), ids = views$ids),
    class = "cokernel_clusters"
  )
}

#' Clusters of new instances
#'
#' @param object What \code{\link{cokernel_cluster}} found.
#' @param views The views of the new instances.
#' @param type \code{"cluster"} or \code{"embedding"}.
#' @param ... Not used.
#' @return Clusters, counted from 1, or a matrix.
#' @export
predict.cokernel_clusters <- function(object, views, type = c("cluster", "embedding"), ...) {
  type <- match.arg(type)
  views <- for_new(views_of(views, similar(object$told, views)), object$ids)
  found <- native(wrap__ck_embed_new, object$bytes, views$views, run_of(0, NULL, NULL, NULL, FALSE))
  if (type == "embedding") return(named_rows(found$embedding, views$ids, NULL))
  if (is.null(found$clusters)) stop("the embedding has no clusters", call. = FALSE)
  setNames(found$clusters, views$ids)
}

#' @export
print.cokernel_clusters <- function(x, ...) {
  cat("Cokernel clusters: ", x$told$method, "\n", sep = "")
  if (!is.null(x$cluster)) print(table(cluster = x$cluster))
  if (!is.null(x$report$status)) cat(x$report$status, "\n")
  invisible(x)
}
