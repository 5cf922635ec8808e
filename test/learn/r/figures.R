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
  entry("curveLogLikelihood", as.numeric(logLik(curve))),
  entry("curveAt30And62And90", predict(curve, data.frame(age = c(30, 62, 90)), type = "response")),
  entry("chiSquareTails", pchisq(c(0.5, 3.84, 12, 40, 7.3), c(1, 1, 6, 9, 7), lower.tail = FALSE)),
  entry("netBenefitAt02", (sum(risk >= 0.2 & y == 1) - sum(risk >= 0.2 & y == 0) * 0.25) / n)
)
writeLines(c("{", paste(lines, collapse = ",\n"), "}"), "figures.json")
