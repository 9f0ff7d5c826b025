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
    # Numbers are those of rows, not names of instances.
    ids <- if (is.character(attr(x, "row.names"))) rownames(x)
    x <- as.matrix(x)
    rownames(x) <- ids
  }
  if (is_sparse(x)) {
    methods::validObject(x)
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
  if (length(given) == 1 && inherits(given[[1]], "cokernel_views")) {
    if (length(similarity)) stop("similarity: these views are made already; say it to ck_views()", call. = FALSE)
    return(given[[1]])
  }
  order <- NULL
  if (length(given) == 1 && methods::is(given[[1]], "MultiAssayExperiment")) {
    order <- rownames(MultiAssayExperiment::colData(given[[1]]))
    given <- of_experiments(given[[1]])
  }
  if (length(given) == 1 && is.list(given[[1]]) && !is.data.frame(given[[1]]) && is.null(names(given))) given <- given[[1]]
  if (!length(given)) stop("views: expected at least one", call. = FALSE)
  if (length(given) == 1 && is.null(names(given))) names(given) <- "x"
  if (is.null(names(given)) || anyNA(names(given)) || any(names(given) == "")) stop("views: every view needs a name", call. = FALSE)
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

# A view with a row for each of these instances, and which of them have it. `rows` are their rows in what was given.
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
  } else {
    view$height <- view$n
    view$data <- select(view, ifelse(present, rows, NA), NULL)
  }
  view$rows <- rows
  view$present <- if (all(present)) NULL else present
  view$ids <- NULL
  view$n <- length(rows)
  view
}

# Rows and columns of the matrix of a view, 0 where the number is NA; NULL is all.
select <- function(view, rows, columns) {
  if (view$kind == "similarity") {
    x <- view$data
    if (!is.null(rows)) x <- x[rows, , drop = FALSE]
    if (!is.null(columns)) x <- x[, columns, drop = FALSE]
    x[rows_without(rows, nrow(x)), ] <- 0
    x[, rows_without(columns, ncol(x))] <- 0
    return(unname(x))
  }
  size <- view$data$dim
  same <- function(at, all) is.null(at) || identical(as.integer(at), seq_len(all))
  if (same(rows, size[1]) && same(columns, size[2])) return(view$data)
  # An empty row and column stand for what is not there.
  x <- Matrix::sparseMatrix(i = view$data$i + 1, p = c(view$data$p, length(view$data$i)), x = view$data$x, dims = size + 1)
  at <- function(given, all) if (is.null(given)) seq_len(all) else ifelse(is.na(given), all + 1, given)
  x <- methods_as(x[at(rows, size[1]), at(columns, size[2]), drop = FALSE])
  list(p = x@p, i = x@i, x = as.numeric(x@x), dim = dim(x))
}

rows_without <- function(at, all) if (is.null(at)) rep(FALSE, all) else is.na(at)

# Views to learn from: the columns of similarities are the instances themselves.
for_training <- function(views) {
  views$views <- lapply(views$views, function(view) {
    if (!view$kind %in% c("similarity", "graph")) return(view)
    width <- if (view$kind == "similarity") ncol(view$data) else view$data$dim[2]
    columns <- view$rows
    named <- !is.null(view$columns) && !is.null(views$ids)
    if (named && !anyNA(match(views$ids[!is.na(view$rows)], view$columns))) {
      columns <- match(views$ids, view$columns)
      columns[is.na(view$rows)] <- NA
    } else if (width != view$height) {
      stop("view '", view$name, "': expected similarities between the instances, ", view$height, " columns, found ", width,
           call. = FALSE)
    }
    view$data <- select(view, NULL, columns)
    if (!is.null(views$ids)) view$columns <- views$ids
    view
  })
  views
}

# Views of new instances: the columns of similarities are the instances of training, by their names where both have some.
for_new <- function(views, ids) {
  views$views <- lapply(views$views, function(view) {
    if (!view$kind %in% c("similarity", "graph") || is.null(view$columns) || is.null(ids)) return(view)
    columns <- match(ids, view$columns)
    if (anyNA(columns)) {
      stop("view '", view$name, "': there is no column for '", ids[is.na(columns)][1], "', an instance of training", call. = FALSE)
    }
    view$data <- select(view, NULL, columns)
    view["columns"] <- list(NULL)
    view
  })
  views
}

# The views that were similarities in training, among those that are given.
similar <- function(told, views) {
  if (inherits(views, "cokernel_views")) return(character())
  kinds <- vapply(told$views, function(v) if (v$kind %in% c("similarity", "graph")) v$name else "", "")
  intersect(kinds[kinds != ""], names(views))
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
