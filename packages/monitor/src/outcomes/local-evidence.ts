/** What a risk meant here: of patients in a band of risk, how many had the event. Bands that are too small are joined with the next. */
import { type Counts, OUTCOME, isEnough, knownOutcomes } from '@patient-risk/statistics'
import type { MonitorClock } from '../host.ts'
import { competingOf, deathInFigures } from './death.ts'
import { lastComplete } from './months.ts'
import type { CountedCell, OutcomeStore } from './outcome-store.ts'
import { type OutcomeDeployment, type OutcomeWatch, WHOLE, knownAfter } from './outcome-watch.ts'
import type { LocalEvidence } from './performance-report.ts'
import { wordsOf } from './alarm-words.ts'

/** Where bands may end, in thousandths. */
const EDGES = [0, 25, 50, 75, 100, 150, 200, 250, 300, 400, 500, 600, 700, 800, 900, 1_000]
const THOUSAND = 1_000

interface EvidenceParts {
  readonly store: OutcomeStore
  readonly watch: OutcomeWatch
  readonly clock: MonitorClock
  readonly isoTime: (at: number) => string
}

/** Of the present state, and of earlier ones whose numbers follow from the same. */
export async function localEvidence(
  { store, watch, clock, isoTime }: EvidenceParts,
  deployment: OutcomeDeployment,
): Promise<LocalEvidence> {
  const { name, outcomes, digest, riskDigest, deciding } = deployment
  const until = lastComplete(clock.today(), knownAfter(outcomes))
  const judged = await watch.judge(deployment)
  const open = (await watch.alarmsOf(deployment)).find(
    ({ field, state }) => field === WHOLE && state === 'raised',
  )
  const states = (await watch.statesOf(deployment)).filter(
    (each) => each.digest === digest || (each.riskDigest !== '' && each.riskDigest === riskDigest),
  )
  const cells: CountedCell[] = []
  if (outcomes !== undefined && deciding.output === 'number')
    for (const state of states)
      cells.push(...(await store.readOutcomes(name, state.digest, ['', until], ['bin'])))
  const bands = bandsOf(knownOutcomes(cells, deathInFigures(competingOf(deployment))))
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

/** Empty where all together are too few. */
export function bandsOf(cells: readonly CountedCell[]): LocalEvidence['bands'] {
  const parts = EDGES.slice(1).map((to, at) => ({ from: EDGES[at] ?? 0, to, events: 0, others: 0 }))
  for (const { bin = 0, outcome, number } of cells) {
    const part = parts.find(({ to }) => bin < to)
    if (part !== undefined) part[outcome === OUTCOME.event ? 'events' : 'others'] += number
  }
  const bands: (Counts & { readonly from: number; readonly to: number })[] = []
  let open: { from: number; events: number; others: number } | undefined
  for (const { from, to, events, others } of parts) {
    open = {
      from: open?.from ?? from,
      events: events + (open?.events ?? 0),
      others: others + (open?.others ?? 0),
    }
    if (!isEnough(open)) continue
    bands.push({ ...open, to })
    open = undefined
  }
  const last = bands.pop()
  if (last === undefined) return []
  // What is left at the end belongs to the last one.
  const end = { ...last, to: THOUSAND }
  const all = [
    ...bands,
    { ...end, events: last.events + (open?.events ?? 0), others: last.others + (open?.others ?? 0) },
  ]
  return all.map(({ from, to, events, others }) => {
    return { from: from / THOUSAND, to: to / THOUSAND, outcomes: events + others, events }
  })
}
