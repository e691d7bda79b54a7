# Usage: Rscript script.R FOLDER   (reads FOLDER/../glmm/input.csv.gz, writes FOLDER/expected.json)
# The restricted likelihood: fixed effects integrated out by Laplace's method together with the random ones.
args <- commandArgs(trailingOnly = TRUE)
DIR <- if (length(args) >= 1) args[1] else "."
suppressPackageStartupMessages({library(jsonlite); library(glmmTMB)})
d <- read.csv(gzfile(file.path(DIR, "..", "glmm", "input.csv.gz")), stringsAsFactors = FALSE)
for (v in c("model", "item", "category")) d[[v]] <- factor(d[[v]])
d$obs <- factor(seq_len(nrow(d)))
few <- droplevels(subset(d, model %in% c("m01", "m05", "m06", "m07", "m09", "m10")))
fixed <- "category + log10_params + corpus"
one <- function(y, re, data) {
  f <- as.formula(sprintf("cbind(%s, n - %s) ~ %s + %s", y, y, fixed, re))
  m <- glmmTMB(f, data = data, family = binomial, REML = TRUE,
               control = glmmTMBControl(optCtrl = list(iter.max = 2000, eval.max = 2000)))
  sds <- sapply(VarCorr(m)$cond, function(x) attr(x, "stddev")); names(sds) <- names(VarCorr(m)$cond)
  se <- sqrt(diag(m$sdr$cov.fixed))
  list(formula = deparse1(f), nobs = nobs(m), models = I(levels(data$model)), fixef = as.list(fixef(m)$cond),
       se = as.list(sqrt(diag(vcov(m)$cond))), random_sd = as.list(sds),
       log_sd_se = as.list(setNames(unname(se), names(sds))), logLik = as.numeric(logLik(m)),
       convergence = m$fit$convergence, pd_hessian = isTRUE(m$sdr$pdHess))
}
base <- "(1|item) + (1|model)"
out <- list(base = one("correct", base, d),
            model_category = one("correct_mc", paste(base, "+ (1|model:category)"), d),
            olre = one("correct_od", paste(base, "+ (1|obs)"), d),
            few_models = one("correct", base, few))
pv <- function(p) as.character(packageVersion(p))
meta <- list(r_version = R.version.string, packages = list(glmmTMB = pv("glmmTMB"), TMB = pv("TMB"), jsonlite = pv("jsonlite")),
             notes = "glmmTMB with REML = TRUE; fixef is the joint mode, se its standard error from the joint Laplace approximation")
writeLines(toJSON(c(list(meta = meta), out), digits = I(15), auto_unbox = TRUE, na = "null", pretty = TRUE),
           file.path(DIR, "expected.json"))
