# Client of the Patient Risk Scoring Service for R. Needs the packages curl and jsonlite.
#
#   source("patient_risk.R")
#   risk_score(frame, url = "https://risk.example.org", key = Sys.getenv("KEY"))
#
# `frame` has a column for each field of the deployment. The row number is the idx where there is no column idx.
# The result has the columns idx, risk and error_message, in the order of the rows. NA is an absent value.
# Date and POSIXct columns are sent as DD-MM-YYYY, as the service reads dates.
#
# attr(result, "deployment_digest") names what decided the answers: model, scales, fields and settings. It has several elements
# if the deployment changed between two requests. With one of them as `if_match`, rows are scored only while the deployment is
# in that state; otherwise the call stops with a condition of the class deployment_changed.

# With receipts = TRUE, where the deployment takes outcomes, the result has a column receipt (NA without a risk). Keep it: risk_send_outcomes
# sends it in place of risk, digest and month, and the outcome is counted once, however often it is sent.

# attr(result, "calibration_alarm") is the month of an open alarm of calibration, or NULL: the outcomes of the hospital do not fit the
# risks, so they may be too high or too low there. A warning says so too.

# attr(result, "feed_doubt") names the fields that the rows probably mean in another way than the service reads them, such as
# "sex;doubt=codes", or is NULL. Look at these fields before you use the risks. A warning says so too.

risk_score <- function(frame, url, key, retries = 4, timeout = 60, if_match = NULL,
                       receipts = FALSE) {
  frame <- as.data.frame(frame) # A tibble or a data.table too.
  if (is.null(frame[["idx"]])) frame$idx <- seq_len(nrow(frame))
  # The service refuses every record of a repeated idx, but only within one request: so it must be unique here.
  if (anyDuplicated(frame$idx)) stop("idx is not unique; a repeated idx could get another patient's number")
  is_time <- vapply(frame, inherits, logical(1), what = c("Date", "POSIXt"))
  frame[is_time] <- lapply(frame[is_time], format, format = "%d-%m-%Y")
  address <- paste0(sub("/+$", "", url), "/risk/api/do/v0")
  digests <- character()
  alarms <- character()
  doubt <- NULL
  request <- function(path, body = NULL) {
    answer <- risk_request(paste0(address, path), key, body, retries, timeout, if (!is.null(body)) if_match)
    headers <- curl::parse_headers_list(answer$headers)
    digests <<- unique(c(digests, headers[["risk-deployment-digest"]]))
    alarms <<- c(alarms, headers[["risk-calibration-alarm"]])
    # A doubt lasts, so the latest answer has all of them.
    if (!is.null(body)) doubt <<- headers[["risk-feed-doubt"]]
    risk_json(answer)
  }
  limits <- request("/model")$deployment$limits
  if (is.null(limits)) stop("The answer is no model card.", call. = FALSE)
  score <- function(rows) {
    body <- charToRaw(enc2utf8(jsonlite::toJSON(rows, dataframe = "rows", na = "null", digits = NA, auto_unbox = TRUE)))
    if (length(body) <= limits$bytes || nrow(rows) == 1) {
      results <- request(if (receipts) "?receipts=true" else "", body)
      # Results belong to rows by their place, so a list of another length cannot be used at all.
      if (!is.null(names(results)) || length(results) != nrow(rows)) {
        found <- if (is.null(names(results))) paste(length(results), "results") else "no list of results"
        stop(sprintf("The answer has %s for %d records, so none is used.", found, nrow(rows)), call. = FALSE)
      }
      return(results)
    }
    half <- seq_len(nrow(rows) %/% 2)
    c(score(rows[half, , drop = FALSE]), score(rows[-half, , drop = FALSE]))
  }
  batches <- split(seq_len(nrow(frame)), (seq_len(nrow(frame)) - 1) %/% limits$records)
  result <- risk_frame(do.call(c, lapply(unname(batches), function(rows) score(frame[rows, , drop = FALSE]))), receipts)
  attr(result, "deployment_digest") <- digests
  if (length(alarms) > 0) {
    attr(result, "calibration_alarm") <- min(alarms)
    warning("Calibration alarm of ", min(alarms), ": the outcomes there do not fit these risks.", call. = FALSE)
  }
  if (!is.null(doubt)) {
    attr(result, "feed_doubt") <- doubt
    warning("These fields probably mean something else: ", doubt, ".", call. = FALSE)
  }
  result
}

# Sends what came true of earlier answers. `outcomes` has the columns outcome ("event", "none", "diedFirst" or "unknown") and either receipt,
# or risk, digest and scored (such as "2026-10"); also group and was, for a correction. The row number is the idx where there is no column
# idx. The result has the columns idx, counted and error_message, in the order of the rows. Give an idempotency_key of your own, such as
# the name of the month, if your program may send the same outcomes again.
risk_send_outcomes <- function(outcomes, url, key, idempotency_key = NULL, retries = 4, timeout = 60) {
  outcomes <- as.data.frame(outcomes)
  if (is.null(outcomes[["idx"]])) outcomes$idx <- seq_len(nrow(outcomes))
  if (anyDuplicated(outcomes$idx)) stop("idx is not unique")
  if (is.null(idempotency_key)) idempotency_key <- risk_id()
  address <- paste0(sub("/+$", "", url), "/risk/api/do/v0")
  limits <- risk_json(risk_request(paste0(address, "/model"), key, NULL, retries, timeout, NULL))$deployment$limits
  parts <- split(seq_len(nrow(outcomes)), (seq_len(nrow(outcomes)) - 1) %/% limits$records)
  results <- lapply(seq_along(parts), function(number) {
    rows <- outcomes[parts[[number]], , drop = FALSE]
    body <- charToRaw(enc2utf8(jsonlite::toJSON(rows, dataframe = "rows", na = "null", digits = NA, auto_unbox = TRUE)))
    name <- if (length(parts) == 1) idempotency_key else paste0(idempotency_key, ".", number)
    answer <- risk_json(risk_request(paste0(address, "/outcomes"), key, body, retries, timeout, NULL, name))
    if (!is.null(names(answer)) || length(answer) != nrow(rows)) stop("The answer does not fit the outcomes.", call. = FALSE)
    answer
  })
  results <- do.call(c, results)
  data.frame(
    idx = vapply(results, function(r) as.numeric(risk_one(r$idx)), numeric(1)),
    counted = vapply(results, function(r) r$counted, logical(1)),
    error_message = vapply(results, risk_problems, character(1))
  )
}

risk_id <- function() paste0("r-", format(Sys.time(), "%Y%m%dT%H%M%OS6"), "-", sample.int(1e9, 1))

# One request with retries. Scoring changes nothing, so a request whose answer was lost may be sent again.
risk_request <- function(address, key, body, retries, timeout, if_match, idempotency_key = NULL) {
  # Retries reuse the request id, so that the audit shows what belongs together.
  id <- risk_id()
  for (attempt in 0:retries) {
    handle <- curl::new_handle(timeout_ms = timeout * 1000)
    if (!is.null(body)) curl::handle_setopt(handle, post = TRUE, postfields = body)
    headers <- c("Authorization" = paste("Bearer", key), "Content-Type" = "application/json", "X-Request-Id" = id)
    if (!is.null(idempotency_key)) headers["Idempotency-Key"] <- idempotency_key
    # HTTP writes a tag as the base64 text in quotes.
    if (!is.null(if_match)) headers["If-Match"] <- paste0('"', sub("^sha-256=:(.*):$", "\\1", if_match), '"')
    curl::handle_setheaders(handle, .list = as.list(headers))
    answer <- tryCatch(curl::curl_fetch_memory(address, handle), error = identity)
    is_lost <- inherits(answer, "error")
    if (!is_lost && answer$status_code == 200) return(answer)
    if (!is_lost && answer$status_code == 412) stop(errorCondition(risk_text(answer), class = "deployment_changed"))
    if (attempt == retries || !(is_lost || answer$status_code %in% c(429, 502, 503, 504))) {
      stop(if (is_lost) conditionMessage(answer) else risk_text(answer), call. = FALSE)
    }
    # At most a minute, and a little longer than needed, so that many clients do not come back at the same moment.
    Sys.sleep(min(60, max(0.25 * 2^attempt, if (!is_lost) risk_retry_after(answer))) * (1 + runif(1) / 4))
  }
}

risk_text <- function(answer) {
  text <- rawToChar(answer$content)
  Encoding(text) <- "UTF-8"
  text
}

# An answer with 200 may be a page of a proxy, or the beginning of an answer.
risk_json <- function(answer) {
  if (!grepl("json", answer$type, fixed = TRUE)) {
    stop("The answer did not come from the service itself; a proxy may stand between. It is not JSON.", call. = FALSE)
  }
  tryCatch(
    jsonlite::fromJSON(risk_text(answer), simplifyVector = FALSE),
    error = function(error) stop("The answer is cut off or is not JSON.", call. = FALSE)
  )
}

# Retry-After holds seconds or, from some proxies, an HTTP date.
risk_retry_after <- function(answer) {
  text <- curl::parse_headers_list(answer$headers)[["retry-after"]]
  if (is.null(text)) return(0)
  seconds <- suppressWarnings(as.numeric(text))
  if (is.na(seconds)) seconds <- as.numeric(curl::parse_date(text)) - as.numeric(Sys.time())
  max(0, seconds, na.rm = TRUE)
}

risk_one <- function(value) if (is.null(value)) NA else value

risk_problems <- function(result) {
  if (is.null(result$error_message)) return(NA_character_)
  as.character(jsonlite::toJSON(result$error_message, auto_unbox = TRUE))
}

risk_frame <- function(results, receipts = FALSE) {
  if (length(results) == 0) {
    frame <- data.frame(idx = numeric(), risk = numeric(), error_message = character())
  } else {
    frame <- data.frame(
      idx = vapply(results, function(r) as.numeric(risk_one(r$idx)), numeric(1)),
      risk = unlist(lapply(results, function(r) risk_one(r$risk))),
      error_message = vapply(results, risk_problems, character(1))
    )
  }
  if (receipts) frame$receipt <- vapply(results, function(r) as.character(risk_one(r$receipt)), character(1))
  frame
}

# Jobs, where the service has them: a large body is submitted, waited for, and its results are fetched.
#
#   job <- risk_submit("patients.csv", url = "https://risk.example.org", key = Sys.getenv("KEY"), to = "csv")
#   done <- risk_wait(job, key = Sys.getenv("KEY"))
#   risk_download(done$output[[1]]$url, "results.csv", job = job, key = Sys.getenv("KEY"))
#   risk_delete_job(job, key = Sys.getenv("KEY"))
#
# Keep the address of the job: it also works in another session. With the same idempotency_key, such as the name of the night, a repeated
# submission gives the same job.

risk_submit <- function(file, url, key, to = "ndjson", type = NULL, idempotency_key = NULL, retries = 4) {
  types <- c(json = "application/json", ndjson = "application/x-ndjson", csv = "text/csv",
             parquet = "application/vnd.apache.parquet")
  if (is.null(type)) type <- types[[tolower(tools::file_ext(file))]]
  if (is.null(idempotency_key)) {
    idempotency_key <- risk_id()
  }
  address <- paste0(sub("/+$", "", url), "/risk/api/do/v0/jobs?to=", to)
  set <- function(handle) {
    curl::handle_setopt(handle, post = TRUE, postfields = readBin(file, "raw", file.size(file)))
    c("Content-Type" = type, "Idempotency-Key" = idempotency_key)
  }
  answer <- risk_job_step(address, key, 202, set, retries)
  risk_absolute(curl::parse_headers_list(answer$headers)[["content-location"]], address)
}

# Shows a progress bar where `progress` is TRUE, or calls it with the records that are answered and all of them.
risk_wait <- function(job, key, progress = interactive(), retries = 4) {
  bar <- NULL
  repeat {
    step <- risk_job_step(job, key, c(200, 202), retries = retries)
    answer <- risk_json(step)
    if (is.function(progress)) {
      progress(if (is.null(answer$done)) answer$records else answer$done, answer$total)
    } else if (isTRUE(progress) && identical(answer$state, "running") && !is.null(answer$total)) {
      if (is.null(bar)) bar <- utils::txtProgressBar(max = max(1, answer$total), style = 3)
      utils::setTxtProgressBar(bar, answer$done)
    }
    if (!identical(answer$state, "running")) break
    Sys.sleep(max(0.1, min(60, risk_retry_after(step))))
  }
  if (!is.null(bar)) close(bar)
  if (identical(answer$state, "failed")) stop(sprintf("%s: %s", answer$code, answer$reason), call. = FALSE)
  answer
}

risk_download <- function(url, path, job, key, retries = 4) {
  answer <- risk_job_step(risk_absolute(url, job), key, 200, retries = retries)
  writeBin(answer$content, path)
  invisible(path)
}

# A job that is gone already is deleted too: the first answer may have been lost.
risk_delete_job <- function(job, key, retries = 4) {
  risk_job_step(job, key, c(202, 404), function(handle) {
    curl::handle_setopt(handle, customrequest = "DELETE")
    NULL
  }, retries)
  invisible(TRUE)
}

risk_absolute <- function(location, base) {
  if (grepl("^https?://", location)) return(location)
  paste0(sub("^(https?://[^/]+).*$", "\\1", base), location)
}

risk_job_step <- function(address, key, accepts, set = function(handle) NULL, retries = 4) {
  for (attempt in 0:retries) {
    handle <- curl::new_handle()
    headers <- c("Authorization" = paste("Bearer", key), set(handle))
    curl::handle_setheaders(handle, .list = as.list(headers))
    answer <- tryCatch(curl::curl_fetch_memory(address, handle), error = identity)
    is_lost <- inherits(answer, "error")
    if (!is_lost && answer$status_code %in% accepts) return(answer)
    if (attempt == retries || !(is_lost || answer$status_code %in% c(429, 502, 503, 504))) {
      stop(if (is_lost) conditionMessage(answer) else risk_text(answer), call. = FALSE)
    }
    Sys.sleep(min(60, max(0.25 * 2^attempt, if (!is_lost) risk_retry_after(answer))))
  }
}
