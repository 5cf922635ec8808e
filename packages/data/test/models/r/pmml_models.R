# PMML by the R package pmml: logistic and Cox regression, trees and forests. Risks are those of R.
# Run as: Rscript pmml_models.R FOLDER TAG. Each model gets a folder, as import-folder.ts reads it.
suppressPackageStartupMessages({
  library(survival)
  library(rpart)
  library(randomForest)
  library(pmml)
})
arguments <- commandArgs(TRUE)
set.seed(11)
n <- 600
data <- data.frame(
  age = sample(18:99, n, TRUE),
  sodium = round(rnorm(n, 138, 5), 1),
  albumin = round(pmin(7, pmax(1, rnorm(n, 3.8, 0.6))), 1),
  sex = factor(sample(c("F", "M"), n, TRUE)),
  cancer = factor(sample(c("none", "solitary", "metastatic"), n, TRUE, c(0.7, 0.2, 0.1)))
)
odds <- (data$age - 65) / 15 - (data$sodium - 138) / 6 - (data$albumin - 3.8) + (data$sex == "M") * 0.4 + (data$cancer == "metastatic") * 1.5
data$event <- factor(ifelse(runif(n) < plogis(odds - 1), "yes", "no"))
time <- rexp(n, exp(0.5 * odds) / 60)
data$days <- pmin(round(time, 1) + 0.1, 100)
data$died <- as.integer(time < 100)

card <- '"card": {"summary": "Made from invented data, for tests.", "intendedUse": "None.", "users": "None.", "population": "None.", "setting": "None.", "outcome": "An invented event.", "horizonDays": 30, "missingData": "None.", "limits": ["It means nothing."]}'
folder <- function(name, document, fields, risk, import) {
  path <- file.path(arguments[1], paste0(arguments[2], "-", name))
  dir.create(path, recursive = TRUE)
  save_pmml(document, file.path(path, "model.pmml"))
  inputs <- paste0('"', fields, '": ', ifelse(fields == "sex", '{"values": ["F", "M"]}', "{}"), collapse = ", ")
  model <- paste0('{"id": "imported", "version": "1.0.0", "title": "An imported model", ', card, ', "inputs": {', inputs, '}, "source": {"cite": "Made for tests."}, "licence": {"status": "Our own.", "shipped": "All of it."}}')
  writeLines(paste0('{"data": {"outcome": {"column": null}}, "model": ', model, ', "import": ', import, "}"), file.path(path, "specification.json"))
  rows <- cbind(data[fields], risk = format(risk, digits = 17, trim = TRUE))
  write.csv(rows, file.path(path, "rows.csv"), row.names = FALSE, quote = FALSE)
}
all <- c("age", "sodium", "albumin", "sex", "cancer")
logistic <- glm(event ~ age + sodium + albumin + sex + cancer + sex:age, binomial, data)
folder("glm", pmml(logistic), all, predict(logistic, type = "response"), '{"event": "yes"}')
tree <- rpart(event ~ age + sodium + albumin + sex + cancer, data, control = rpart.control(cp = 0.005))
folder("rpart", pmml(tree), all, predict(tree)[, "yes"], '{"event": "yes"}')
cox <- coxph(Surv(days, died) ~ age + sodium + albumin + sex + cancer, data, ties = "breslow")
risk <- 1 - summary(survfit(cox, data), times = 30)$surv[1, ]
folder("cox", pmml(cox), all, risk, '{"horizon": 30}')
strata <- coxph(Surv(days, died) ~ age + albumin + cancer + strata(sex), data, ties = "breslow")
risk <- sapply(seq_len(n), function(row) 1 - summary(survfit(strata, data[row, ]), times = 30)$surv)
folder("cox-strata", pmml(strata), c("age", "albumin", "cancer", "sex"), risk, '{"horizon": 30}')
forest <- randomForest(as.integer(event == "yes") ~ age + sodium + albumin, data, ntree = 5, maxnodes = 8)
folder("forest", pmml(forest), c("age", "sodium", "albumin"), predict(forest, data), "{}")
