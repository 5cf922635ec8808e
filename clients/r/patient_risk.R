# Client of the Patient Risk Scoring Service for R. Needs the packages curl and jsonlite.
#
#   source("patient_risk.R")
#   risk_score(frame, url = "https://risk.example.org", key = Sys.getenv("KEY"))
#
# `frame` has a column for each field of the deployment. The row number is the idx where there is no column idx.
# The result has the columns idx, risk and error_message, in the order of the rows. NA is an absent value.

risk_score <- function(frame, url, key, batch = 5000, retries = 4) {
  if (is.null(frame$idx)) frame$idx <- seq_len(nrow(frame))
  # The service refuses every record of a repeated idx, but only within one request: so it must be unique here.
  if (anyDuplicated(frame$idx)) stop("idx is not unique; a repeated idx could get another patient's number")
  starts <- if (nrow(frame) == 0) integer() else seq(1, nrow(frame), by = batch)
  parts <- lapply(starts, function(start) {
    rows <- frame[start:min(start + batch - 1, nrow(frame)), , drop = FALSE]
    risk_request(rows, url, key, retries)
  })
  if (length(parts) == 0) return(data.frame(idx = integer(), risk = numeric(), error_message = character()))
  do.call(rbind, parts)
}

risk_request <- function(rows, url, key, retries) {
  body <- jsonlite::toJSON(rows, dataframe = "rows", na = "null", digits = NA, auto_unbox = TRUE)
  # Retries reuse the request id, so that the audit shows what belongs together.
  id <- paste0("r-", format(Sys.time(), "%Y%m%dT%H%M%OS6"), "-", sample.int(1e9, 1))
  for (attempt in 0:retries) {
    handle <- curl::new_handle(post = TRUE, copypostfields = body)
    curl::handle_setheaders(handle,
      "Authorization" = paste("Bearer", key),
      "Content-Type" = "application/json",
      "X-Request-Id" = id
    )
    answer <- curl::curl_fetch_memory(paste0(sub("/+$", "", url), "/risk/api/do/v0"), handle)
    text <- rawToChar(answer$content)
    Encoding(text) <- "UTF-8"
    if (answer$status_code == 200) return(risk_frame(jsonlite::fromJSON(text, simplifyVector = FALSE)))
    if (!answer$status_code %in% c(429, 503) || attempt == retries) stop(text)
    wait <- curl::parse_headers_list(answer$headers)[["retry-after"]]
    Sys.sleep(max(0.25 * 2^attempt, as.numeric(if (is.null(wait)) 0 else wait)))
  }
}

risk_frame <- function(results) {
  one <- function(value) if (is.null(value)) NA else value
  data.frame(
    idx = vapply(results, function(r) as.numeric(one(r$idx)), numeric(1)),
    risk = unlist(lapply(results, function(r) one(r$risk))),
    error_message = vapply(results, function(r) {
      if (is.null(r$error_message)) NA_character_ else as.character(jsonlite::toJSON(r$error_message, auto_unbox = TRUE))
    }, character(1))
  )
}
