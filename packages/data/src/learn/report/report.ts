/** The report on a model: the same figures as JSON and as a page. Counts and estimates only, no record. */
import type { CardDefinition, ModelDefinition } from 'patient-risk-engine/definition'
import type { ModelCaseDefinition } from '@patient-risk/catalog'
import { estimateAt, type Predictions, chiSquareTail } from '@patient-risk/statistics'
import { type Figures, figuresOf, orRefuse } from '../figures/figures.ts'
import type { BootstrapIntervals, Optimism } from '../figures/resampling.ts'
import { differencesOf, sensitivityOf, subgroupsOf } from '../figures/subgroups.ts'
import type { Reclassification } from '../figures/thresholds.ts'
import type { Estimates } from '../fit/estimate.ts'
import type { GatherInput } from '../data/gather.ts'
import type { Rows } from '../data/rows.ts'
import type { ClosedTest, Method } from '../fit/recalibrate-candidates.ts'
import type { Power } from '../fit/score-test.ts'
import type { SplitReport } from '../figures/split.ts'
import { dataReport, dayText, warnOfData } from './data-report.ts'
import texts from './texts.json' with { type: 'json' }
import { fillIn, integer, percent } from './texts.ts'
import { warnInto } from './warn.ts'

export interface MadeModel {
  readonly definition: ModelDefinition
  readonly cases: readonly ModelCaseDefinition[]
  readonly report: Report
}

export interface Report extends ReturnType<typeof reportOn> {
  readonly warnings?: readonly string[]
}

/** What only some kinds of report have. */
interface Parts {
  readonly split?: SplitReport
  readonly optimism?: Optimism
  /** Why the model could not be fitted again on these data, where that was tried. */
  readonly uncorrected?: readonly string[]
  readonly intervals?: BootstrapIntervals
  readonly recalibration?: RecalibrationReport
}

export interface RecalibrationReport {
  readonly method: Method
  readonly chosenBy: 'closed test' | 'user'
  readonly from: string
  readonly test: ClosedTest
  /** What the closed test would find on such data. Reports of earlier versions have none. */
  readonly power?: readonly Power[]
  /** The intercept and slope that were found, or the weight of each term. */
  readonly intercept: number
  readonly slope?: number
  readonly weights?: readonly { readonly term: string; readonly weight: number; readonly error: number }[]
  readonly before: Figures
  readonly reclassification?: Reclassification
  /** The share flagged before and after, and the score of the published threshold, if it has one. */
  readonly flagged?: { readonly before: number; readonly after: number; readonly scoreBefore?: number }
}

interface ReportInput extends GatherInput {
  readonly kind: 'fit' | 'validation' | 'recalibration'
  readonly model: Pick<ModelDefinition, 'id' | 'version' | 'title'> & {
    readonly card: Pick<CardDefinition, 'outcome'>
  }
  readonly threshold: number | undefined
}

export function buildReport(...about: Parameters<typeof reportOn>): Report {
  const report = reportOn(...about)
  const warnings = warningsOn(report)
  return warnings.length === 0 ? report : { ...report, warnings }
}

function reportOn(input: ReportInput, rows: Rows | Estimates, predictions: Predictions, parts: Parts) {
  const { kind, threshold, today } = input
  const { id, version, title } = input.model
  const subgroups = subgroupsOf(predictions, rows.attributes.groupings(), threshold)
  const sensitivity = sensitivityOf(predictions, rows.attributes, threshold)
  const isCounted = (isCompeting: boolean, row: number): boolean =>
    isCompeting && predictions.outcomes[row] === 0
  const competing = rows.attributes.competing?.filter(isCounted).length
  const figures = orRefuse(input.path, () => figuresOf(predictions, threshold, kind === 'fit'))
  return {
    kind,
    /** The day on which it was made, YYYY-MM-DD. */
    made: dayText(today),
    model: { id, version, title, ...(threshold !== undefined && { threshold }) },
    data: dataReport(input, rows, rows.labels.outcomes.length),
    figures,
    ...parts,
    subgroups,
    /** The difference between each part and the largest part of its grouping. */
    differences: differencesOf(subgroups),
    /** The same figures under other assumptions. */
    ...(sensitivity.length > 0 && { sensitivity }),
    /** Used rows without the outcome in which the competing event happened. */
    ...(competing !== undefined && { competing }),
    ...('fit' in rows && { fit: fitReport(rows) }),
  }
}

function fitReport({ fit, ridge, draft }: Estimates) {
  const { iterations, logLikelihood, isByPatient: clustered } = fit
  return {
    method:
      ridge === undefined
        ? 'maximum likelihood without penalty'
        : `penalised maximum likelihood (ridge, penalty ${ridge.penalty.toPrecision(3)} chosen by ${ridge.folds}-fold cross-validation of patients)`,
    iterations,
    logLikelihood,
    ...(ridge && { penalty: ridge.penalty }),
    /** Whether standard errors are by patient. */
    clustered,
    /** Of the fit itself; the model's file may hold them rounded. */
    coefficients: ['Intercept', ...draft.columns].map((name, index) => {
      const { value: estimate, ...spread } = estimateAt(fit, index)
      return { name, estimate, ...spread, pValue: chiSquareTail((estimate / spread.error) ** 2, 1) }
    }),
  }
}

/** Riley and others, BMJ 2020: a model that needs more shrinkage than this is overfitted. */
const LOWEST_SLOPE = 0.8
const EVENTS_EACH = 10
/** Collins and others, Statistics in Medicine 2016: fewer events give figures too uncertain for a validation. */
export const VALIDATION_EVENTS = 100
/** A change of the flagged share by this much changes the workload of a ward. */
const FLAG_SHIFT = 0.05

/** What a reader must know before relying on a report. The command line and the report page print the same sentences. */
function warningsOn(report: Report): string[] {
  const { figures, data, fit, optimism, intervals, recalibration, competing = 0 } = report
  const warnings: string[] = []
  const warn = warnInto(warnings)
  const rarer = Math.min(figures.events, figures.rows - figures.events)
  if (fit !== undefined) {
    const each = rarer / Math.max(1, fit.coefficients.length - 1)
    warn(each < EVENTS_EACH, 'fewEvents', { each: each.toFixed(1), least: EVENTS_EACH })
    warn((fit.penalty ?? 0) > 0, 'ridge')
  } else warn(rarer < VALIDATION_EVENTS, 'fewToValidate', { rarer: integer(rarer), least: VALIDATION_EVENTS })
  for (const { failed, samples } of [optimism, intervals].filter((each) => each !== undefined))
    warn(failed > 0, 'failed', { failed: integer(failed), samples: integer(samples) })
  const slope = optimism === undefined || optimism.of === 'refit' ? Infinity : optimism.slope.corrected
  warn(slope < LOWEST_SLOPE, 'overfitted', { slope: slope.toFixed(2), least: LOWEST_SLOPE })
  warnOfData(data, warn)
  warn(recalibration !== undefined && data.weights !== undefined, 'weights')
  warn(competing > 0, 'competing', { share: percent(competing / figures.rows, 1) })
  const { before, after, scoreBefore: score } = recalibration?.flagged ?? { before: 0, after: 0 }
  const cut = score === undefined ? '' : fillIn(texts.warnings.cut, { score }, String)
  const moves = { before: percent(before, 1), after: percent(after, 1), cut }
  warn(Math.abs(after - before) >= FLAG_SHIFT, 'flagged', moves)
  return warnings
}
