# Views: the tables, similarities, networks and sequences that describe the same instances.

is_sparse <- function(x) inherits(x, "Matrix")

# One view as the native part takes it: a list of name, kind, data, columns and the names of its rows.
one_view <- function(name, x, kind) {
  if (inherits(x, "dist")) {
    stop("view '", name, "': distances are no similarities; give exp(-d / scale) as a matrix, or the features", call. = FALSE)
  }
  if (is.data.frame(x)) {
    words <- names(x)[!vapply(x, function(v) is.numeric(v) || is.logical(v), TRUE)]
    if (length(words)) {
      stop("view '", name, "': column '", words[1], "' is not numeric; make numbers of it first (model.matrix)",
           call. = FALSE)
    }
    ids <- if (.row_names_info(x) > 0) rownames(x)
    x <- as.matrix(x)
    rownames(x) <- ids
  }
  if (is_sparse(x)) {
    x <- methods_as(x)
    kind <- if (identical(kind, "similarity") || identical(kind, "graph")) "graph" else "sparse"
    data <- list(p = x@p, i = x@i, x = as.numeric(x@x), dim = dim(x))
    return(list(name = name, kind = kind, data = data, columns = colnames(x), ids = rownames(x), n = nrow(x)))
  }
  if (is.character(x) && is.null(dim(x))) {
    return(list(name = name, kind = "sequences", data = unname(x), columns = NULL, ids = names(x), n = length(x)))
  }
  if (is.null(dim(x)) && is.numeric(x)) x <- matrix(x, ncol = 1, dimnames = list(names(x), name))
  if (!(is.matrix(x) && (is.numeric(x) || is.logical(x)))) {
    stop("view '", name, "': expected a matrix or data frame of numbers, a sparse matrix (Matrix), or a character vector, found ",
         paste(class(x), collapse = "/"), call. = FALSE)
  }
  storage.mode(x) <- "double"
  kind <- if (identical(kind, "similarity") || identical(kind, "graph")) "similarity" else "dense"
  list(name = name, kind = kind, data = x, columns = colnames(x), ids = rownames(x), n = nrow(x))
}

# A sparse matrix by columns.
methods_as <- function(x) {
  x <- methods::as(x, "generalMatrix")
  methods::as(methods::as(x, "CsparseMatrix"), "dMatrix")
}

# The tables of a MultiAssayExperiment, instances in rows: those of its primary ids.
of_experiments <- function(x) {
  need <- c("MultiAssayExperiment", "SummarizedExperiment")
  for (package in need) {
    if (!requireNamespace(package, quietly = TRUE)) stop("package '", package, "' is needed to read this object", call. = FALSE)
  }
  map <- as.data.frame(MultiAssayExperiment::sampleMap(x))
  experiments <- MultiAssayExperiment::experiments(x)
  tables <- lapply(names(experiments), function(name) {
    one <- experiments[[name]]
    values <- if (methods::is(one, "SummarizedExperiment")) SummarizedExperiment::assay(one) else one
    values <- if (is_sparse(values)) Matrix::t(values) else t(as.matrix(values))
    own <- map[map$assay == name, ]
    primary <- as.character(own$primary[match(rownames(values), own$colname)])
    if (anyNA(primary)) values <- values[!is.na(primary), , drop = FALSE]
    primary <- primary[!is.na(primary)]
    if (anyDuplicated(primary)) {
      stop("experiment '", name, "': instance '", primary[duplicated(primary)][1], "' has several columns; keep one of each",
           call. = FALSE)
    }
    rownames(values) <- primary
    values
  })
  setNames(tables, names(experiments))
}

#' Views of the same instances
#'
#' @param ... Named views, or one named list of them, or a \code{MultiAssayExperiment}: matrices and data frames
#'   (instances in rows), sparse matrices of package Matrix, character vectors (sequences).
#' @param similarity Names of the views that are similarities between instances (n x n), not features. New instances have a
#'   column for each instance of training.
#' @return An object of class \code{cokernel_views}. Where all views have row names they are matched by these, and an instance
#'   that a view does not name lacks it; otherwise all must have as many rows. A row of a dense table that is \code{NA}
#'   throughout is that of an instance that lacks the view.
#' @export
ck_views <- function(..., similarity = character()) {
  given <- list(...)
  if (length(given) == 1 && inherits(given[[1]], "cokernel_views")) return(given[[1]])
  order <- NULL
  if (length(given) == 1 && methods::is(given[[1]], "MultiAssayExperiment")) {
    order <- rownames(MultiAssayExperiment::colData(given[[1]]))
    given <- of_experiments(given[[1]])
  }
  if (length(given) == 1 && is.list(given[[1]]) && !is.data.frame(given[[1]]) && is.null(names(given))) given <- given[[1]]
  if (!length(given)) stop("views: expected at least one", call. = FALSE)
  if (length(given) == 1 && is.null(names(given))) names(given) <- "x"
  if (is.null(names(given)) || any(names(given) == "")) stop("views: every view needs a name", call. = FALSE)
  if (anyDuplicated(names(given))) stop("views: '", names(given)[duplicated(names(given))][1], "' is there twice", call. = FALSE)
  unknown <- setdiff(similarity, names(given))
  if (length(unknown)) {
    stop("similarity: there is no view '", unknown[1], "'; there are ", paste(names(given), collapse = ", "), call. = FALSE)
  }
  views <- lapply(names(given), function(name) {
    one_view(name, given[[name]], if (name %in% similarity) "similarity")
  })
  matched(views, order)
}

# The views over the same instances, in the same order: that of these names, or of the first view and what the others add.
matched <- function(views, order = NULL) {
  named <- vapply(views, function(v) !is.null(v$ids), TRUE)
  for (v in views[named]) {
    if (anyNA(v$ids)) stop("view '", v$name, "': a row has no name", call. = FALSE)
    if (anyDuplicated(v$ids)) {
      stop("view '", v$name, "': two rows are named '", v$ids[duplicated(v$ids)][1], "'", call. = FALSE)
    }
  }
  sizes <- vapply(views, function(v) v$n, 1)
  if (all(named)) {
    ids <- unique(unlist(lapply(views, function(v) v$ids)))
    if (!is.null(order)) ids <- intersect(order, ids)
    views <- lapply(views, placed, ids = ids)
  } else {
    ids <- if (any(named)) views[[which(named)[1]]]$ids
    same <- vapply(views[named], function(v) identical(v$ids, ids), TRUE)
    if (length(unique(sizes)) > 1 || !all(same)) {
      stop("views: some have row names and some have none, so that rows cannot be matched (",
           paste0(vapply(views, function(v) v$name, ""), ": ", sizes, " rows", ifelse(named, ", named", ""), collapse = "; "),
           "); name the rows of all, or give all in the same order without names", call. = FALSE)
    }
    views <- lapply(views, function(v) placed(v, NULL))
  }
  structure(list(views = views, ids = ids, n = if (is.null(ids)) sizes[1] else length(ids)), class = "cokernel_views")
}

# A view with a row for each of these instances, and which of them have it.
placed <- function(view, ids) {
  rows <- if (is.null(ids)) seq_len(view$n) else match(ids, view$ids)
  present <- !is.na(rows)
  if (view$kind == "dense") {
    x <- view$data
    lacking <- if (ncol(x)) rowSums(is.na(x)) == ncol(x) else rep(FALSE, nrow(x))
    present <- present & !lacking[ifelse(present, rows, 1)]
    if (!is.null(ids)) x <- x[rows, , drop = FALSE]
    x[!present, ] <- 0
    view$data <- unname(x)
  } else if (view$kind == "sequences") {
    present <- present & !is.na(view$data[ifelse(present, rows, 1)])
    if (!is.null(ids)) view$data <- view$data[rows]
    view$data[!present] <- ""
  } else if (!is.null(ids) && !identical(ids, view$ids)) {
    view <- placed_between(view, ids, rows, present)
  } else if (view$kind == "similarity") {
    view$data <- unname(view$data)
  }
  view$present <- if (all(present)) NULL else present
  view$ids <- NULL
  view$n <- length(rows)
  view
}

# Similarities (n x n) and sparse tables in another order, with rows for those that lack them.
placed_between <- function(view, ids, rows, present) {
  square <- view$kind %in% c("similarity", "graph")
  if (view$kind == "similarity") {
    if (nrow(view$data) != ncol(view$data)) {
      view$data <- unname(view$data[rows, , drop = FALSE])
      view$data[!present, ] <- 0
      return(view)
    }
    x <- view$data[rows, rows, drop = FALSE]
    x[!present, ] <- 0
    x[, !present] <- 0
    view$data <- unname(x)
    return(view)
  }
  x <- Matrix::sparseMatrix(i = view$data$i + 1, p = view$data$p, x = view$data$x, dims = view$data$dim)
  x <- rbind(x, Matrix::sparseMatrix(i = integer(), j = integer(), x = numeric(), dims = c(1, ncol(x))))
  at <- ifelse(present, rows, nrow(x))
  if (square) {
    x <- cbind(x, Matrix::sparseMatrix(i = integer(), j = integer(), x = numeric(), dims = c(nrow(x), 1)))
    x <- x[at, at, drop = FALSE]
  } else {
    x <- x[at, , drop = FALSE]
  }
  x <- methods_as(x)
  view$data <- list(p = x@p, i = x@i, x = as.numeric(x@x), dim = dim(x))
  view
}

#' @export
print.cokernel_views <- function(x, ...) {
  cat(x$n, "instances,", length(x$views), if (length(x$views) == 1) "view\n" else "views\n")
  for (v in x$views) {
    width <- switch(v$kind, sequences = "", paste0(", ", if (is.matrix(v$data)) ncol(v$data) else v$data$dim[2], " columns"))
    lacking <- if (is.null(v$present)) "" else paste0(", ", sum(!v$present), " instances lack it")
    cat("  ", v$name, ": ", v$kind, width, lacking, "\n", sep = "")
  }
  invisible(x)
}
