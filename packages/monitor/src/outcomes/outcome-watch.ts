/**
 * Watches what came true of the risks. The evidence is computed from the counts in the store, over months that are complete, so that
 * several processes agree and a restart changes nothing. An alarm is stored, and holds until somebody acknowledges it.
 */
import {
  CalibrationDetector,
  alarmLimits,
  allKnown,
  binsOf,
  centreOf,
  centreOfProfile,
} from '@patient-risk/statistics'
import type { Alarm, AlarmStore } from '../alarms/alarm.ts'
import type { AlarmBoard } from '../alarms/alarm-board.ts'
import type { MonitoredDeployment } from '../deployment.ts'
import type { MonitorClock } from '../host.ts'
import { lastComplete } from './months.ts'
import type { CountedCell, OutcomeStore, ServedState } from './outcome-store.ts'

/** What is watched of a deployment. */
export type OutcomeDeployment = Pick<
  MonitoredDeployment,
  'name' | 'digest' | 'riskDigest' | 'model' | 'deciding' | 'outcomes'
>

/** The group of everybody, in alarms. */
export const WHOLE = ''
/** A caller that sends only events would raise an alarm, and so would one that sends the same outcomes again. */
const COVERAGE = { least: 0.8, most: 1.1 }

/** A month of a state: whether its outcomes are all known, and whether they count for the alarm. */
export interface WatchedMonth {
  readonly month: string
  readonly scored: number
  readonly outcomes: number
  readonly complete: boolean
  readonly judged: boolean
}

export interface Judged {
  /** The evidence against the risks of everybody, after the last month; null where no month was judged. */
  readonly evidence: number | null
  readonly limit: number
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
    const numbers = states.filter(({ output }) => output === 'number')
    const groups = Map.groupBy(numbers, ({ riskDigest, digest }) => riskDigest || digest)
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
    { name, outcomes }: OutcomeDeployment,
    ...digests: readonly string[]
  ): Promise<readonly WatchedMonth[]> {
    const { store, clock } = this.parts
    const last = lastComplete(clock.today(), outcomes?.horizonDays)
    const sent = new Map<string, number>()
    const scored = new Map<string, number>()
    for (const digest of digests) {
      for (const { month = '', number } of await store.readOutcomes(name, digest, ['', '9999-12'], ['month']))
        sent.set(month, (sent.get(month) ?? 0) + number)
      for (const each of await store.readScored(name, digest))
        scored.set(each.month, (scored.get(each.month) ?? 0) + each.scored)
    }
    return [...new Set([...scored.keys(), ...sent.keys()])].sort().map((month) => {
      const counts = { scored: scored.get(month) ?? 0, outcomes: sent.get(month) ?? 0 }
      const share = counts.outcomes / counts.scored
      const complete = month <= last
      return {
        month,
        ...counts,
        complete,
        judged: complete && share >= COVERAGE.least && share <= COVERAGE.most,
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
    const reference = lastComplete(clock.today(), outcomes?.horizonDays)
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
    const { name, outcomes: { eta = 1, groups = [] } = {} } = deployment
    const limits = alarmLimits(groups.length)
    const detectors = new Map<string, CalibrationDetector>()
    const digests = states.map(({ digest }) => digest)
    const basis = digests.includes(deployment.digest) ? deployment.digest : (digests.at(-1) ?? '')
    const months = await this.monthsOf(deployment, ...digests)
    // Counts only grow: where none has changed, the evidence has not either, and its many cells need not be read.
    const from = JSON.stringify([months, ...alarms])
    const before = this.known.get(`${name} ${key}`)
    if (before?.from === from) return before.judged
    let centre = states.map((state) => state.centre).find((each) => each !== null) ?? null
    for (const { month, judged } of months) {
      if (!judged) continue
      // One group at a time, so that no question reads more than the bins of a month.
      for (const group of [WHOLE, ...groups]) {
        const ofGroup = group === WHOLE ? undefined : group
        const own: CountedCell[] = []
        for (const digest of digests)
          own.push(...(await store.readOutcomes(name, digest, [month, month], ['bin', 'flagged'], ofGroup)))
        centre ??= centreOf(allKnown(binsOf(own)))
        const { reference = '', state } = alarms.get(group) ?? {}
        if (own.length === 0 || month <= reference) continue
        const limit = group === WHOLE ? limits.whole : limits.group
        const detector = detectors.get(group) ?? new CalibrationDetector({ limit, eta, centre })
        detectors.set(group, detector)
        detector.addMonth(allKnown(binsOf(own)))
        if (!detector.isAlarm || state === 'raised') continue
        const subject = { kind: 'calibration', deployment: name, keyId: '', field: group } as const
        const found = { ...subject, basis, likely: month, reference }
        alarms.set(group, { ...found, state: 'raised', at: clock.now() })
        await board.raise(found)
      }
    }
    const judged = { evidence: detectors.get(WHOLE)?.evidence ?? null, limit: limits.whole }
    this.known.set(`${name} ${key}`, { from, judged })
    return judged
  }
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
