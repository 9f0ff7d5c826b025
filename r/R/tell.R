# Registry, kernels, files, data.

# Calls the native part, whose errors are sentences.
native <- function(f, ...) {
  given <- lapply(list(...), utf8)
  found <- do.call(.Call, c(list(f), given))
  if (!inherits(found, "extendr_result")) return(found)
  if (identical(found$err, "interrupted")) {
    # As R's own interrupts: what catches errors does not catch it.
    signalCondition(structure(list(message = "interrupted", call = NULL), class = c("interrupt", "condition")))
    invokeRestart("abort")
  }
  if (!is.null(found$err)) stop(found$err, call. = FALSE)
  found$ok
}

# Texts in UTF-8, also those of lists; refused where they are not what their encoding says.
utf8 <- function(x) {
  if (is.character(x)) {
    told <- enc2utf8(x)
    wrong <- !is.na(told) & !validUTF8(told)
    if (any(wrong)) {
      stop("a text is not in the encoding that it is said to have: ", encodeString(x[wrong][1]), call. = FALSE)
    }
    attributes(told) <- attributes(x)
    x <- told
  }
  if (is.list(x)) x[] <- lapply(x, utf8)
  if (!is.null(names(x))) names(x) <- utf8(as.vector(names(x)))
  x
}

# A number in this range, where it is given.
in_range <- function(x, name, low, high, whole = FALSE) {
  if (is.null(x)) return(NULL)
  fits <- is.numeric(x) && length(x) == 1 && !is.na(x) && x >= low && x <= high && (!whole || x == round(x) || is.infinite(x))
  if (!fits) {
    stop(name, ": expected ", if (whole) "a whole number" else "a number", " from ", format(low), " to ", format(high, digits = 3),
         call. = FALSE)
  }
  as.numeric(x)
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
  views <- for_training(views_of(views))
  found <- native(wrap__ck_kernels, views$views, kernels, run_of(0, threads, NULL, memory, FALSE))
  lapply(found, named_rows, views$ids, views$ids)
}

#' Files of models
#'
#' The files are those of the command line and of the Python package. A file keeps neither the names of instances nor
#' the order of levels and levels without instances: classes of what was read are in the library's order.
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
  n <- in_range(n, "n", 1, 1e7, TRUE)
  seed <- in_range(seed, "seed", 0, 2^53, TRUE)
  found <- native(wrap__ck_data, list(name = name, n = n, seed = seed))
  list(views = found$views, y = factor(found$classes, levels = unique(sort(found$classes))))
}
