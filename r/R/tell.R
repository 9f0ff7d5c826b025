# Registry, kernels, files, data.

# Calls the native part, whose errors are sentences.
native <- function(f, ...) {
  found <- .Call(f, ...)
  if (!inherits(found, "extendr_result")) return(found)
  if (!is.null(found$err)) stop(sub("^Other: *", "", found$err), call. = FALSE)
  found$ok
}

by_task <- function(found, task) {
  found <- as.data.frame(found)
  if (is.null(task)) return(found)
  chosen <- found[vapply(strsplit(found$tasks, ", "), function(t) task %in% t, TRUE), ]
  if (!nrow(chosen)) {
    stop("task: there is nothing for '", task, "'; known: ", paste(unique(unlist(strsplit(found$tasks, ", "))), collapse = ", "),
         call. = FALSE)
  }
  rownames(chosen) <- NULL
  chosen
}

#' All methods and machines
#'
#' @param task Those for this task only: \code{"classify"}, \code{"regress"}, \code{"detect"}, \code{"cluster"}, \code{"embed"}.
#' @return A data frame: id, title, tasks, parameters, source, summary.
#' @export
ck_methods <- function(task = NULL) by_task(native(wrap__ck_methods), task)

#' @rdname ck_methods
#' @export
ck_machines <- function(task = NULL) by_task(native(wrap__ck_machines), task)

#' Parameters of a method or machine
#'
#' @param id Its id.
#' @return A data frame: name, default, range, doc.
#' @export
ck_parameters <- function(id) as.data.frame(native(wrap__ck_parameters, id))

#' Kernels as matrices
#'
#' @param views Views, see \code{\link{ck_views}}.
#' @param kernels Kernels as texts.
#' @param threads,memory As for \code{\link{cokernel}}.
#' @return A named list of n x n matrices.
#' @export
ck_kernels <- function(views, kernels = "gaussian", threads = NULL, memory = NULL) {
  views <- views_of(views)
  found <- native(wrap__ck_kernels, views$views, kernels, run_of(0, threads, NULL, memory, FALSE))
  lapply(found, named_rows, views$ids, views$ids)
}

#' Files of models
#'
#' The files are those of the command line and of the Python package. A file does not keep the names of instances.
#'
#' @param model What \code{\link{cokernel}} or \code{\link{cokernel_cluster}} learned.
#' @param path The file.
#' @return \code{ck_load}: the model.
#' @export
ck_save <- function(model, path) {
  kind <- if (inherits(model, "cokernel_clusters")) "embedding" else "model"
  if (is.null(model$bytes)) stop("model: expected what cokernel() or cokernel_cluster() learned", call. = FALSE)
  native(wrap__ck_save, model$bytes, kind, path.expand(path))
  invisible(model)
}

#' @rdname ck_save
#' @export
ck_load <- function(path) {
  found <- native(wrap__ck_load, path.expand(path))
  if (found$kind == "model") return(model_of(found$bytes))
  told <- native(wrap__ck_embedding_summary, found$bytes)
  structure(list(bytes = found$bytes, told = told, report = told$report), class = "cokernel_clusters")
}

#' Data that come with the library
#'
#' @param name \code{"digits"} (six views of 2,000 handwritten digits), \code{"two_circles"}, \code{"synthetic_1"} or
#'   \code{"synthetic_2"}.
#' @param n,seed Number of instances of generated data, and their seed.
#' @return A list of \code{views} and \code{y}.
#' @export
cokernel_data <- function(name = "digits", n = 200, seed = 0) {
  found <- native(wrap__ck_data, list(name = name, n = n, seed = seed))
  list(views = found$views, y = factor(found$classes, levels = unique(sort(found$classes))))
}
