/** The help texts of `patient-risk learn`. */

const DATA = `  --data FILE           CSV, NDJSON or Parquet, gzipped or not
  --specification FILE  what the columns mean; without it, columns are named like the fields
  --outcome COLUMN      the outcome, 1 or 0, when there is no specification
  --patient COLUMN      the patient; every interval and test then counts patients, not rows
  --group COLUMN        also give the figures for each value of a column; repeat for several
  --weights COLUMN      how much each row counts, for example a sampling weight
  --competing COLUMN    1 where another event, such as death, came before the outcome could
  --decimal-comma       read 12,5 as 12.5`

const CODES =
  'Exit codes: 0 done, 1 the data or the specification are refused and nothing was written, 2 wrong usage.'

export const LEARN_HELP = {
  fit: `Usage: patient-risk learn fit --specification FILE --data FILE --out FOLDER [OPTIONS]

Fits the model of a specification to labelled data, and writes FOLDER/models/ID@VERSION:
the definition, cases, the card, and a report as page and as JSON. Name FOLDER under
\`clinical\` in the configuration to deploy it.

Options:
  --specification FILE  outcome, exclusions, columns, inputs and terms
  --data FILE           CSV, NDJSON or Parquet, gzipped or not
  --split-by COLUMN     fit without each value (site, year) and validate on it
  --temporal            with --split-by: fit on the earlier values only
  --allow-small-sample  fit with fewer than 20 events, or fewer than 3 for each estimate
  --out FOLDER          a clinical folder of your own; created when it does not exist
  --replace             overwrite a model of the same name and version
The specification may be overridden by --patient, --group, --weights and --competing.

${CODES}`,
  validate: `Usage: patient-risk learn validate --model NAME --data FILE [OPTIONS]

Evaluates any model of the catalogue on labelled data: discrimination, calibration,
thresholds and net benefit, overall and by sex, age and named columns, with the
differences between groups. With the specification that this version was fitted with
(FILE, or the one in the model's folder), the figures are also corrected for optimism:
the fit is repeated in samples of patients.

Options:
  --model NAME          lace, or lace@1.1.0
${DATA}
  --split-by COLUMN     evaluate for each value, such as the site or the year
  --threshold RISK      instead of the model's own
  --samples N           samples of patients for intervals and correction (default 200; 0 for none)
  --seed N              seed of the samples
  --report FILE         write FILE.html and FILE.json
  --json                print the report as JSON

${CODES}`,
  recalibrate: `Usage: patient-risk learn recalibrate --model NAME --data FILE --out FOLDER [OPTIONS]

Brings a model into line with your outcomes, and writes the new version beside a report that
compares it with the old one and says who moves from No to Yes and back.

Options:
  --model NAME          lace, or lace@1.1.0
${DATA}
  --method METHOD       auto (closed test, the default), intercept, slope, refit
  --threshold RISK      instead of the model's own
  --allow-small-sample  continue with fewer than 20 events
  --version V           of the new model (default: the next minor version)
  --samples N           samples of patients for the correction for optimism (default 200; 0 for none)
  --seed N              seed of the samples
  --out FOLDER          a clinical folder of your own
  --replace             overwrite a model of the same name and version

${CODES}`,
  plan: `Usage: patient-risk learn plan --prevalence SHARE --parameters N [--r-squared R2] [--json]

Computes how many patients a new model needs, by the three criteria of Riley and others
(BMJ 2020;368:m441): little overfitting, little optimism, and a precise overall risk.

Options:
  --prevalence SHARE    the share of patients with the outcome, for example 0.11
  --parameters N        estimates beside the intercept; a category of four values takes three
  --r-squared R2        expected R² of Cox and Snell (default: 15 % of its maximum)
  --json                print the plan as JSON

${CODES}`,
  import: `Usage: patient-risk learn import --specification FILE --coefficients FILE --rows FILE --out FOLDER

Turns a logistic model that was fitted elsewhere into a model folder. The specification says
what the terms mean, the table gives their coefficients, and every row must come out with the
risk that the original model gives. The rows become the model's cases: do not use patients.

Options:
  --specification FILE  card, inputs and terms, as for learn fit
  --coefficients FILE   a table with the columns term and estimate
  --scaled              the table also has mean and scale: columns were standardised
  --rows FILE           5 to 200 invented rows with the inputs and the expected risk
  --expected COLUMN     the column of the expected risk (default risk)
  --out FOLDER          a clinical folder of your own
  --replace             overwrite a model of the same name and version

${CODES}`,
  monitor: `Usage: patient-risk learn monitor --data FILE --risk COLUMN --outcome COLUMN --month COLUMN [OPTIONS]
       patient-risk learn monitor --data FILE --model NAME --specification FILE --month COLUMN [OPTIONS]

Follows a model in service: calibration in the large and the c-statistic for each month, with
control limits of three standard errors. Out of control are a month outside its limits, and
eight months in a row on the same side.

Options:
  --data FILE           predictions and outcomes: CSV, NDJSON or Parquet
  --risk COLUMN         the risk that was given in service
  --model NAME          score the rows with this model instead
  --specification FILE  what the columns mean, with --model
  --outcome COLUMN      the outcome, 1 or 0
  --month COLUMN        a month or a date: 2026-11, 2026-11-15
  --patient COLUMN      the patient, where patients repeat
  --baseline N          months at the start that give the expected c-statistic (default 6)
  --expected-c C        the expected c-statistic, in place of the baseline
  --report FILE         write FILE.html and FILE.json
  --json                print the report as JSON

Exit codes: 0 in control, 3 out of control, 1 the data are refused, 2 wrong usage.`,
  checklist: `Usage: patient-risk learn checklist --model NAME [--intended-use]

Prints the TRIPOD+AI checklist of a model as Markdown, filled in from its card, its report and
its specification, and open where the tool cannot know. With --intended-use it prints the page
that says what the model is for and what must still be done before clinical use.

Options:
  --model NAME          readmission30, or readmission30@1.0.1
  --intended-use        print the page on intended use

${CODES}`,
  drift: `Usage: patient-risk learn drift --model NAME --data FILE [OPTIONS]

Compares records with the development profile that a model carries: the population stability
index of each input and of the risk, missing values, and the share flagged.
Below 0.1 little has changed, above 0.25 much has. No outcome is needed.

Options:
  --model NAME          readmission30, or readmission30@1.0.1
${DATA}
  --limit INDEX         exit with 1 when any index is above it
  --json                print the figures as JSON

${CODES}`,
} as const
