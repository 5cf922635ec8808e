# Uses the R client against a running service: Rscript use_client.R URL KEY. Prints ok when everything held.
source("clients/r/patient_risk.R")
words <- commandArgs(trailingOnly = TRUE)
patient <- data.frame(age = 84L, sex = "F", inpatientAdmissions = 2L, emergencyAdmissions = 1L, stayDays = 7L)
frame <- patient[rep(1, 7000), ]
frame$age[7000] <- NA
result <- risk_score(frame, words[1], words[2], batch = 3000)
stopifnot(nrow(result) == 7000, all(result$idx == seq_len(7000)), all(result$risk[1:6999] == 0.2294))
stopifnot(is.na(result$risk[7000]), grepl("ValueMissing for value age", result$error_message[7000], fixed = TRUE))
stopifnot(inherits(try(risk_score(rbind(cbind(patient, idx = 1), cbind(patient, idx = 1)), words[1], words[2]), silent = TRUE), "try-error"))
cat("ok\n")
