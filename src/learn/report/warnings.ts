/** What a reader must know before relying on a report. The command line and the report page print the same sentences. */
import { percent, whole } from '../model/texts.ts'
import type { Report } from './report.ts'

/** Riley and others, BMJ 2020: a model that needs more shrinkage than this is overfitted. */
const LOWEST_SLOPE = 0.8
const EVENTS_EACH = 10
/** Collins and others, Statistics in Medicine 2016: fewer events give figures too uncertain for a validation. */
const VALIDATION_EVENTS = 100
const MANY_MISSING = 0.05
/** A share of those flagged that moves by this much changes the work of a ward. */
const FLAG_SHIFT = 0.05

export function withWarnings(report: Report): Report {
  const { figures, data, fit, optimism, intervals, recalibration, competing } = report
  const rarer = Math.min(figures.events, figures.rows - figures.events)
  const warnings: string[] = []
  if (fit !== undefined) {
    const each = rarer / Math.max(1, fit.coefficients.length - 1)
    if (each < EVENTS_EACH) {
      warnings.push(
        `Only ${each.toFixed(1)} events for each estimate (${EVENTS_EACH} is the usual minimum): the estimates are unstable. Use fewer terms, more data, or a ridge penalty; learn plan computes the sample size.`,
      )
    }
    if (fit.penalty !== undefined && fit.penalty > 0) {
      warnings.push(
        'Ridge estimates are biased towards 0 on purpose: their standard errors, intervals and p-values do not measure that bias and are no tests.',
      )
    }
  } else if (rarer < VALIDATION_EVENTS) {
    warnings.push(
      `Only ${whole(rarer)} rows have the rarer outcome; a reliable validation needs about ${VALIDATION_EVENTS}.`,
    )
  }
  for (const { failed, samples } of [optimism, intervals].filter((each) => each !== undefined)) {
    if (failed > 0) {
      warnings.push(
        `${whole(failed)} of ${whole(samples)} bootstrap samples gave no result and were left out; the figures from them are too good.`,
      )
    }
  }
  if (optimism !== undefined && optimism.of !== 'refit' && optimism.slope.corrected < LOWEST_SLOPE) {
    warnings.push(
      `The slope corrected for optimism is ${optimism.slope.corrected.toFixed(2)}, below ${LOWEST_SLOPE}: the model is overfitted, and its risks will be too extreme for new patients.`,
    )
  }
  if (data.blankPatients !== undefined) {
    warnings.push(
      `${whole(data.blankPatients)} rows have no patient identifier; each was counted as a patient of its own.`,
    )
  }
  for (const { input, rows } of data.assumed ?? []) {
    if (rows / data.used < MANY_MISSING) continue
    warnings.push(
      `${input} is missing in ${percent(rows / data.used, 1)} of the used rows and a stated value stands in. This is right only if it will be missing for the same reasons in service; compare the figures of complete records.`,
    )
  }
  if (competing !== undefined && competing > 0) {
    warnings.push(
      `The competing event happened in ${percent(competing / figures.rows, 1)} of the rows; they count as rows without the outcome. The figures under other assumptions say how much that matters.`,
    )
  }
  const { flagged } = recalibration ?? {}
  if (flagged !== undefined && Math.abs(flagged.after - flagged.before) >= FLAG_SHIFT) {
    const score =
      flagged.scoreBefore === undefined
        ? ''
        : ` The published cut at a score of ${flagged.scoreBefore} no longer holds.`
    warnings.push(
      `At the same threshold the share flagged moves from ${percent(flagged.before, 1)} to ${percent(flagged.after, 1)}.${score} Choose a threshold for the new risks (--threshold).`,
    )
  }
  return warnings.length === 0 ? report : { ...report, warnings }
}
