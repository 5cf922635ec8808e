# The R client and a server that misbehaves: Rscript misbehaving.R URL MODES. Prints what each kind of answer leads to.
source("clients/r/patient_risk.R")
words <- commandArgs(trailingOnly = TRUE)
frame <- data.frame(idx = 1:2, age = 84:85)
outcome <- function(mode) {
  tryCatch(
    paste(risk_score(frame, paste0(words[1], "/", mode), "key", retries = 1)$risk, collapse = " "),
    error = function(error) paste("RiskServiceError:", conditionMessage(error))
  )
}
modes <- strsplit(words[2], ",")[[1]]
cat(jsonlite::toJSON(setNames(lapply(modes, outcome), modes), auto_unbox = TRUE), "\n")
