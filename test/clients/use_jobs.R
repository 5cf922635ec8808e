# Submits, waits, downloads and deletes with the R client, as its page says. Arguments: address, key.
source("clients/r/patient_risk.R")
given <- commandArgs(trailingOnly = TRUE)
url <- given[[1]]
key <- given[[2]]
body <- tempfile(fileext = ".ndjson")
record <- '"age": 84, "sex": "F", "inpatientAdmissions": 2, "emergencyAdmissions": 1, "stayDays": 7}'
writeLines(sprintf('{"idx": %d, %s', 0:4, record), body)
job <- risk_submit(body, url, key, idempotency_key = "night 1")
stopifnot(risk_submit(body, url, key, idempotency_key = "night 1") == job)
done <- risk_wait(job, key)
stopifnot(done$records == 5, done$scored == 5)
results <- tempfile()
risk_download(done$output[[1]]$url, results, job, key)
stopifnot(length(readLines(results)) == 5)
risk_delete_job(job, key)
risk_delete_job(job, key)
gone <- tryCatch(risk_wait(job, key), error = function(error) "gone")
stopifnot(identical(gone, "gone"))
bad <- tempfile(fileext = ".json")
writeLines('[{"idx": 1,}]', bad)
job <- risk_submit(bad, url, key)
message <- tryCatch(risk_wait(job, key), error = conditionMessage)
stopifnot(grepl("BODY_MALFORMED", message))
