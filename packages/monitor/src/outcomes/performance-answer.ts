/** What the counted outcomes of a deployment show. Small parts are left out, and parts from which a small one would follow. */
import {
  type Performance,
  countsOf,
  performanceOf,
  type Counts,
  hiddenByMonth,
  hiddenGroups,
  hiddenParts,
  isEnough,
} from '@patient-risk/statistics'
import type { Host, MonitorClock } from '../host.ts'
import type { FigureCache } from './figure-cache.ts'
import { lastComplete, monthOfDay } from './months.ts'
import type { CountedCell, OutcomeStore } from './outcome-store.ts'
import { type OutcomeDeployment, type OutcomeWatch, WHOLE } from './outcome-watch.ts'

const UNITS = 10_000
const digestText = (digest: string): string => `sha-256=:${digest}:`

type MonthRange = readonly [first: string, last: string]

interface PerformanceParts {
  readonly store: OutcomeStore
  readonly watch: OutcomeWatch
  readonly clock: MonitorClock
  readonly host: Pick<Host, 'nextTurn'>
  readonly cache: FigureCache
  /** A time in milliseconds as ISO 8601 has it. */
  readonly isoTime: (at: number) => string
}

/**
 * The figures of the state with this digest, written as in answers; of the present one where it is absent. Undefined where the
 * deployment never had such a state.
 */
export async function performanceAnswer(
  { store, watch, clock, host, cache, isoTime }: PerformanceParts,
  deployment: OutcomeDeployment,
  wanted?: string,
): Promise<object | undefined> {
  const { name, outcomes: settings } = deployment
  const judged = await watch.judge(deployment)
  const states = await watch.statesOf(deployment)
  const state = states.find(({ digest }) => digestText(digest) === (wanted ?? digestText(deployment.digest)))
  if (state === undefined) return undefined
  const { digest, model, output, threshold } = state
  // Without a horizon every month counts.
  const until =
    settings === undefined ? monthOfDay(clock.today()) : lastComplete(clock.today(), settings.horizonDays)
  const options = { output, threshold, eta: settings?.eta ?? 1 }
  const figures = (
    [first, last]: MonthRange,
    sums: readonly CountedCell[] = [],
    group?: string,
  ): Promise<Performance> =>
    cache.get(JSON.stringify([name, digest, first, last, group, options]), sums, async () => {
      const cells = await store.readOutcomes(name, digest, [first, last], ['bin', 'flagged'], group)
      await host.nextTurn()
      return performanceOf(cells, options, first === '' && group === undefined)
    })
  // The sums of months and groups say what is shown. Only for that are bins read, one part after the other.
  const totals = await store.readOutcomes(name, digest, ['', until], ['month', 'group'])
  const byMonth = partsBy('month', totals)
  const byGroup = partsBy('group', totals)
  // What is shown of the parts adds up to the whole, so without it nothing is shown.
  const isShown = isEnough(countsOf(totals))
  const cells = new Map([...byGroup].map(([group, own]) => [group, partsBy('month', own)]))
  const counts = new Map([...cells].map(([group, own]) => [group, countsIn(own)]))
  const withoutMonths = isShown ? hiddenParts(countsIn(byMonth)) : new Set(byMonth.keys())
  const withoutGroups = isShown ? hiddenGroups(counts, withoutMonths) : new Set(byGroup.keys())
  const alone = hiddenByMonth(counts, withoutGroups)
  const months = await watch.monthsOf(deployment, digest)
  const open = (await watch.alarmsOf(deployment)).filter((alarm) => alarm.state === 'raised')
  const known = months.filter(({ month }) => month <= until)
  return {
    deployment: name,
    digest: digestText(digest),
    model,
    output,
    threshold,
    states: states.map((each) => ({ digest: digestText(each.digest), model: each.model })),
    horizonDays: settings?.horizonDays ?? null,
    eta: settings?.eta ?? null,
    until,
    coverage: coverageOf(sum(known, 'scored'), sum(known, 'outcomes')),
    alarm: {
      limit: judged.get(digest)?.limit ?? null,
      // Of few outcomes it would tell what they were.
      evidence: isShown ? (judged.get(digest)?.evidence ?? null) : null,
      open: open.map(({ basis, field: group, likely: month, at }) => ({
        digest: digestText(basis),
        group: group === WHOLE ? null : group,
        month,
        since: isoTime(at),
      })),
    },
    whole: isShown ? await figures(['', until], totals) : null,
    months: await inTurn(months, async ({ month, scored, outcomes, complete, judged: isJudged }) => ({
      month,
      ...coverageOf(scored, outcomes),
      complete,
      judged: isJudged,
      figures:
        byMonth.has(month) && !withoutMonths.has(month)
          ? await figures([month, month], byMonth.get(month))
          : null,
    })),
    groups: await inTurn(settings?.groups === undefined ? [] : [...settings.groups, ''], async (group) => ({
      group: group === '' ? null : group,
      figures:
        byGroup.has(group) && !withoutGroups.has(group)
          ? await figures(['', until], byGroup.get(group), group)
          : null,
      months: alone.has(group) ? null : [...(cells.get(group) ?? [])].sort().map(monthOfGroup),
    })),
  }
}

function monthOfGroup([month, cells]: readonly [string, readonly CountedCell[]]): object {
  const { events, others } = countsOf(cells)
  const units = cells.reduce((total, cell) => total + cell.units, 0)
  return { month, outcomes: events + others, events, meanPredicted: units / (events + others) / UNITS }
}

function partsBy(
  column: 'month' | 'group',
  cells: readonly CountedCell[],
): ReadonlyMap<string, readonly CountedCell[]> {
  return Map.groupBy(cells, (cell) => cell[column] ?? '')
}

function countsIn(parts: ReadonlyMap<string, readonly CountedCell[]>): ReadonlyMap<string, Counts> {
  return new Map([...parts].map(([name, cells]) => [name, countsOf(cells)]))
}

function coverageOf(scored: number, outcomes: number): object {
  return { scored, outcomes, coverage: scored === 0 ? null : outcomes / scored }
}

function sum<Name extends string>(rows: readonly Readonly<Record<Name, number>>[], name: Name): number {
  return rows.reduce((total, row) => total + row[name], 0)
}

/** One after the other: requests of others are answered in between. */
async function inTurn<T, R>(list: readonly T[], work: (each: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  for (const each of list) results.push(await work(each))
  return results
}
