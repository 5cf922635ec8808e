/** A report as one page of HTML. */
import type { Span } from '../figures/intervals.ts'
import type { Estimate } from '../figures/predictions.ts'
import { fitSection, recalibrationSection } from './change-sections.ts'
import { escapeText, figure, interval, share, tile, whole } from './parts.ts'
import type { Report } from './report.ts'
import { resamplingSection } from './resampling-section.ts'
import { splitSection, subgroupSection } from './part-sections.ts'
import { calibrationSection, dataSection, thresholdSection } from './sections.ts'
import { STYLE } from './style.ts'

const KINDS = {
  fit: 'Development report',
  validation: 'Validation report',
  recalibration: 'Recalibration report',
} as const

export function reportPage(report: Report): string {
  const { model, figures, kind, made, data, intervals } = report
  const name = `${model.id}@${model.version}`
  const { calibration, cStatistic, brier } = figures
  // Intervals by patient hold also where a patient has several rows.
  const cSpan = spanOf(intervals?.cStatistic, cStatistic)
  const slopeSpan = spanOf(intervals?.slope, calibration.slope)
  const subtitle = `${name} · ${made} · ${data.file}`
  return htmlPage(
    KINDS[kind],
    `<div class="tiles">
${tile('Used', whole(figures.rows), `${data.noun}; ${whole(figures.events)} events (${share(figures.events / figures.rows, 1)})`)}
${tile('c-statistic', figure(cStatistic.value, 3), `95 % ${interval(cSpan, 3)}; 0.5 is chance`)}
${tile('Calibration slope', figure(calibration.slope.value, 3), `95 % ${interval(slopeSpan, 3)}; 1 is ideal`)}
${tile('Observed / expected', figure(calibration.ratio, 3), `${share(calibration.observed, 2)} observed, ${share(calibration.meanPredicted, 2)} predicted`)}
${tile('Brier score', figure(brier.value, 4), `scaled ${share(brier.scaled, 1)}; 0 is perfect`)}
</div>
${(report.warnings ?? []).map((text) => `<p class="warn">${escapeText(text)}</p>`).join('\n')}
${recalibrationSection(report)}
${dataSection(report)}
${calibrationSection(report)}
${thresholdSection(report)}
${subgroupSection(report)}
${splitSection(report)}
${resamplingSection(report)}
${fitSection(report)}`,
    model.title,
    subtitle,
  )
}

/** A page of HTML that needs nothing else: no script, no font, no address. */
export function htmlPage(kind: string, main: string, title = kind, subtitle = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeText(subtitle === '' ? kind : `${kind}: ${subtitle}`)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<div class="kind">${kind}</div>
<h1>${escapeText(title)}</h1>
<div class="quiet">${escapeText(subtitle)}</div>
</header>
<main>
${main}
</main>
<footer>Made by patient-risk learn. Counts and estimates only: no patient’s record can be read from this page. It supports a decision about a model; it does not replace one.</footer>
</body>
</html>
`
}

function spanOf(byPatient: Span | undefined, estimate: Estimate): Pick<Estimate, 'from' | 'to'> {
  return byPatient === undefined ? estimate : { from: byPatient[0], to: byPatient[1] }
}
