/** What `patient-risk score --help` prints. */
export const SCORE_HELP = `Usage: patient-risk score INPUT… [--output FILE | --output-dir FOLDER] [OPTIONS]

INPUT is a file, a folder, a pattern ("data/*.parquet") or - for the standard input: JSON array,
NDJSON, CSV, TSV, Parquet or XLSX, also compressed with gzip or zstd. Parquet may be at an https:// or
s3:// address. Results keep the order of the input: idx, risk, error_message.

Output:
  --output FILE         where the results go; the file appears when it is complete (default, or -: standard output)
  --output-dir FOLDER   one output for each input instead, under the input's name
  --from, --to FORMAT   json, ndjson, csv, parquet or xlsx, where a name does not show it; --to also tsv, not xlsx
  --errors FILE         the results that have problems, once more, as .ndjson, .csv or .tsv
  --keep COLUMN         copy a column of the input to the output; repeat for several

Model:
  --deployment NAME     the deployment of the configuration to use (default: the first)
  --model NAME          a model instead, with --output-kind number or yes-no and --threshold 0.15

Columns:
  --map OURS=THEIRS     a field under another name; repeat it, or give a JSON file {"ours":"theirs"}
  --id COLUMN           identifiers of any kind; they take the place of idx
  --idx COLUMN          the column that holds the idx, an integer; short for --map idx=COLUMN
  --number              number the records from 1; tables without idx and --id are always numbered
  --specification FILE  columns, value maps and missing texts, in the form that \`learn\` takes
  --missing TEXT        a text that stands for no value, for example NA; repeat for several

Text files:
  --delimiter CHAR      a comma, a semicolon, a pipe or tab (default: the one that the header has most of)
  --encoding NAME       utf-8, utf-16le, utf-16be or windows-1252 (default: found out)
  --dates DD/MM/YYYY    read dates with slashes, day first; YYYY-MM-DD and DD-MM-YYYY are always read
  --decimal-comma       12,5 is 12.5 and 1.000 is a thousand
  --decimal-point       12.5 is 12.5 and 1,000 is a thousand; without either, 1.000 is a problem

Runs:
  --fail-on unscored    exit with 3 if any record is not scored; unscored=5% if more than 5 % are not
  --resume              continue a run that was interrupted
  --threads N           threads to use (default: one for each core)
  --quiet               no progress and no summary

Progress and a summary go to the standard error. Environment: CONFIG, as for serve.
Exit codes: 0 done, 1 an input is refused or the output cannot be written, 2 wrong usage, 3 nothing was
scored, or less than --fail-on asks for, 130 interrupted.`
