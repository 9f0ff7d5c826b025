# Tests of the package; prints how many passed. COKERNEL_CLI names the command line, for the test that files are the same.
library(cokernel)

passed <- 0
failed <- 0
skipped <- 0
check <- function(what, code) {
  result <- tryCatch({
    code
    TRUE
  }, error = function(e) {
    message("FAILED ", what, ": ", conditionMessage(e))
    FALSE
  })
  if (result) passed <<- passed + 1 else failed <<- failed + 1
}
skip <- function(what) {
  message("skipped ", what)
  skipped <<- skipped + 1
}
near <- function(a, b, by = 1e-9) stopifnot(length(a) == length(b), max(abs(as.numeric(a) - as.numeric(b))) <= by)
refused <- function(code, words) {
  told <- tryCatch({
    code
    stop("was not refused")
  }, error = conditionMessage)
  if (!grepl(words, told, fixed = TRUE)) stop("expected '", words, "', found '", told, "'")
}

data <- cokernel_data("synthetic_1", n = 120, seed = 1)
views <- data$views
y <- data$y
n <- length(y)
rows <- sprintf("p%03d", seq_len(n))
named <- lapply(views, function(x) {
  rownames(x) <- rows
  x
})

check("kernels are those of a plain loop", {
  K <- ck_kernels(views, c("gaussian:sigma=1", "linear"))
  X <- views[[1]]
  near(K[[1]], exp(-as.matrix(dist(X))^2 / 2), 1e-12)
  linear <- K[[grep("linear@view1", names(K))]]
  near(linear, X %*% t(X), 1e-12)
})

check("decision values are kernels times coefficients, the gap is that of the raw matrices", {
  C <- 2
  model <- cokernel(views, y, kernels = "gaussian:sigma=1", C = C, scale = "none", params = list(tol = 1e-6),
                    machine_params = list(tol = 1e-8))
  K <- ck_kernels(views, "gaussian:sigma=1")
  w <- weights(model)
  stopifnot(identical(names(w), names(K)), abs(sum(w) - 1) < 1e-9)
  found <- support(model)
  a <- numeric(n)
  a[found$rows] <- found$coefficients[1, ]
  f <- Reduce(`+`, Map(`*`, K, w)) %*% a
  decision <- predict(model, views, "decision")
  near(decision[, 1], f + found$bias, 1e-9)
  t <- ifelse(y == sub(" vs.*", "", colnames(decision)), 1, -1)
  upper <- sum(a * f) / 2 + C * sum(pmax(0, 1 - t * (f + found$bias)))
  lower <- sum(a * t) - max(vapply(K, function(k) sum(a * (k %*% a)), 1)) / 2
  near((upper - lower) / upper, model$told$report$gap, 1e-7)
  stopifnot(model$told$report$gap <= 1e-6, model$told$report$status == "converged")
})

check("classes keep their levels, order and names", {
  target <- factor(ifelse(y == levels(y)[1], "low", "high"), levels = c("low", "high", "unused"))
  model <- cokernel(named, target)
  told <- predict(model, named)
  stopifnot(is.factor(told), identical(levels(told), levels(target)), identical(names(told), rows), mean(told == target) > 0.8)
  other <- sample(n)
  again <- predict(model, lapply(named, function(x) x[other, ]))
  stopifnot(identical(as.character(again), as.character(told[other])))
})

check("rows are matched by name, also of the target", {
  mixed <- named
  mixed[[2]] <- mixed[[2]][rev(rows), ]
  target <- setNames(y, rows)[rev(rows)]
  a <- cokernel(named, y, kernels = "gaussian:sigma=1")
  b <- cokernel(mixed, target, kernels = "gaussian:sigma=1")
  near(weights(a), weights(b), 1e-12)
  near(predict(a, named, "decision"), predict(b, named, "decision"), 1e-9)
  refused(cokernel(list(a = named[[1]], b = views[[2]][-1, ]), y), "some have row names and some have none")
  c <- cokernel(list(view1 = named[[1]], view2 = views[[2]]), y, kernels = "gaussian:sigma=1")
  near(weights(a), weights(c), 1e-12)
  twice <- named[[1]]
  rownames(twice)[2] <- "p001"
  refused(cokernel(list(a = twice), y), "two rows are named 'p001'")
})

check("instances may lack views", {
  some <- list(a = named[[1]][-(1:10), ], b = named[[2]][-(111:120), ])
  given <- ck_views(some)
  stopifnot(given$n == 120, sum(!given$views[[1]]$present) == 10, sum(!given$views[[2]]$present) == 10)
  model <- suppressWarnings(cokernel(some, setNames(y, rows), missing = "estimate"))
  stopifnot(length(predict(model, lapply(named, head, 5) |> setNames(c("a", "b")))) == 5)
  typo <- setNames(y, sub("p005", "q005", rows))
  stopifnot(grepl("q005", tryCatch(cokernel(named, typo), warning = conditionMessage)))
  empty <- named
  empty[[1]][3, ] <- NA
  stopifnot(sum(!ck_views(empty)$views[[1]]$present) == 1)
  empty[[1]][4, 1] <- NA
  refused(cokernel(empty, y), "not a finite number")
})

check("numbers and outliers", {
  x <- views[[1]][, 1]
  model <- cokernel(views, x^2, C = 10)
  told <- predict(model, views)
  stopifnot(is.numeric(told), cor(told, x^2) > 0.95)
  far <- lapply(views, function(v) rbind(v, 100))
  found <- predict(cokernel(far, machine = "one_class_svm:nu=0.05"), far)
  stopifnot(identical(levels(found), c("outlier", "inlier")), found[n + 1] == "outlier", mean(found == "inlier") > 0.9)
  refused(cokernel(views, rep(0:1, length.out = n)), "may be classes or numbers")
  refused(cokernel(views, as.character(y), task = "regress"), "expected numbers")
})

check("probabilities", {
  model <- cokernel(views, y, probability = "sigmoid")
  told <- predict(model, views, "probability")
  near(rowSums(told), rep(1, n), 1e-12)
  stopifnot(identical(colnames(told), levels(y)))
  refused(predict(cokernel(views, y), views, "probability"), "has no probabilities")
})

check("models are files, bytes and R's own files", {
  model <- cokernel(named, y, C = 3)
  file <- tempfile(fileext = ".ck")
  ck_save(model, file)
  read <- ck_load(file)
  stopifnot(identical(predict(read, named, "decision"), predict(model, named, "decision")))
  saveRDS(model, other <- tempfile())
  stopifnot(identical(predict(readRDS(other), named), predict(model, named)))
  writeBin(readBin(file, "raw", 1000), file)
  refused(ck_load(file), file)
  refused(ck_save(model, "/nowhere/model.ck"), "/nowhere/model.ck")
})

check("the same seed gives the same model on any number of threads", {
  one <- cokernel(views, y, threads = 1, seed = 3)
  two <- cokernel(views, y, threads = 2, seed = 3)
  stopifnot(identical(predict(one, views, "decision"), predict(two, views, "decision")))
})

check("clusters", {
  found <- cokernel_cluster(named, 2, method = "co_trained")
  agree <- mean((found$cluster == 1) == (y == levels(y)[1]))
  stopifnot(max(agree, 1 - agree) > 0.75, identical(names(found$cluster), rows), nrow(found$embedding) == n)
  stopifnot(mean(predict(found, named) == found$cluster) > 0.95)
  file <- tempfile()
  ck_save(found, file)
  stopifnot(identical(predict(ck_load(file), named), predict(found, named)))
  few <- cokernel_cluster(named, 2, method = "co_trained", storage = "nystroem:rank=40")
  ck_save(few, file)
  stopifnot(identical(predict(few, named), few$cluster), identical(predict(ck_load(file), named), few$cluster))
  stopifnot(max(abs(predict(few, named, "embedding") - few$embedding)) < 1e-8)
})

check("similarities", {
  K <- exp(-as.matrix(dist(named[[1]]))^2)
  train <- 1:80
  new <- 81:120
  model <- cokernel(list(sim = K[train, train], x = named[[2]][train, ]), y[train], similarity = "sim", scale = "none",
                    kernels = c("precomputed@sim", "gaussian@x:sigma=1"))
  told <- predict(model, list(sim = K[new, train], x = named[[2]][new, ]), "decision")
  stopifnot(mean((told[, 1] > 0) == (y[new] == sub(" vs.*", "", colnames(told)))) > 0.75)
  # Rows and columns in any order, in training and after it; as many new rows as old ones; sparse; instances without one.
  again <- predict(model, list(sim = K[rev(new), rev(train)], x = named[[2]][new, ]), "decision")
  near(told[rev(rownames(told)), ], again[rev(rownames(told)), ], 1e-12)
  other <- cokernel(list(sim = K[rev(train), rev(train)], x = named[[2]][train, ]), setNames(y, rows)[train], similarity = "sim",
                    scale = "none", kernels = c("precomputed@sim", "gaussian@x:sigma=1"))
  turned <- predict(other, list(sim = K[new, train], x = named[[2]][new, ]), "decision")
  near(told[rownames(told), ], turned[rownames(told), ], 1e-3)
  half <- 1:60
  small <- cokernel(list(x = named[[2]][half, ], sim = K[half, half]), y[half], similarity = "sim", scale = "none",
                    kernels = "precomputed@sim")
  a <- predict(small, list(x = named[[2]][61:120, ], sim = K[61:120, half]), "decision")
  b <- predict(small, list(x = named[[2]][61:120, ], sim = K[120:61, half]), "decision")
  near(a, b, 1e-12)
  lacking <- suppressWarnings(cokernel(list(x = named[[2]][half, ], sim = K[1:50, 1:50]), y[half], similarity = "sim", scale = "none",
                                       kernels = c("linear@x", "precomputed@sim"), missing = "estimate"))
  stopifnot(length(weights(lacking)) == 2)
  clusters <- cokernel_cluster(list(sim = K[train, train]), 2, similarity = "sim", scale = "none", kernels = "precomputed")
  stopifnot(length(clusters$cluster) == 80)
  refused(cokernel(ck_views(sim = K), y, similarity = "sim"), "made already")
  if (requireNamespace("Matrix", quietly = TRUE)) {
    S <- Matrix::Matrix(K * (K > 0.2), sparse = TRUE)
    one <- cokernel(list(x = named[[2]][half, ], sim = S[half, half]), y[half], similarity = "sim", scale = "none", kernels = "precomputed@sim")
    p <- predict(one, list(x = named[[2]][61:120, ], sim = S[61:120, half]), "decision")
    q <- predict(one, list(x = named[[2]][61:120, ], sim = S[120:61, rev(half)]), "decision")
    near(p, q, 1e-12)
  }
})

check("texts of other encodings", {
  words <- ifelse(y == levels(y)[1], "caf\xe9", "th\xe9")
  Encoding(words) <- "latin1"
  told <- predict(cokernel(views, words), views)
  stopifnot(identical(levels(told), enc2utf8(sort(unique(words)))), mean(as.character(told) == enc2utf8(words)) > 0.8)
  refused(cokernel(list(s = words), y, kernels = "spectrum:k=2"), "visible ASCII")
  refused(cokernel(views, y, kernels = "gaussian\xe9"), "gaussian")
  refused(ck_parameters(rawToChar(as.raw(255))), "")
})

check("instances without weight take no part", {
  w <- rep(c(1, 0), c(80, 40))
  far <- lapply(views, function(x) {
    x[81:120, ] <- 100 * x[81:120, ]
    x
  })
  near(predict(cokernel(views, y, weights = w), views, "decision"), predict(cokernel(far, y, weights = w), views, "decision"), 1e-12)
  refused(cokernel(views, y, weights = rep(0, n)), "")
})

check("classes that are numbers", {
  big <- ifelse(y == levels(y)[1], 100000, 200000)
  model <- cokernel(views, big, task = "classify")
  stopifnot(identical(sort(unique(as.character(predict(model, views)))), c("100000", "200000")))
  big[1] <- NaN
  stopifnot(length(cokernel(views, big, task = "classify")$told$classes) == 2)
})

check("sequences", {
  set.seed(1)
  texts <- vapply(seq_len(n), function(i) {
    paste(sample(c("a", "c", "g", "t"), 30, TRUE, if (y[i] == levels(y)[1]) c(4, 1, 1, 1) else c(1, 1, 1, 4)), collapse = "")
  }, "")
  model <- cokernel(list(dna = texts), y, kernels = "spectrum:k=2:normalize=unit_diagonal", C = 10)
  stopifnot(mean(predict(model, list(dna = texts)) == y) > 0.9)
})

check("gates", {
  model <- cokernel(named, y, method = "localized_mkl")
  found <- gates(model, named)
  stopifnot(nrow(found) == n, ncol(found) == 2, found >= 0, found <= 1, rowSums(found) > 0)
  stopifnot(is.null(gates(cokernel(named, y), named)))
})

check("what is wrong is named", {
  refused(cokernel(views, y, method = "simple_mlk"), "did you mean 'simple_mkl'?")
  refused(cokernel(views, y, params = list(tol = "a")), "tol")
  refused(cokernel(views, y, params = list(tolerance = 1)), "tolerance")
  refused(cokernel(views, y, machine = "svr"), "machines for that")
  refused(cokernel(views, y[-1]), "expected 120 values")
  refused(cokernel(views, y, C = -1), "'c'")
  refused(cokernel(views, y, seed = -1), "seed")
  refused(cokernel(views, y, time_limit = -1), "time_limit")
  refused(cokernel(list(views[[1]]), factor(rep("a", n))), "class")
  refused(cokernel(list(a = data.frame(x = letters)), letters), "not numeric")
  refused(cokernel(list(a = dist(views[[1]])), y), "distances are no similarities")
  refused(cokernel_cluster(views, 0), "k: expected a whole number")
  refused(predict(cokernel(views, y), views[1]), "view2")
  refused(cokernel(list(), y), "at least one")
})

check("an end before the tolerance is told", {
  told <- tryCatch(cokernel(views, y, time_limit = 0), warning = conditionMessage, error = conditionMessage)
  stopifnot(grepl("time limit", told))
})

check("pictures and words", {
  model <- cokernel(views, y)
  grDevices::pdf(NULL)
  shown <- plot(model)
  grDevices::dev.off()
  stopifnot(length(shown) == 2)
  words <- capture.output(print(model), print(ck_views(views)), print(cokernel_cluster(views, 2)))
  stopifnot(any(grepl("simple_mkl with svc, 120 instances, 2 classes", words)), any(grepl("view1: dense, 2 columns", words)))
  stopifnot("simple_mkl" %in% ck_methods("classify")$id, !"svr" %in% ck_machines("classify")$id,
            "tol" %in% ck_parameters("simple_mkl")$name)
})

check("the help has the arguments of the functions", {
  found <- tools::codoc("cokernel")
  if (length(found)) stop(paste(capture.output(print(found)), collapse = "; "))
  missing <- unlist(tools::undoc("cokernel"))
  if (length(missing)) stop("no help for ", paste(missing, collapse = ", "))
})

if (requireNamespace("Matrix", quietly = TRUE)) {
  check("sparse tables and graphs", {
    X <- views[[1]]
    X[abs(X) < 0.5] <- 0
    rownames(X) <- rows
    sparse <- Matrix::Matrix(X, sparse = TRUE)
    a <- cokernel(list(x = X), y, scale = "none", kernels = "gaussian:sigma=1")
    b <- cokernel(list(x = sparse), y, scale = "none", kernels = "gaussian:sigma=1")
    near(predict(a, list(x = X), "decision"), predict(b, list(x = sparse), "decision"), 1e-5)
    other <- sample(n)
    near(predict(b, list(x = sparse[other, ]), "decision"), predict(b, list(x = sparse), "decision")[other, , drop = FALSE], 1e-12)
    both <- ck_views(list(x = sparse[-1, ], z = named[[2]]))
    stopifnot(both$n == n, sum(!both$views[[1]]$present) == 1)
  })
} else skip("sparse tables: no package Matrix")

if (requireNamespace("MultiAssayExperiment", quietly = TRUE)) {
  check("a MultiAssayExperiment", {
    tables <- lapply(named, t)
    map <- do.call(rbind, lapply(names(tables), function(a) data.frame(assay = factor(a), primary = rows, colname = paste0(a, rows))))
    tables <- Map(function(x, a) {
      colnames(x) <- paste0(a, rows)
      rownames(x) <- paste0("f", seq_len(nrow(x)))
      x[, sample(ncol(x))]
    }, tables, names(tables))
    mae <- MultiAssayExperiment::MultiAssayExperiment(experiments = MultiAssayExperiment::ExperimentList(tables),
      colData = data.frame(class = y, row.names = rows), sampleMap = map)
    a <- cokernel(mae, setNames(y, rows), kernels = "gaussian:sigma=1")
    b <- cokernel(named, y, kernels = "gaussian:sigma=1")
    stopifnot(identical(ck_views(mae)$ids, rows))
    near(weights(a), weights(b), 1e-9)
    near(predict(a, mae, "decision"), predict(b, named, "decision"), 1e-9)
  })
} else skip("no package MultiAssayExperiment")

cli <- Sys.getenv("COKERNEL_CLI")
if (nzchar(cli)) {
  check("the command line predicts with the files of R, and R with those of the command line", {
    folder <- tempfile()
    dir.create(folder)
    at <- function(name) file.path(folder, name)
    for (v in names(views)) write.csv(format(as.data.frame(views[[v]]), digits = 17), at(paste0(v, ".csv")), row.names = FALSE, quote = FALSE)
    writeLines(c("class", as.character(y)), at("y.csv"))
    model <- cokernel(views, y, C = 2)
    ck_save(model, at("r.ck"))
    given <- unlist(lapply(names(views), function(v) c("--view", paste0(v, "=", at(paste0(v, ".csv"))))))
    run <- function(args) stopifnot(system2(cli, c(args, "--quiet"), stdout = at("out"), stderr = at("err")) == 0)
    run(c("predict", at("r.ck"), given, "-o", at("told.csv")))
    told <- read.csv(at("told.csv"), check.names = FALSE)
    stopifnot(all(as.character(told[[grep("label|class|predict", names(told))[1]]]) == as.character(predict(model, views))))
    run(c("fit", given, "--labels", at("y.csv"), "--kernel", "gaussian", "--scale", "standard", "--c", "2", "-o", at("cli.ck")))
    near(predict(ck_load(at("cli.ck")), views, "decision"), predict(model, views, "decision"), 1e-6)
  })
} else skip("the command line: COKERNEL_CLI is not set")

# The vignette's code runs.
vignette <- Sys.getenv("COKERNEL_VIGNETTE")
if (nzchar(vignette)) {
  check("the code of the vignette runs", {
    lines <- readLines(vignette)
    inside <- cumsum(grepl("^```", lines)) %% 2 == 1 & !grepl("^```", lines)
    grDevices::pdf(NULL)
    capture.output(eval(parse(text = lines[inside]), new.env()))
    grDevices::dev.off()
  })
} else skip("the vignette: COKERNEL_VIGNETTE is not set")

cat(passed, "passed,", failed, "failed,", skipped, "skipped\n")
if (failed > 0) quit(status = 1)
