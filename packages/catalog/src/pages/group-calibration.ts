/**
 * Calibration by group, from the report beside a model: in groups of rising risk, and by sex, age and further groups. A later
 * validation may replace the report, so its figures are no part of the model's file and of its digest.
 */
import { parseJson } from 'patient-risk-engine/read'
import type { ModelReport } from '../catalog/read-folder.ts'
import { percent, type table } from './markdown.ts'

/** A figure that could not be computed is null in a report. */
type Figure = number | null

interface Counts {
  readonly rows: number
  readonly events: number
}

/** A group of rising risk. */
interface Group extends Counts {
  readonly lowest: number
  readonly highest: number
  readonly predicted: Figure
  readonly observed: Figure
  readonly from: Figure
  readonly to: Figure
}

/** The rows of one sex, age or further group. */
interface Part extends Counts {
  readonly by: string
  readonly level: string
  readonly figures?: {
    readonly meanPredicted: Figure
    readonly observed: Figure
    readonly inTheLarge: { readonly value: Figure; readonly from: Figure; readonly to: Figure }
  }
}

/** The part of a report that is shown here. */
interface Figures {
  readonly kind: string
  readonly made: string
  readonly data: { readonly file: string; readonly noun: string }
  readonly figures: Counts & { readonly groups: readonly Group[] }
  readonly subgroups: readonly Part[]
}

const HEAD = ['Group', 'Predicted', 'Observed', '95 % of observed', 'In the large (95 %)', 'Rows', 'Events']
/** Without counts, for a page that needs no key. */
const PUBLIC_COLUMNS = 3

/** What the figures are from, and their table. Empty without a report, and for a file that is not one. */
export function groupCalibration(
  report: ModelReport | undefined,
  print: typeof table,
  isPublic = false,
): readonly string[] {
  try {
    const { kind, made, data, figures, subgroups } = parseJson(report?.json ?? '{}') as Figures
    const rows = [...figures.groups.map(groupCells), ...subgroups.flatMap(partCells)]
    const size = `, \`${data.file}\`: ${figures.rows} ${data.noun}, ${figures.events} events. In the large above 0: the risks are too low`
    return [
      `By group, from the report of ${made} on the ${kind === 'fit' ? 'development' : kind} data${isPublic ? '' : size}.`,
      isPublic
        ? print(
            HEAD.slice(0, PUBLIC_COLUMNS),
            rows.map((cells) => cells.slice(0, PUBLIC_COLUMNS)),
          )
        : print(HEAD, rows),
    ]
  } catch {
    return []
  }
}

function groupCells({ lowest, highest, predicted, observed, from, to, rows, events }: Group) {
  const shares = [share(predicted), share(observed), `${share(from)} to ${share(to)}`]
  return [`risk ${percent(lowest)} to ${percent(highest)}`, ...shares, '', rows, events]
}

/** A part with too few events has no figures. */
function partCells({ by, level, figures, rows, events }: Part) {
  if (figures === undefined) return []
  const { value, from, to } = figures.inTheLarge
  const large = `${signed(value)} (${signed(from)} to ${signed(to)})`
  return [[`${by} ${level}`, share(figures.meanPredicted), share(figures.observed), '', large, rows, events]]
}

function share(value: number | null): string {
  return value === null ? '–' : `${(100 * value).toFixed(1)} %`
}

function signed(value: number | null): string {
  const text = value?.toFixed(2) ?? '–'
  if (Number(text) === 0) return '0.00'
  return Number(text) > 0 ? `+${text}` : text.replace('-', '−')
}
