/** What the counted outcomes of a deployment show. Small parts are left out, and parts from which a small one would follow. */
import {
  type Performance,
  type PerformanceOptions,
  countsOf,
  performanceOf,
  type Counts,
  hiddenByMonth,
  hiddenGroups,
  hiddenParts,
  isEnough,
  knownOutcomes,
} from '@patient-risk/statistics'
import type { Host, MonitorClock } from '../host.ts'
import { reachText, verdictOf, wordsOf } from './alarm-words.ts'
import { competingOf, deathInFigures } from './death.ts'
import type { FigureCache } from './figure-cache.ts'
import { lastComplete, monthOfDay } from './months.ts'
import type { CountedCell, OutcomeStore, ServedState } from './outcome-store.ts'
import {
  type Judged,
  type OutcomeDeployment,
  type OutcomeWatch,
  WHOLE,
  type WatchedMonth,
  knownAfter,
} from './outcome-watch.ts'
import type {
  Coverage,
  GroupMonth,
  KindCoverage,
  MonthReport,
  OpenAlarm,
  PerformanceReport,
  SeasonReport,
  StateSummary,
} from './performance-report.ts'

const UNITS = 10_000
const digestText = (digest: string): string => `sha-256=:${digest}:`

/** The newest of the months that are listed; `whole` has all. */
const MOST_MONTHS = 120
/** The newest states that are listed. */
const MOST_STATES = 100
/** Fewer deaths than these are not shown. */
const FEWEST_DEATHS = 5
const DIED_FIRST = 2
const UNKNOWN = 3

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
): Promise<PerformanceReport | undefined> {
  const { name, outcomes: settings } = deployment
  const judgedStates = await watch.judge(deployment)
  const states = await watch.statesOf(deployment)
  const state = states.find(({ digest }) => digestText(digest) === (wanted ?? digestText(deployment.digest)))
  if (state === undefined) return undefined
  const { digest, model, output, threshold } = state
  // Without a horizon every month counts.
  const until =
    settings === undefined ? monthOfDay(clock.today()) : lastComplete(clock.today(), knownAfter(settings))
  const competing = competingOf(deployment)
  const death = deathInFigures(competing)
  const options: PerformanceOptions = { output, threshold, eta: settings?.eta ?? 1, death }
  const months = await watch.monthsOf(deployment, digest)
  const known = months.filter(({ month }) => month <= until)
  // Outcomes of months in which nobody was scored say nothing of the risks of others.
  const pooled = new Set(known.flatMap(({ month, scored }) => (scored > 0 ? [month] : [])))
  const isPooled = ({ month = '' }: CountedCell): boolean => pooled.has(month)
  const ranges = rangesOf(
    known.map(({ month }) => month),
    pooled,
  )
  const figures = (
    ranges: readonly MonthRange[],
    sums: readonly CountedCell[] = [],
    more: { readonly group?: string; readonly isWhole?: boolean; readonly death?: 'event' } = {},
  ): Promise<Performance> => {
    const own = { ...options, ...(more.death && { death: more.death }) }
    const { group, isWhole = false } = more
    return cache.get(JSON.stringify([name, digest, ranges, group, own]), sums, async () => {
      const cells: CountedCell[] = []
      for (const range of ranges)
        cells.push(...(await store.readOutcomes(name, digest, range, ['bin', 'flagged'], group)))
      await host.nextTurn()
      return performanceOf(cells, own, isWhole)
    })
  }
  // The sums of months and groups say what is shown. Only for that are bins read, one part after the other.
  const all = await store.readOutcomes(name, digest, ['', until], ['month', 'group'])
  const totals = all.filter(isPooled)
  const byMonth = partsBy('month', totals)
  const byGroup = partsBy('group', totals)
  const countsIn = (parts: ReadonlyMap<string, readonly CountedCell[]>): ReadonlyMap<string, Counts> =>
    new Map([...parts].map(([part, cells]) => [part, countsOf(cells, death)]))
  // What is shown of the parts adds up to the whole, so without it nothing is shown.
  const isShown = isEnough(countsOf(totals, death))
  const cells = new Map([...byGroup].map(([group, own]) => [group, partsBy('month', own)]))
  const counts = new Map([...cells].map(([group, own]) => [group, countsIn(own)]))
  const withoutMonths = isShown ? hiddenParts(countsIn(byMonth)) : new Set(byMonth.keys())
  const withoutGroups = isShown ? hiddenGroups(counts, withoutMonths) : new Set(byGroup.keys())
  const alone = hiddenByMonth(counts, withoutGroups)
  const judged = judgedStates.get(digest)
  const open = (await watch.alarmsOf(deployment)).filter((alarm) => alarm.state === 'raised')
  const openAlarms = open.map(({ basis, field: group, likely: month, at }): OpenAlarm => {
    const finding = judgedStates.get(basis)?.findings.get(group)
    // Of few outcomes it would tell what they were.
    const isToldOf = isShown && (group === WHOLE || (basis === digest && !withoutGroups.has(group)))
    return {
      digest: digestText(basis),
      group: group === WHOLE ? null : group,
      month,
      since: isoTime(at),
      finding: finding === undefined || !isToldOf ? null : wordsOf(finding),
    }
  })
  // The months after an acknowledgement, and those before it, follow from each other and the whole.
  const acknowledged = judged?.acknowledged ?? ''
  const isAfter = ({ month = '' }: { readonly month?: string }): boolean => month > acknowledged
  const before = totals.filter((cell) => !isAfter(cell))
  const isRecentShown =
    isShown &&
    isEnough(countsOf(totals.filter(isAfter), death)) &&
    (before.length === 0 || isEnough(countsOf(before, death)))
  const bounds = isRecentShown ? (judged?.bounds ?? null) : null
  const deaths = deathsOf(known)
  const whole = isShown ? await figures(ranges, totals, { isWhole: true }) : null
  const isBothWays = isShown && competing === 'unstated' && (deaths ?? 0) > 0
  const listed = await inTurn(months.slice(-MOST_MONTHS), async (each): Promise<MonthReport> => {
    const { month, complete, judged: isJudged } = each
    const isPart = byMonth.has(month) && !withoutMonths.has(month)
    return {
      month,
      ...kindCoverage([each], deathsByMonth(months)?.get(month) ?? null),
      complete,
      judged: isJudged,
      figures: isPart ? await figures([[month, month]], byMonth.get(month)) : null,
    }
  })
  return {
    deployment: name,
    digest: digestText(digest),
    model,
    output,
    threshold,
    competing,
    deathCountsAs: death,
    states: await inTurn(states.slice(-MOST_STATES), (each) => summaryOf(watch, deployment, each, open)),
    horizonDays: settings?.horizonDays ?? null,
    reportingDays: settings === undefined ? null : (settings.reportingDays ?? 0),
    eta: settings?.eta ?? null,
    tolerance: settings === undefined ? null : (settings.tolerance ?? 0),
    until,
    coverage: kindCoverage(known, deaths),
    verdict: verdictOf({
      outcomes: sum(known, 'outcomes'),
      alarms: [
        ...openAlarms.filter(({ group }) => group === null),
        ...openAlarms.filter(({ group }) => group !== null),
      ],
      isShown: isRecentShown,
      bounds: judged?.bounds ?? null,
      judgedMonths: months.filter((each) => each.judged && isAfter(each)).length,
      acknowledged,
    }),
    alarm: {
      ...alarmOf(judged, isShown, openAlarms, bounds),
      acknowledged: acknowledged === '' ? null : acknowledged,
    },
    bounds,
    whole,
    wholeIfDeathsCount: isBothWays ? await figures(ranges, totals, { isWhole: true, death: 'event' }) : null,
    months: listed,
    seasons: seasonsOf(listed),
    groups: await inTurn(settings?.groups === undefined ? [] : [...settings.groups, ''], async (group) => ({
      group: group === '' ? null : group,
      judged: judged?.groups.has(group) === true && group !== '',
      figures:
        byGroup.has(group) && !withoutGroups.has(group)
          ? await figures(ranges, byGroup.get(group), { group })
          : null,
      months: alone.has(group)
        ? null
        : [...(cells.get(group) ?? [])]
            .sort()
            .slice(-MOST_MONTHS)
            .map(([month, own]) => monthOfGroup(month, own, options)),
    })),
  }
}

function alarmOf(
  judged: Judged | undefined,
  isShown: boolean,
  open: readonly OpenAlarm[],
  bounds: Judged['bounds'],
): Omit<PerformanceReport['alarm'], 'acknowledged'> {
  return {
    limit: judged?.limit ?? null,
    evidence: isShown ? (judged?.evidence ?? null) : null,
    open,
    reach: bounds === null ? null : reachText(bounds),
  }
}

/** Months that follow each other without another one between them, as ranges of the store. */
function rangesOf(months: readonly string[], wanted: ReadonlySet<string>): readonly MonthRange[] {
  const ranges: [string, string][] = []
  let isOpen = false
  for (const month of months) {
    const last = ranges.at(-1)
    if (!wanted.has(month)) isOpen = false
    else if (isOpen && last !== undefined) last[1] = month
    else {
      ranges.push([month, month])
      isOpen = true
    }
  }
  return ranges
}

async function summaryOf(
  watch: OutcomeWatch,
  deployment: OutcomeDeployment,
  { digest, model }: ServedState,
  open: readonly { readonly basis: string }[],
): Promise<StateSummary> {
  const months = await watch.monthsOf(deployment, digest)
  return {
    digest: digestText(digest),
    model,
    isPresent: digest === deployment.digest,
    first: months[0]?.month ?? null,
    last: months.at(-1)?.month ?? null,
    scored: sum(months, 'scored'),
    outcomes: sum(months, 'outcomes'),
    hasOpenAlarm: open.some(({ basis }) => basis === digest),
  }
}

/** The same months of several years beside each other. */
function seasonsOf(months: readonly MonthReport[]): readonly SeasonReport[] {
  const shown = months.flatMap(({ month, figures }) => (figures === null ? [] : [{ month, figures }]))
  const byCalendar = Map.groupBy(shown, ({ month }) => Number(month.slice(5)))
  return [...byCalendar]
    .filter(([, years]) => years.length > 1)
    .sort(([one], [other]) => one - other)
    .map(([month, years]) => ({
      month,
      years: years.map(({ month: ofYear, figures: { outcomes, events, risks } }) => {
        return {
          month: ofYear,
          outcomes,
          events,
          expected: risks === null ? null : risks.meanPredicted * outcomes,
        }
      }),
    }))
}

function kindCoverage(months: readonly WatchedMonth[], diedFirst: number | null): KindCoverage {
  const unknown = months.reduce((total, { kinds }) => total + (kinds[UNKNOWN]?.[0] ?? 0), 0)
  return { ...coverageOf(sum(months, 'scored'), sum(months, 'outcomes')), diedFirst, unknown }
}

const diedFirstIn = ({ kinds }: WatchedMonth): number => kinds[DIED_FIRST]?.[0] ?? 0

/** Null where there are few. */
function deathsOf(months: readonly WatchedMonth[]): number | null {
  const number = months.reduce((total, month) => total + diedFirstIn(month), 0)
  return number === 0 || number >= FEWEST_DEATHS ? number : null
}

/** Of no month where that of one would be small: it would follow from the others. */
function deathsByMonth(months: readonly WatchedMonth[]): ReadonlyMap<string, number> | undefined {
  const isTold = months.every((month) => deathsOf([month]) !== null)
  return isTold ? new Map(months.map((month) => [month.month, diedFirstIn(month)])) : undefined
}

function monthOfGroup(
  month: string,
  cells: readonly CountedCell[],
  { death }: Pick<PerformanceOptions, 'death'>,
): GroupMonth {
  const { events, others } = countsOf(cells, death)
  const units = knownOutcomes(cells, death).reduce((total, cell) => total + cell.units, 0)
  return { month, outcomes: events + others, events, meanPredicted: units / (events + others) / UNITS }
}

function partsBy(
  column: 'month' | 'group',
  cells: readonly CountedCell[],
): ReadonlyMap<string, readonly CountedCell[]> {
  return Map.groupBy(cells, (cell) => cell[column] ?? '')
}

function coverageOf(scored: number, outcomes: number): Coverage {
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
