# Makes rows.csv and figures.json: what R's glm and plain definitions give, for the tests to compare with.
# Run in this folder: Rscript figures.R
set.seed(20240607)
n <- 1000
patient <- sample(1:600, n, replace = TRUE)
age <- sample(20:99, n, replace = TRUE)
male <- rbinom(n, 1, 0.45)
stay <- rpois(n, 5)
albumin <- round(rnorm(n, 3.6, 0.5), 1)
eta <- -3 + 0.03 * age + 0.2 * male + 0.4 * log(1 + stay) - 0.5 * (albumin - 3.6)
y <- rbinom(n, 1, plogis(eta))
rows <- data.frame(patient, age, sex = ifelse(male == 1, "M", "F"), stay, albumin, y)
write.csv(rows, "rows.csv", row.names = FALSE, quote = FALSE)

tight <- glm.control(epsilon = 1e-15, maxit = 50)
fit <- glm(y ~ I(age / 10) + I((age / 10)^2) + male + log(1 + stay) + albumin, family = binomial, control = tight)
p <- fitted(fit)
X <- model.matrix(fit)
scores <- rowsum(X * (y - p), patient)
groups <- nrow(scores)
bread <- summary(fit)$cov.unscaled
clustered <- bread %*% (crossprod(scores) * groups / (groups - 1)) %*% bread

# The c-statistic and DeLong's error by their definitions, over all pairs.
psi <- outer(p[y == 1], p[y == 0], function(a, b) (a > b) + 0.5 * (a == b))
delong <- sqrt(var(rowMeans(psi)) / sum(y) + var(colMeans(psi)) / sum(1 - y))

# A model from elsewhere, to be validated: its risks are printed with three decimals, so that there are ties.
risk <- round(plogis(-4.2 + 0.045 * age + 0.1 * stay), 3)
odds <- qlogis(risk)
line <- glm(y ~ odds, family = binomial, control = tight)
large <- glm(y ~ offset(odds), family = binomial, control = tight)
psi2 <- outer(risk[y == 1], risk[y == 0], function(a, b) (a > b) + 0.5 * (a == b))
delong2 <- sqrt(var(rowMeans(psi2)) / sum(y) + var(colMeans(psi2)) / sum(1 - y))

# The same space of curves from another basis.
library(splines)
curve <- glm(y ~ ns(age, knots = c(40, 60, 75), Boundary.knots = c(25, 95)), family = binomial, control = tight)

# Errors by patient: the sandwich for the calibration line and calibration in the large, and for the c-statistic the
# influence of each row added up by patient.
sandwiched <- function(model) {
  X <- model.matrix(model)
  U <- rowsum(X * (y - fitted(model)), patient)
  B <- summary(model)$cov.unscaled
  sqrt(diag(B %*% (crossprod(U) * nrow(U) / (nrow(U) - 1)) %*% B))
}
influence <- numeric(n)
m1 <- sum(y); m0 <- sum(1 - y); c2 <- mean(psi2)
influence[y == 1] <- (rowMeans(psi2) - c2) * sqrt(m1 / (m1 - 1)) / m1
influence[y == 0] <- (colMeans(psi2) - c2) * sqrt(m0 / (m0 - 1)) / m0
clusteredC <- sqrt(sum(rowsum(influence, patient)^2))

# Recalibration of one model with each kind of link: three terms of points, and the score test of the largest candidate
# against each smaller one, by plain matrix algebra. The covariance of the outcomes is that of the smaller model, with one
# correlation rho between the rows of a patient, over all pairs of rows.
x <- cbind(round(age / 20), 2 * male, pmin(stay, 4))
s <- rowSums(x)
strata <- c(rep(0.1, 4), rep(0.25, 3), rep(0.5, 20))
logistic <- plogis(-3 + 0.35 * s)
links <- list(
  logistic = logistic,
  recalibrated = plogis(0.2 + 0.9 * qlogis(logistic)),
  scoreTable = round(plogis(-2.5 + 0.25 * (0:20)), 3)[s + 1],
  strata = strata[s + 1],
  survival = 1 - 0.9^exp(0.15 * s)
)
same <- outer(patient, patient, "==") & !diag(n)
scoreTest <- function(p, known, tested) {
  w <- p * (1 - p)
  e <- y - p
  z <- tested
  if (!is.null(known)) z <- tested - known %*% solve(crossprod(known * w, known), crossprod(known * w, tested))
  rho <- sum(outer(e, e)[same]) / sum(outer(sqrt(w), sqrt(w))[same]) * sum(w) / sum(e^2)
  rho <- min(1, max(-0.9 / (max(table(patient)) - 1), rho))
  covariance <- outer(sqrt(w), sqrt(w)) * (rho * same + diag(n))
  total <- crossprod(z, e)
  statistic <- as.numeric(t(total) %*% solve(t(z) %*% covariance %*% z, total))
  c(statistic, ncol(tested), pchisq(statistic, ncol(tested), lower.tail = FALSE))
}
updating <- unlist(lapply(names(links), function(name) {
  L <- qlogis(links[[name]])
  shift <- glm(y ~ offset(L), family = binomial, control = tight)
  line <- glm(y ~ L, family = binomial, control = tight)
  isSum <- name %in% c("logistic", "recalibrated")
  # The log odds of a sum are a combination of the terms, so one term is left out against the slope.
  full <- if (isSum) x else cbind(L)
  one <- rep(1, n)
  tests <- c(
    scoreTest(links[[name]], NULL, cbind(one, full)),
    scoreTest(fitted(shift), cbind(one), full),
    scoreTest(fitted(line), cbind(one, L), x[, 1:2])
  )
  # Of a sum this is the test of the refit against the slope; of a table, the test that all three terms add nothing.
  if (!isSum) tests[7:9] <- scoreTest(fitted(line), cbind(one, L), x)
  setNames(list(c(coef(shift), coef(line), tests)), name)
}), recursive = FALSE)

number <- function(x) paste(format(x, digits = 17, scientific = TRUE, trim = TRUE), collapse = ", ")
entry <- function(name, x) {
  values <- number(unname(x))
  if (length(x) > 1) values <- paste0("[", values, "]")
  sprintf("  \"%s\": %s", name, values)
}
lines <- c(
  entry("coefficients", coef(fit)),
  entry("errors", sqrt(diag(bread))),
  entry("clusteredErrors", sqrt(diag(clustered))),
  entry("logLikelihood", as.numeric(logLik(fit))),
  entry("c", mean(psi)),
  entry("cError", delong),
  entry("brier", mean((p - y)^2)),
  entry("otherC", mean(psi2)),
  entry("otherCError", delong2),
  entry("otherBrier", mean((risk - y)^2)),
  entry("otherIntercept", coef(line)[1]),
  entry("otherSlope", coef(line)[2]),
  entry("otherLineErrors", sqrt(diag(vcov(line)))),
  entry("otherInTheLarge", coef(large)[1]),
  entry("otherInTheLargeError", sqrt(vcov(large)[1])),
  entry("otherLineErrorsByPatient", sandwiched(line)),
  entry("otherInTheLargeErrorByPatient", sandwiched(large)),
  entry("otherCErrorByPatient", clusteredC),
  sapply(names(updating), function(name) entry(name, updating[[name]])),
  entry("curveLogLikelihood", as.numeric(logLik(curve))),
  entry("curveAt30And62And90", predict(curve, data.frame(age = c(30, 62, 90)), type = "response")),
  entry("chiSquareTails", pchisq(c(0.5, 3.84, 12, 40, 7.3), c(1, 1, 6, 9, 7), lower.tail = FALSE)),
  entry("noncentralTails", pchisq(c(5.99, 12.6, 3.84, 40), c(2, 6, 1, 9), ncp = c(9.63, 3, 0.2, 60), lower.tail = FALSE)),
  entry("chiSquareLimits", qchisq(0.95, c(1, 2, 6, 31))),
  entry("netBenefitAt02", (sum(risk >= 0.2 & y == 1) - sum(risk >= 0.2 & y == 0) * 0.25) / n)
)
writeLines(c("{", paste(lines, collapse = ",\n"), "}"), "figures.json")
