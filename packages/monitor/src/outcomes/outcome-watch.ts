/**
 * Watches what came true of the risks. The evidence is computed from the counts in the store, over months that are complete and whose
 * patients were counted at scoring, so that several processes agree and a restart changes nothing. No month is left out because of the
 * outcomes that came: that alone would raise false alarms. An alarm is stored, and holds until somebody acknowledges it.
 */
import {
  type AlarmFinding,
  type BoundedBin,
  CalibrationDetector,
  type EventBounds,
  type MonthOfBins,
  alarmLimits,
  centreOf,
  centreOfProfile,
  eventBounds,
  findingOf,
} from '@patient-risk/statistics'
import type { Alarm, AlarmStore } from '../alarms/alarm.ts'
import type { AlarmBoard } from '../alarms/alarm-board.ts'
import type { MonitoredDeployment } from '../deployment.ts'
import type { MonitorClock } from '../host.ts'
import { competingOf, deathInAlarm } from './death.ts'
import { binsOfMonth, joined } from './month-bins.ts'
import { lastComplete } from './months.ts'
import type { OutcomeStore, ServedState } from './outcome-store.ts'

/** What is watched of a deployment. */
export type OutcomeDeployment = Pick<
  MonitoredDeployment,
  'name' | 'digest' | 'riskDigest' | 'model' | 'deciding' | 'outcomes'
>

/** The group of everybody, in alarms. */
export const WHOLE = ''

/** A month of a state: whether its horizon is over, and whether it counts for the alarm. */
export interface WatchedMonth {
  readonly month: string
  readonly scored: number
  /** The number and the sum of the risks of those that were counted at scoring. */
  readonly counted: number
  readonly countedUnits: number
  /** Elements of any kind. */
  readonly outcomes: number
  /** By kind, in the order of the numbers that are stored, the number and the sum of the risks. */
  readonly kinds: readonly (readonly [number: number, units: number])[]
  readonly complete: boolean
  readonly judged: boolean
}

export interface Judged {
  /** The evidence against the risks of everybody, after the last month; null where no month was judged. */
  readonly evidence: number | null
  readonly limit: number
  /** What open alarms have found, by group; those without counts at scoring have none. */
  readonly findings: ReadonlyMap<string, AlarmFinding>
  /** The last month that does not count any more, because an alarm of everybody was acknowledged; empty where none was. */
  readonly acknowledged: string
  /** Bounds over the months after that one; null where none was judged. */
  readonly bounds: EventBounds | null
  /** The bins of all months that were judged, also of those before the acknowledgement. */
  readonly bins: readonly BoundedBin[]
  /** Groups that were named at scoring. */
  readonly groups: ReadonlySet<string>
}

interface WatchParts {
  readonly store: AlarmStore & OutcomeStore
  readonly clock: MonitorClock
  readonly board: AlarmBoard
}

export class OutcomeWatch {
  private readonly parts: WatchParts
  /** What was judged last of each state, and the counts and alarms that it follows from. */
  private readonly known = new Map<string, { readonly from: string; readonly judged: Judged }>()

  constructor(parts: WatchParts) {
    this.parts = parts
  }

  /** Notes the present states, so that their outcomes are known later, and what alarms of earlier ones hold for them too. */
  async noteStates(deployments: readonly OutcomeDeployment[]): Promise<void> {
    const { store, board } = this.parts
    await store.noteStates(deployments.map(stateOf))
    for (const deployment of deployments) {
      const { id } = deployment.model.definition
      for (const { model, riskDigest } of await store.readStates(deployment.name)) {
        // An alarm from before states had this digest stays until somebody has looked at it.
        const isUnknown = riskDigest === '' && model.startsWith(`${id}@`)
        if (isUnknown || riskDigest === deployment.riskDigest) board.holdsFor(deployment.name, model)
      }
    }
  }

  /** Computes the evidence of every state of a deployment, and stores the alarms that it raises. By digest. */
  async judge(deployment: OutcomeDeployment): Promise<ReadonlyMap<string, Judged>> {
    const alarms = new Map((await this.alarmsOf(deployment)).map((alarm) => [alarm.field, alarm]))
    const judged = new Map<string, Judged>()
    const states = deployment.outcomes === undefined ? [] : await this.statesOf(deployment)
    const groups = Map.groupBy(
      states,
      ({ output, riskDigest, digest }) => `${output} ${riskDigest || digest}`,
    )
    for (const [key, group] of groups) {
      const found = await this.judgeStates(deployment, key, group, alarms)
      for (const { digest } of group) judged.set(digest, found)
    }
    return judged
  }

  /** The states of which outcomes are taken: those that were ever served, and the present one. */
  async statesOf(deployment: OutcomeDeployment): Promise<readonly ServedState[]> {
    const known = await this.parts.store.readStates(deployment.name)
    return known.some(({ digest }) => digest === deployment.digest) ? known : [...known, stateOf(deployment)]
  }

  /** The months of which patients were scored or outcomes sent. */
  async monthsOf(
    { name, outcomes }: Pick<OutcomeDeployment, 'name' | 'outcomes'>,
    ...digests: readonly string[]
  ): Promise<readonly WatchedMonth[]> {
    const { store, clock } = this.parts
    const last = lastComplete(clock.today(), knownAfter(outcomes))
    interface Sums {
      scored: number
      counted: number
      units: number
      readonly kinds: (readonly [number: number, units: number])[]
    }
    const found = new Map<string, Sums>()
    const sumsOf = (month: string): Sums => {
      const none = [0, 0] as const
      const known = found.get(month) ?? { scored: 0, counted: 0, units: 0, kinds: [none, none, none, none] }
      found.set(month, known)
      return known
    }
    for (const digest of digests) {
      const all = ['', '9999-12'] as const
      for (const { month = '', outcome, number, units } of await store.readOutcomes(name, digest, all, [
        'month',
      ])) {
        const { kinds } = sumsOf(month)
        const [before, unitsBefore] = kinds[outcome] ?? [0, 0]
        kinds[outcome] = [before + number, unitsBefore + units]
      }
      for (const { month, scored } of await store.readScored(name, digest)) sumsOf(month).scored += scored
      for (const { month = '', number, units } of await store.readScoredRisks(name, digest, all, ['month'])) {
        sumsOf(month).counted += number
        sumsOf(month).units += units
      }
    }
    const months = [...found].sort(([one], [other]) => (one < other ? -1 : 1))
    const began = months.find(([, { counted }]) => counted > 0)?.[0]
    return months.map(([month, { scored, counted, units, kinds }]) => {
      // Counting began within it: outcomes of patients who were scored before would be taken for those of others.
      const isPart = month === began && counted < scored
      return {
        month,
        // The counters of the audit are behind by some minutes.
        scored: Math.max(scored, counted),
        counted,
        countedUnits: units,
        outcomes: kinds.reduce((sum, [number]) => sum + number, 0),
        kinds,
        complete: month <= last,
        judged: month <= last && counted > 0 && !isPart,
      }
    })
  }

  /** The alarms of a deployment and of its groups, open or not. */
  async alarmsOf({ name }: Pick<OutcomeDeployment, 'name'>): Promise<readonly Alarm[]> {
    const all = await this.parts.store.readAlarms()
    return all.filter(({ kind, deployment }) => kind === 'calibration' && deployment === name)
  }

  /** Ends the alarm of a deployment or of one of its groups. Counting begins again with the month after the last complete one. */
  async acknowledge({ name, outcomes }: OutcomeDeployment, group: string): Promise<boolean> {
    const { store, clock, board } = this.parts
    const alarm = (await this.alarmsOf({ name })).find(({ field }) => field === group)
    if (alarm?.state !== 'raised') return false
    const reference = lastComplete(clock.today(), knownAfter(outcomes))
    await store.writeAlarm({ ...alarm, reference, state: 'acknowledged', at: clock.now() })
    await board.refresh()
    return true
  }

  /** Judges states whose numbers follow from the same: together, as one. The alarm names the present one, or the last. */
  private async judgeStates(
    deployment: OutcomeDeployment,
    key: string,
    states: readonly ServedState[],
    alarms: Map<string, Alarm>,
  ): Promise<Judged> {
    const { store, clock, board } = this.parts
    const { name, outcomes: { eta = 1, groups = [], tolerance = 0 } = {} } = deployment
    const limits = alarmLimits(groups.length)
    const digests = states.map(({ digest }) => digest)
    const basis = digests.includes(deployment.digest) ? deployment.digest : (digests.at(-1) ?? '')
    const months = await this.monthsOf(deployment, ...digests)
    // Where no sum has changed, the evidence has not either, and its many cells need not be read.
    const from = JSON.stringify([months, ...alarms, groups, eta, tolerance])
    const before = this.known.get(`${name} ${key}`)
    if (before?.from === from) return before.judged
    const judgedMonths = months.filter((each) => each.judged).map(({ month }) => month)
    const inGroups = await this.groupsOf(name, digests, groups)
    const death = deathInAlarm(competingOf(deployment))
    const settings = { eta, tolerance, centre: 0 }
    const centreKnown = states.map((state) => state.centre).find((each) => each !== null) ?? null
    const read = new Map<string, MonthOfBins[]>()
    const everything: BoundedBin[] = []
    const recent: BoundedBin[] = []
    const detectors = new Map<string, CalibrationDetector>()
    const raised: Alarm[] = []
    let centre = centreKnown
    for (const month of judgedMonths) {
      // One group at a time, so that no question reads more than the bins of a month.
      for (const group of [WHOLE, ...groups]) {
        if (group !== WHOLE && inGroups.get(group)?.has(month) !== true) continue
        const bins = await binsOfMonth(store, name, states, month, death, group === WHOLE ? undefined : group)
        centre ??= centreOf(bins)
        settings.centre = centre
        if (group === WHOLE) everything.push(...bins)
        const { reference = '', state } = alarms.get(group) ?? {}
        if (month <= reference) continue
        if (group === WHOLE) recent.push(...bins)
        read.set(group, [...(read.get(group) ?? []), { month, bins }])
        const limit = group === WHOLE ? limits.whole : limits.group
        const detector = detectors.get(group) ?? new CalibrationDetector({ ...settings, limit })
        detectors.set(group, detector)
        detector.addMonth(bins)
        if (!detector.isAlarm || state === 'raised') continue
        const subject = { kind: 'calibration', deployment: name, keyId: '', field: group } as const
        const found: Alarm = { ...subject, basis, likely: month, reference, state: 'raised', at: clock.now() }
        alarms.set(group, found)
        raised.push(found)
      }
    }
    for (const alarm of raised) await board.raise(alarm)
    const findings = new Map<string, AlarmFinding>()
    for (const [group, bins] of read) {
      const { state, likely = '', basis: ofAlarm = '' } = alarms.get(group) ?? {}
      if (state !== 'raised' || !digests.includes(ofAlarm)) continue
      const finding = findingOf(
        bins.filter(({ month }) => month <= likely),
        settings,
      )
      if (finding !== undefined) findings.set(group, finding)
    }
    const judged = {
      evidence: detectors.get(WHOLE)?.evidence ?? null,
      limit: limits.whole,
      findings,
      acknowledged: alarms.get(WHOLE)?.reference ?? '',
      bounds: recent.length === 0 ? null : eventBounds(joined(recent)),
      bins: joined(everything),
      groups: new Set(inGroups.keys()),
    }
    this.known.set(`${name} ${key}`, { from, judged })
    return judged
  }

  /** The months in which patients of each group were counted at scoring. */
  private async groupsOf(
    name: string,
    digests: readonly string[],
    groups: readonly string[],
  ): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const found = new Map<string, Set<string>>()
    if (groups.length === 0) return found
    for (const digest of digests) {
      const cells = await this.parts.store.readScoredRisks(name, digest, ['', '9999-12'], ['month', 'group'])
      for (const { month = '', group = '' } of cells)
        found.set(group, (found.get(group) ?? new Set()).add(month))
    }
    return found
  }
}

/** After so many days the outcomes of a month are expected to be there. */
export function knownAfter(outcomes: OutcomeDeployment['outcomes']): number {
  return (outcomes?.horizonDays ?? 0) + (outcomes?.reportingDays ?? 0)
}

function stateOf({
  name,
  digest,
  riskDigest,
  model: { definition },
  deciding,
}: OutcomeDeployment): ServedState {
  const { id, version, threshold, profile } = definition
  return {
    deployment: name,
    digest,
    model: `${id}@${version}`,
    output: deciding.output,
    threshold: deciding.threshold ?? threshold?.risk ?? null,
    centre: profile === undefined ? null : centreOfProfile(profile.risk),
    riskDigest,
  }
}
