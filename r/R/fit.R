# Learning a combination of kernels.

# What is not a parameter of a method.
run_of <- function(seed, threads, time_limit, memory, verbose) {
  if (!(is.logical(verbose) && length(verbose) == 1 && !is.na(verbose))) stop("verbose: expected TRUE or FALSE", call. = FALSE)
  list(seed = in_range(seed, "seed", 0, 2^53, TRUE), threads = in_range(threads, "threads", 1, 1e6, TRUE),
       time_limit = in_range(time_limit, "time_limit", 0, Inf), memory = in_range(memory, "memory", 0, Inf), verbose = verbose)
}

# Views as they are given to learn from.
views_of <- function(views, similarity = character()) ck_views(views, similarity = similarity)

# The target in the order of the instances.
ordered <- function(y, ids, n, what) {
  if (!is.null(ids) && !is.null(names(y))) {
    strange <- setdiff(names(y), ids)
    if (length(strange) == length(y)) stop(what, ": none of its names is that of an instance", call. = FALSE)
    without <- setdiff(ids, names(y))
    if (length(strange) && length(without)) {
      warning(what, ": ", length(strange), " of its names are those of no instance, such as '", strange[1], "', and ", length(without),
              " instances have none, such as '", without[1], "'", call. = FALSE)
    }
    if (anyDuplicated(names(y))) stop(what, ": '", names(y)[duplicated(names(y))][1], "' is there twice", call. = FALSE)
    return(y[match(ids, names(y))])
  }
  if (length(y) != n) stop(what, ": expected ", n, " values, one for each instance, found ", length(y), call. = FALSE)
  y
}

# Classes as names in the library's order and codes from 0, -1 for none.
classes_of <- function(y) {
  kind <- if (is.numeric(y)) if (all(is.na(y) | y == round(y))) "whole" else "real" else "text"
  words <- if (is.numeric(y)) sprintf(if (kind == "whole") "%.0f" else "%.15g", y) else utf8(as.character(y))
  words[is.na(y)] <- NA
  found <- unique(words[!is.na(words)])
  numbers <- suppressWarnings(as.numeric(found))
  names <- if (anyNA(numbers)) sort(found, method = "radix") else found[order(numbers)]
  codes <- match(words, names) - 1
  codes[is.na(codes)] <- -1
  list(y = codes, classes = names, kind = kind)
}

# The task that a target asks for.
task_of <- function(y, task) {
  if (!is.null(task)) {
    if (!(is.character(task) && length(task) == 1 && task %in% c("classify", "regress", "detect"))) {
      stop("task: expected \"classify\", \"regress\" or \"detect\"", call. = FALSE)
    }
    return(task)
  }
  if (is.null(y)) return("detect")
  if (!is.numeric(y)) return("classify")
  few <- unique(y[!is.na(y)])
  if (length(few) <= 10 && all(few == round(few))) {
    stop("y: ", length(few), " different whole numbers may be classes or numbers; say task = \"classify\" or task = \"regress\"",
         call. = FALSE)
  }
  "regress"
}

#' Learn a combination of kernels
#'
#' @param views Views of the same instances: a named list, see \code{\link{ck_views}}, or a \code{MultiAssayExperiment}.
#' @param y Classes (factor, text, logical) or numbers, in the order of the instances or with their names; \code{NULL} to
#'   detect outliers. \code{NA} is not known.
#' @param method Which method, see \code{\link{ck_methods}}.
#' @param kernels Kernels as texts, such as \code{"gaussian"}, \code{"gaussian@rna:sigma=3"}, \code{"linear"};
#'   \code{NULL} for the usual ones of the library.
#' @param C Cost of an error of the machine, where it has one.
#' @param machine Which machine, see \code{\link{ck_machines}}, with its parameters as in \code{"svr:epsilon=0.2"}.
#' @param task \code{"classify"}, \code{"regress"} or \code{"detect"}, where y does not say it.
#' @param params,machine_params Named lists of parameters of the method and of the machine, see \code{\link{ck_parameters}}.
#' @param scale What is done to features: \code{"none"}, \code{"standard"} or \code{"min_max"}, as the training data say.
#' @param missing What is done about instances that lack a view: \code{"auto"} and what the library's guide lists.
#' @param weights Weights of the instances, 0 or more.
#' @param probability \code{"sigmoid"} or \code{"isotonic"} for probabilities of classes.
#' @param folds Folds of their calibration.
#' @param similarity Names of the views that are similarities.
#' @param storage How kernels are kept: \code{"auto"}, \code{"resident"}, \code{"on_demand"}, \code{"nystroem:rank=200"}, \code{"fourier:rank=200"} ...
#' @param seed Seed of every random choice: the same seed gives the same model on any number of threads.
#' @param threads Number of threads; \code{NULL} is all.
#' @param time_limit Seconds after which what there is is taken.
#' @param memory Bytes for kernels.
#' @param verbose Whether to tell of progress.
#' @return An object of class \code{cokernel}; \code{predict}, \code{weights}, \code{summary} and \code{plot} know it, and
#'   \code{\link{ck_save}} writes it for the command line and for Python.
#' @export
cokernel <- function(views, y = NULL, method = "simple_mkl", kernels = NULL, C = NULL, machine = NULL, task = NULL,
                     params = list(), machine_params = list(), scale = "standard", missing = "auto", weights = NULL,
                     probability = NULL, folds = 5, similarity = character(), storage = "auto", seed = 0, threads = NULL,
                     time_limit = NULL, memory = NULL, verbose = FALSE) {
  views <- for_training(views_of(views, similarity))
  task <- task_of(y, task)
  if (task != "detect" && is.null(y)) stop("y: needed to ", task, call. = FALSE)
  if (is.null(machine)) machine <- native(wrap__ck_machine_of, task)
  if (!is.null(C)) {
    if (!is.null(machine_params$c)) stop("C: is given twice, also in machine_params", call. = FALSE)
    if (!(is.numeric(C) && length(C) == 1)) stop("C: expected a number above 0", call. = FALSE)
    machine_params$c <- C
  }
  folds <- in_range(folds, "folds", 2, 1000, TRUE)
  given <- list(n = views$n, weights = if (!is.null(weights)) as.numeric(ordered(weights, views$ids, views$n, "weights")))
  levels <- NULL
  if (task == "classify") {
    y <- ordered(y, views$ids, views$n, "y")
    levels <- if (is.factor(y)) levels(y)
    given <- c(given, classes_of(y))
  } else if (task == "regress") {
    if (!is.numeric(y)) stop("y: expected numbers to regress, found ", class(y)[1], call. = FALSE)
    given$y <- as.numeric(ordered(y, views$ids, views$n, "y"))
  }
  spec <- list(task = task, method = method, kernels = kernels, machine = machine, params = params,
               machine_params = machine_params, scale = scale, missing = missing, storage = storage,
               probability = probability, folds = folds)
  run <- run_of(seed, threads, time_limit, memory, verbose)
  bytes <- native(wrap__ck_fit, views$views, given, spec, run)
  model <- model_of(bytes, levels = levels, ids = views$ids, call = match.call())
  told_of(model$told$report)
  model
}

# Warns of what must not be overlooked: remarks of the data, and an end before the tolerance.
told_of <- function(report) {
  for (note in report$warnings) warning(note, call. = FALSE)
  if (!report$status %in% c("converged", "closed_form")) {
    notes <- unlist(report$notes)
    early <- notes[grepl("ended before|stopped early", notes)]
    warning(if (length(early)) early[1] else paste("ended before its tolerance:", report$status), call. = FALSE)
  }
}

# A model from the content of its file.
model_of <- function(bytes, levels = NULL, ids = NULL, call = NULL) {
  told <- native(wrap__ck_summary, bytes)
  structure(list(bytes = bytes, told = told, levels = levels, ids = ids, call = call), class = "cokernel")
}

#' What a model says about instances
#'
#' @param object A model.
#' @param views The views of the instances, by the same names. A similarity has a column for each instance of training.
#' @param type \code{"response"}: classes (a factor), numbers, or \code{outlier} and \code{inlier}; \code{"decision"}: decision values,
#'   a column for each machine; \code{"probability"}: a column for each class; \code{"deviation"}: standard deviations of
#'   numbers.
#' @param threads,memory,time_limit As for \code{\link{cokernel}}.
#' @param ... Not used.
#' @return A vector or matrix, named by instances where these have names.
#' @export
predict.cokernel <- function(object, views, type = c("response", "decision", "probability", "deviation"), threads = NULL,
                             memory = NULL, time_limit = NULL, ...) {
  type <- match.arg(type)
  views <- for_new(views_of(views, similar(object$told, views)), object$ids)
  found <- native(wrap__ck_predict, object$bytes, views$views, run_of(0, threads, time_limit, memory, FALSE))
  for (note in found$notes) message("cokernel: ", note)
  if (type == "decision") return(named_rows(found$decisions, views$ids, found$machines))
  if (type == "probability") {
    if (is.null(found$probabilities)) {
      stop("the model has no probabilities; fit it with probability = \"sigmoid\"", call. = FALSE)
    }
    return(named_rows(found$probabilities, views$ids, found$classes))
  }
  if (type == "deviation") {
    if (is.null(found$deviations)) stop("the model tells no deviations (method \"gaussian_process\" does)", call. = FALSE)
    return(setNames(found$deviations[, 1], views$ids))
  }
  if (length(found$classes) && length(found$codes)) {
    levels <- if (is.null(object$levels)) found$classes else object$levels
    return(setNames(factor(found$classes[found$codes], levels = levels), views$ids))
  }
  setNames(found$decisions[, 1], views$ids)
}

named_rows <- function(x, rows, columns) {
  dimnames(x) <- list(rows, columns)
  x
}

#' Gates of instances
#'
#' @param model A model of a localised method.
#' @param views The views of the instances.
#' @return A matrix, instances x gates; \code{NULL} where the method has none.
#' @export
gates <- function(model, views) {
  views <- for_new(views_of(views, similar(model$told, views)), model$ids)
  found <- native(wrap__ck_gates, model$bytes, views$views, run_of(0, NULL, NULL, NULL, FALSE))
  if (is.null(found)) NULL else named_rows(found$values, views$ids, found$names)
}

#' Support vectors of a model
#'
#' @param model A model.
#' @return A list of \code{rows} (instances of training, counted from 1), \code{coefficients} (machines x support vectors) and
#'   \code{bias}: a decision value is the sum of coefficients times kernel values, plus the bias.
#' @export
support <- function(model) native(wrap__ck_duals, model$bytes)

#' Weights of kernels
#'
#' @param object A model.
#' @param ... Not used.
#' @return A named vector.
#' @export
weights.cokernel <- function(object, ...) {
  all <- object$told$weights
  setNames(vapply(all, function(w) as.numeric(w$weight), 1), vapply(all, function(w) as.character(w$kernel), ""))
}

#' @export
print.cokernel <- function(x, ...) {
  told <- x$told
  report <- told$report
  cat("Cokernel model: ", told$method, " with ", told$machine$id, ", ", told$n_train, " instances", sep = "")
  if (length(told$classes)) cat(", ", length(told$classes), " classes", sep = "")
  cat("\n", report$status, " after ", report$iterations, " iterations", sep = "")
  if (!is.null(report$gap) && !is.na(report$gap)) cat(", duality gap ", format(report$gap, digits = 2), sep = "")
  cat("\n")
  found <- sort(weights(x), decreasing = TRUE)
  if (length(found)) {
    cat("weights (", sum(found != 0), " of ", length(found), " kernels are used)\n", sep = "")
    print(head(data.frame(weight = round(found, 4)), 20))
  }
  invisible(x)
}

#' Everything a model tells about itself
#'
#' @param object A model.
#' @param ... Not used.
#' @return A list: method, parameters, machine, seed, version, views, weights, report.
#' @export
summary.cokernel <- function(object, ...) object$told

#' A picture of the weights
#'
#' @param x A model.
#' @param most Kernels to show, those with the largest weights.
#' @param ... For \code{\link[graphics]{barplot}}.
#' @return The weights that are shown.
#' @export
plot.cokernel <- function(x, most = 20, ...) {
  found <- rev(head(sort(weights(x), decreasing = TRUE), in_range(most, "most", 1, 1e6, TRUE)))
  before <- par(mar = c(4, 2 + 0.45 * max(nchar(names(found))), 2, 1))
  on.exit(par(before))
  barplot(found, horiz = TRUE, las = 1, xlab = "weight", main = x$told$method, ...)
  invisible(rev(found))
}
