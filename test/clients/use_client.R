# Uses the R client against a running service: Rscript use_client.R URL KEY FLAKY_URL. Prints ok when everything held.
source("clients/r/patient_risk.R")
words <- commandArgs(trailingOnly = TRUE)
url <- words[1]
key <- words[2]
patient <- data.frame(age = 84L, sex = "F", inpatientAdmissions = 2L, emergencyAdmissions = 1L, stayDays = 7L)

# More rows than a request may hold.
frame <- patient[rep(1, 25003), ]
frame$age[25003] <- NA
result <- risk_score(frame, url, key)
stopifnot(nrow(result) == 25003, all(result$idx == seq_len(25003)), all(result$risk[1:25002] == 0.2294))
stopifnot(is.na(result$risk[25003]), grepl("ValueMissing for value age", result$error_message[25003], fixed = TRUE))

# More bytes than a request may hold.
wide <- patient[rep(1, 6), ]
wide$note <- strrep("x", 4e6)
stopifnot(all(risk_score(wide, url, key)$risk == 0.2294))

# Words, an empty frame, one row, and an idx of doubles.
stopifnot(risk_score(patient, paste0(url, "/flag/"), key)$risk == "Yes")
stopifnot(nrow(risk_score(patient[0, ], url, key)) == 0)
stopifnot(risk_score(cbind(patient, idx = 1e5), url, key)$idx == 1e5)

# The state of a deployment: the same answers, another one is refused.
digest <- attr(risk_score(patient, url, key), "deployment_digest")
stopifnot(length(digest) == 1, startsWith(digest, "sha-256=:"))
stopifnot(risk_score(patient, url, key, if_match = digest)$risk == 0.2294)
changed <- tryCatch(risk_score(patient, paste0(url, "/flag"), key, if_match = digest), deployment_changed = identity)
stopifnot(grepl("DEPLOYMENT_CHANGED", conditionMessage(changed), fixed = TRUE))

# An open alarm of calibration is an attribute and a warning.
stopifnot(is.null(attr(risk_score(patient, url, key), "calibration_alarm")))
said <- NULL
watched <- withCallingHandlers(
  risk_score(patient, paste0(url, "/watched"), key),
  warning = function(each) {
    said <<- conditionMessage(each)
    invokeRestart("muffleWarning")
  }
)
stopifnot(attr(watched, "calibration_alarm") == "2026-01", grepl("alarm of 2026-01", said, fixed = TRUE))

# A code of another convention puts the field in doubt for this sender: an attribute and a warning.
doubted <- withCallingHandlers(
  risk_score(transform(patient, sex = "H"), paste0(url, "/flag"), key),
  warning = function(each) {
    said <<- conditionMessage(each)
    invokeRestart("muffleWarning")
  }
)
stopifnot(grepl("sex;doubt=codes", attr(doubted, "feed_doubt"), fixed = TRUE), grepl("sex;doubt=codes", said, fixed = TRUE))

# An outcome by receipt is counted once.
muffled <- function(...) suppressWarnings(risk_score(..., paste0(url, "/watched"), words[4], receipts = TRUE))
scored <- muffled(rbind(patient, transform(patient, age = 999L)))
stopifnot(startsWith(scored$receipt[1], "r1."), is.na(scored$receipt[2]), nrow(muffled(patient[0, ])) == 0)
outcome <- data.frame(receipt = scored$receipt[1], outcome = "event")
sent <- risk_send_outcomes(rbind(outcome, outcome), paste0(url, "/watched"), words[4])
stopifnot(identical(sent$counted, c(TRUE, FALSE)), grepl("(duplicate)", sent$error_message[2], fixed = TRUE))
again <- risk_send_outcomes(outcome, paste0(url, "/watched"), words[4])
stopifnot(!again$counted, grepl("\"Receipt\"|\"receipt\"", again$error_message))

# A repeated idx.
twice <- rbind(cbind(patient, idx = 1), cbind(patient, idx = 1))
stopifnot(inherits(try(risk_score(twice, url, key), silent = TRUE), "try-error"))

# Dates, times and factors. A date in the future is a problem, so the date was read as a date.
dated <- patient[rep(1, 3), ]
dated$sex <- factor(dated$sex)
dated$barthel_total <- 90L
dated$barthel_date <- as.Date(c("2026-03-01", NA, "2999-12-31"))
result <- risk_score(dated, url, key)
stopifnot(all(result$risk == 0.2294), is.na(result$error_message[1:2]))
stopifnot(grepl("date in the future", result$error_message[3], fixed = TRUE))
dated$barthel_date <- as.POSIXct("2026-03-01 23:30:00", tz = "America/New_York")
stopifnot(is.na(risk_score(dated, url, key)$error_message))

# Nobody listens: it is tried again, and then an error.
started <- Sys.time()
refused <- try(risk_score(patient, "http://127.0.0.1:1", key, retries = 1), silent = TRUE)
stopifnot(inherits(refused, "try-error"), as.numeric(Sys.time() - started, units = "secs") >= 0.25)

# A lost answer and a Retry-After with a date.
stopifnot(risk_score(patient, words[3], key)$risk == 0.2294)

# A refusal says why.
stopifnot(grepl("KEY_INVALID", try(risk_score(patient, url, "prk_wrong"), silent = TRUE), fixed = TRUE))
cat("ok\n")
