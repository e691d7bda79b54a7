# Usage: Rscript mixed.R DATA.csv OUT.json REPEATS   Fits of lme4 (nAGQ = 1) and glmmTMB, wall seconds of the fit alone.
args <- commandArgs(trailingOnly = TRUE)
suppressPackageStartupMessages({library(jsonlite); library(lme4); library(glmmTMB)})
d <- read.csv(args[1], stringsAsFactors = FALSE)
for (v in c("model", "item", "category")) d[[v]] <- factor(d[[v]])
f <- cbind(correct, trials - correct) ~ category + log10_params + corpus + (1 | item) + (1 | model)
timed <- function(repeats, run) {
  best <- Inf
  for (k in seq_len(repeats)) best <- min(best, system.time(m <- run())["elapsed"])
  list(model = m, seconds = unname(best))
}
tmb <- timed(as.integer(args[3]), function() glmmTMB(f, data = d, family = binomial))
lme <- timed(1L, function() glmer(f, data = d, family = binomial, nAGQ = 1))
version <- function(p) as.character(packageVersion(p))
se <- sqrt(diag(vcov(tmb$model)$cond))
out <- list(
  r = R.version.string,
  glmmTMB = list(version = version("glmmTMB"), seconds = tmb$seconds, logLik = as.numeric(logLik(tmb$model)),
                 beta = unname(fixef(tmb$model)$cond), se = unname(se)),
  glmer = list(version = version("lme4"), seconds = lme$seconds, logLik = as.numeric(logLik(lme$model)),
               beta = unname(fixef(lme$model)), se = unname(sqrt(diag(as.matrix(vcov(lme$model)))))))
writeLines(toJSON(out, digits = I(15), auto_unbox = TRUE), args[2])
