/** The sections that every report has: data, calibration, thresholds. */
import { escapeText, figure, interval, share, table, whole } from './parts.ts'
import { calibrationPlot, decisionPlot, distributionPlot } from './plots.ts'
import type { Report } from './report.ts'

export function dataSection({ data, figures }: Report): string {
  const rows = [
    [`Read from ${escapeText(data.file)}`, whole(data.read)],
    ...data.leftOut.map(({ reason, rows: count }) => [`Left out: ${escapeText(reason)}`, whole(count)]),
    ['Used', whole(data.used)],
    ...(data.assumed ?? []).map(({ input, rows: count }) => [
      `Of them without ${escapeText(input)}, for which the model states a value`,
      `${whole(count)} (${share(count / data.used)})`,
    ]),
    ...data.missing
      .filter(({ share: lost }) => lost > 0)
      .map(({ input, share: lost }) => [
        `Without ${escapeText(input)}, before rows are left out for it`,
        share(lost),
      ]),
    ['Patients', whole(figures.patients)],
    ['Events', `${whole(figures.events)} (${share(figures.events / figures.rows, 2)})`],
  ]
  const noun = data.noun.charAt(0).toUpperCase() + data.noun.slice(1)
  return `<h2>Data</h2>
<p>Outcome: ${escapeText(data.outcome)}</p>
${table('', [escapeText(noun), 'Count'], rows)}`
}

export function calibrationSection({ figures, recalibration }: Report): string {
  const { calibration, curve, groups } = figures
  const before = recalibration?.before
  const compared = before === undefined ? '' : '<span class="key d"></span>before'
  const rows = groups.map((group) => [
    `${share(group.lowest)} to ${share(group.highest)}`,
    whole(group.rows),
    whole(group.events),
    share(group.predicted),
    share(group.observed),
    `${share(group.from)} to ${share(group.to)}`,
  ])
  return `<h2>Are the risks of the right size?</h2>
<p>Of every hundred people with a predicted risk of 20 %, twenty should have the event. Points and curve on the dotted line say that they do;
above it the model predicts too little, below it too much. Mean predicted ${share(calibration.meanPredicted, 2)}, observed ${share(calibration.observed, 2)}.</p>
<div class="two"><figure>${calibrationPlot(figures, before)}
<figcaption>Ten groups of rising risk with 95 % intervals; <span class="key a"></span>smooth curve with its 95 % band${compared}.
${curve === undefined ? '' : `On average a risk lies ${share(curve.meanDistance, 2)} from the curve, and nine of ten within ${share(curve.distance90, 2)}.`}</figcaption></figure>
<figure>${distributionPlot(figures)}
<figcaption>How predicted risks spread: <span class="key g"></span>without and <span class="key e"></span>with the event, each group’s bars adding up to 100 %.</figcaption></figure></div>
${table('Groups of rising risk', ['Predicted from, to', 'Rows', 'Events', 'Predicted', 'Observed', '95 % interval'], rows)}
${table(
  'Calibration in figures',
  ['', 'Estimate', 'Standard error', '95 % interval', 'Ideal'],
  [
    [
      'In the large (intercept at slope 1)',
      figure(calibration.inTheLarge.value, 3),
      figure(calibration.inTheLarge.error, 3),
      interval(calibration.inTheLarge, 3),
      '0',
    ],
    [
      'Intercept',
      figure(calibration.intercept.value, 3),
      figure(calibration.intercept.error, 3),
      interval(calibration.intercept, 3),
      '0',
    ],
    [
      'Slope',
      figure(calibration.slope.value, 3),
      figure(calibration.slope.error, 3),
      interval(calibration.slope, 3),
      '1',
    ],
    ['Observed over expected', figure(calibration.ratio, 3), '', '', '1'],
  ],
)}`
}

export function thresholdSection({ figures, model, recalibration }: Report): string {
  const rows = figures.thresholds.map((each) => [
    share(each.threshold, 1),
    share(each.flagged),
    share(each.sensitivity),
    share(each.specificity),
    share(each.positiveValue),
    share(each.negativeValue),
    figure(each.netBenefit, 4),
  ])
  const own =
    model.threshold === undefined ? '' : ` The model’s own threshold, ${share(model.threshold)}, is marked.`
  const compared = recalibration === undefined ? '' : '<span class="key d"></span>the model before, '
  return `<h2>What would a threshold flag, find and miss?</h2>
<p>A person is flagged when the risk, rounded as the service rounds it, is at or above the threshold.${own}</p>
${table(
  '',
  [
    'Threshold',
    'Flagged',
    'Sensitivity',
    'Specificity',
    'Positive predictive value',
    'Negative predictive value',
    'Net benefit',
  ],
  rows,
  (row) => (figures.thresholds[row]?.threshold === model.threshold ? 'own' : ''),
)}
<div class="two"><figure>${decisionPlot(figures, recalibration?.before)}
<figcaption>Net benefit: <span class="key a"></span>the model, ${compared}<span class="key g"></span>flagging everybody, and the line at 0 for flagging nobody. A model is worth using where it lies above the others.</figcaption></figure>
<p class="quiet">Net benefit counts those rightly flagged, less those wrongly flagged, weighed by how many wrong flags one right flag is worth at that threshold. At a threshold of 20 % four wrong flags cost as much as one right one brings.</p></div>`
}
