/**
 * What a risk meant here: of everybody who was scored with a risk of a band, how many had the event. As the alarm does, it takes months
 * that are judged and says at least and at most: outcomes that came are no fair sample of those that did not, and a share of them would
 * stand beside the number of a patient. Bands that are too small are joined with the next.
 */
import { type BoundedBin, countsOfBins, isEnough } from '@patient-risk/statistics'
import type { MonitorClock } from '../host.ts'
import { lastComplete } from './months.ts'
import { type OutcomeDeployment, type OutcomeWatch, WHOLE, knownAfter } from './outcome-watch.ts'
import type { EvidenceBand, LocalEvidence } from './performance-report.ts'
import { wordsOf } from './alarm-words.ts'

/** Where bands may end, in thousandths. */
const EDGES = [0, 25, 50, 75, 100, 150, 200, 250, 300, 400, 500, 600, 700, 800, 900, 1_000]
const THOUSAND = 1_000

interface EvidenceParts {
  readonly watch: OutcomeWatch
  readonly clock: MonitorClock
  readonly isoTime: (at: number) => string
}

/** Of the present state, and of earlier ones whose numbers follow from the same. */
export async function localEvidence(
  { watch, clock, isoTime }: EvidenceParts,
  deployment: OutcomeDeployment,
): Promise<LocalEvidence> {
  const { name, outcomes, digest, deciding } = deployment
  const until = lastComplete(clock.today(), knownAfter(outcomes))
  const judged = await watch.judge(deployment)
  const open = (await watch.alarmsOf(deployment)).find(
    ({ field, state }) => field === WHOLE && state === 'raised',
  )
  // Answers of Yes and No have no bands.
  const bands = deciding.output === 'number' ? bandsOf(judged.get(digest)?.bins ?? []) : []
  const finding = open && judged.get(open.basis)?.findings.get(WHOLE)
  return {
    deployment: name,
    digest: `sha-256=:${digest}:`,
    until,
    horizonDays: outcomes?.horizonDays ?? null,
    alarm: open
      ? {
          month: open.likely,
          since: isoTime(open.at),
          // Of few outcomes it would tell what they were.
          text: finding === undefined || bands.length === 0 ? null : wordsOf(finding).text,
        }
      : null,
    bands,
  }
}

interface OpenBand {
  readonly from: number
  readonly to: number
  readonly bins: readonly BoundedBin[]
}

/** Empty where all together are too few. */
export function bandsOf(bins: readonly BoundedBin[]): readonly EvidenceBand[] {
  const bands: OpenBand[] = []
  let open: OpenBand | undefined
  for (const [at, edge] of EDGES.slice(1).entries()) {
    const start = (EDGES[at] ?? 0) / THOUSAND
    const to = edge / THOUSAND
    const own = bins.filter(({ risk }) => risk >= start && (risk < to || edge === THOUSAND))
    open = { from: open?.from ?? start, to, bins: [...(open?.bins ?? []), ...own] }
    if (!isShown(open.bins)) continue
    bands.push(open)
    open = undefined
  }
  const last = bands.pop()
  if (last === undefined) return []
  // What is left at the end belongs to the last one.
  const end = { from: last.from, to: 1, bins: [...last.bins, ...(open?.bins ?? [])] }
  return [...bands, end].map(({ from, to, bins: own }) => {
    const { scored, least, most } = countsOfBins(own)
    return { from, to, scored, least, most }
  })
}

/** By what is certain of a band: so many with the event, and so many without. */
function isShown(bins: readonly BoundedBin[]): boolean {
  const { scored, least, most } = countsOfBins(bins)
  return isEnough({ events: least, others: scored - most })
}
