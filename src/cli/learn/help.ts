/** What `--help` says for each command of `patient-risk learn`. */

const DATA = `  --data FILE           CSV, NDJSON or Parquet, gzipped or not
  --specification FILE  what the columns mean; without it columns are named like the fields
  --outcome COLUMN      the outcome, 1 or 0, where there is no specification
  --patient COLUMN      who a row belongs to; rows of one patient are never parted
  --group COLUMN        give the figures apart for each value of a column; repeat for several
  --decimal-comma       read 12,5 as 12.5`

const CODES =
  'Exit codes: 0 done, 1 the data or the specification are refused and nothing was written, 2 wrong usage.'

export const LEARN_HELP = {
  fit: `Usage: patient-risk learn fit --specification FILE --data FILE --out FOLDER [--replace]

Fits the model of a specification to labelled data, and writes FOLDER/models/ID@VERSION:
the definition, cases, the card, and a report as page and as JSON. Name FOLDER under
\`clinical\` in the configuration to deploy it.

Options:
  --specification FILE  outcome, exclusions, columns, inputs and terms
  --data FILE           CSV, NDJSON or Parquet, gzipped or not
  --out FOLDER          a clinical folder of your own; made when it is not there
  --replace             write over a model of the same name and version

${CODES}`,
  validate: `Usage: patient-risk learn validate --model NAME --data FILE [OPTIONS]

Holds any model of the catalogue against labelled data: discrimination, calibration,
thresholds, net benefit, overall and by sex, age and named columns. Where the
specification is the one that this version was fitted with (FILE, or the one that lies
in the model's folder), the fit is made anew in samples of patients, and the figures are
given corrected for optimism too.

Options:
  --model NAME          lace, or lace@1.0.0
${DATA}
  --threshold RISK      in place of the model's own
  --samples N           samples of patients for intervals and correction (default 200; 0 for none)
  --seed N              where the samples start
  --report FILE         write FILE.html and FILE.json
  --json                print the report as JSON

${CODES}`,
  recalibrate: `Usage: patient-risk learn recalibrate --model NAME --data FILE --out FOLDER [OPTIONS]

Brings a model into line with your outcomes, and writes the new version beside a report that
compares it with the old one and says who moves from No to Yes and back.

Options:
  --model NAME          lace, or lace@1.0.0
${DATA}
  --method METHOD       auto (closed test, the default), intercept, slope, refit
  --threshold RISK      in place of the model's own
  --version V           of the new model (default: the next minor version)
  --samples N           samples of patients for the correction for optimism (default 200; 0 for none)
  --seed N              where the samples start
  --out FOLDER          a clinical folder of your own
  --replace             write over a model of the same name and version

${CODES}`,
  drift: `Usage: patient-risk learn drift --model NAME --data FILE [OPTIONS]

Compares records with the development profile that a model carries: the population stability
index of each input and of the risk, missing values, and the share flagged.
Below 0.1 little has changed, above 0.25 much has. No outcome is needed.

Options:
  --model NAME          readmission30, or readmission30@1.0.0
${DATA}
  --limit INDEX         exit with 1 when any index lies above it
  --json                print the figures as JSON

${CODES}`,
} as const
