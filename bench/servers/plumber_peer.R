# The same job as a team would write it in R: plumber, ranges checked field by field, a logistic model for the number.
words <- commandArgs(trailingOnly = TRUE)
suppressMessages(library(plumber))
fields <- jsonlite::fromJSON(words[[1]], simplifyVector = FALSE)
port <- as.integer(words[[2]])

required <- c("age", "sex", "inpatientAdmissions", "emergencyAdmissions", "stayDays")
coefficients <- c(-2.5, 0.02, 0.0001, 0.1, 0.4, 0.3, 0.2)

faulty <- function(values, domain) {
  given <- !is.na(values)
  bad <- switch(domain$kind,
    integer = ,
    decimal = !is.numeric(values) | values < domain$from | values > domain$to,
    list = !is.numeric(values) | values < min(unlist(domain$values)) | values > max(unlist(domain$values)),
    code = !(values %in% unlist(domain$codes)),
    yesNo = !is.logical(values),
    rep(FALSE, length(values))
  )
  given & bad
}

score <- function(req) {
  records <- jsonlite::fromJSON(req$postBody)
  bad <- rep(FALSE, nrow(records))
  for (field in fields) {
    values <- records[[field$name]]
    if (!is.null(values)) bad <- bad | faulty(values, field$domain)
    else if (field$name %in% required) bad <- rep(TRUE, nrow(records))
  }
  age <- records$age - 75
  inputs <- cbind(1, age, age^2, records$sex == "M", log1p(records$inpatientAdmissions),
    log1p(records$emergencyAdmissions), log1p(records$stayDays))
  risk <- round(1 / (1 + exp(-drop(inputs %*% coefficients))), 4)
  risk[bad] <- NA
  data.frame(idx = records$idx, risk = risk, error_message = NA)
}

service <- pr()
# The body is read once, by the handler.
service <- pr_set_parsers(service, "text")
service <- pr_post(service, "/risk/api/do/v0", score, serializer = serializer_json(na = "null"))
cat(sprintf("listening %d\nversions plumber %s, jsonlite %s, R %s.%s\n", port, packageVersion("plumber"),
  packageVersion("jsonlite"), R.version$major, R.version$minor))
flush(stdout())
pr_run(service, host = "127.0.0.1", port = port, docs = FALSE, quiet = TRUE)
