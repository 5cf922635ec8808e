/**
 * Watches what came true of the risks. The evidence is computed from the counts in the store, over months that are complete, so that
 * several processes agree and a restart changes nothing. An alarm is stored, and holds until somebody acknowledges it.
 */
import type { Deployment } from '@patient-risk/catalog'
import { type Clock, lastComplete } from '@patient-risk/runtime'
import { CalibrationDetector, alarmLimits, binsOf, centreOf, centreOfProfile } from '@patient-risk/statistics'
import type { Log } from '@patient-risk/server'
import type { ServedState, Alarm, Store } from '@patient-risk/server/store'
import type { AlarmBoard } from '../alarms/alarm-board.ts'

/** The group of everybody, in alarms. */
export const WHOLE = ''
/** A caller that sends only events would raise an alarm, and so would one that sends the same outcomes again. */
const COVERAGE = { least: 0.8, most: 1.1 }
const LOOK_EVERY_MS = 60_000
const JUDGE_AFTER_MS = 1_000

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
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly board: AlarmBoard
  readonly deployments: readonly Deployment[]
}

export class OutcomeWatch {
  private readonly parts: WatchParts
  private readonly waiting = new Map<string, NodeJS.Timeout>()
  /** What was judged last of each state, and the counts and alarms that it follows from. */
  private readonly known = new Map<string, { readonly from: string; readonly judged: Judged }>()
  private judgedOn = 0

  constructor(parts: WatchParts) {
    this.parts = parts
  }

  /** Notes the present states, so that their outcomes are known later, and judges once a day. */
  async start(): Promise<void> {
    const { store, deployments, log } = this.parts
    await store
      .noteStates(deployments.map(stateOf))
      .catch(() => log.error({ event: 'outcome-states-failed' }))
    await this.look()
    const timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref()
    this.waiting.set('', timer)
  }

  stop(): void {
    for (const timer of this.waiting.values()) clearTimeout(timer)
  }

  /** After outcomes were counted. Those that follow at once are judged together. */
  judgeSoon(deployment: Deployment): void {
    const { name } = deployment
    if (this.waiting.has(name)) return
    const judge = (): void => {
      this.waiting.delete(name)
      void this.orLog(this.judge(deployment))
    }
    this.waiting.set(name, setTimeout(judge, JUDGE_AFTER_MS).unref())
  }

  /** Computes the evidence of every state of a deployment, and stores the alarms that it raises. By digest. */
  async judge(deployment: Deployment): Promise<ReadonlyMap<string, Judged>> {
    const alarms = new Map((await this.alarmsOf(deployment)).map((alarm) => [alarm.field, alarm]))
    const judged = new Map<string, Judged>()
    for (const state of deployment.outcomes === undefined ? [] : await this.statesOf(deployment))
      if (state.output === 'number')
        judged.set(state.digest, await this.judgeState(deployment, state, alarms))
    return judged
  }

  /** The states of which outcomes are taken: those that were ever served, and the present one. */
  async statesOf(deployment: Deployment): Promise<readonly ServedState[]> {
    const known = await this.parts.store.readStates(deployment.name)
    return known.some(({ digest }) => digest === deployment.digest) ? known : [...known, stateOf(deployment)]
  }

  /** The months of which patients were scored or outcomes sent. */
  async monthsOf({ name, outcomes }: Deployment, digest: string): Promise<readonly WatchedMonth[]> {
    const { store, clock } = this.parts
    const last = lastComplete(clock.today(), outcomes?.horizonDays)
    const sent = new Map<string, number>()
    for (const { month = '', number } of await store.readOutcomes(name, digest, ['', '9999-12'], ['month']))
      sent.set(month, (sent.get(month) ?? 0) + number)
    const scored = new Map((await store.readScored(name, digest)).map((each) => [each.month, each.scored]))
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
  async alarmsOf({ name }: Pick<Deployment, 'name'>): Promise<readonly Alarm[]> {
    const all = await this.parts.store.readAlarms()
    return all.filter(({ kind, deployment }) => kind === 'calibration' && deployment === name)
  }

  /** Ends the alarm of a deployment or of one of its groups. Counting begins again with the month after the last complete one. */
  async acknowledge({ name, outcomes }: Deployment, group: string): Promise<boolean> {
    const { store, clock, board } = this.parts
    const alarm = (await this.alarmsOf({ name })).find(({ field }) => field === group)
    if (alarm?.state !== 'raised') return false
    const reference = lastComplete(clock.today(), outcomes?.horizonDays)
    await store.writeAlarm({ ...alarm, reference, state: 'acknowledged', at: clock.now() })
    await board.refresh()
    return true
  }

  private async judgeState(
    deployment: Deployment,
    { digest, centre: known }: ServedState,
    alarms: Map<string, Alarm>,
  ): Promise<Judged> {
    const { store, clock, board } = this.parts
    const { name, outcomes: { eta = 1, groups = [] } = {} } = deployment
    const limits = alarmLimits(groups.length)
    const detectors = new Map<string, CalibrationDetector>()
    const months = await this.monthsOf(deployment, digest)
    // Counts only grow: where none has changed, the evidence has not either, and its many cells need not be read.
    const from = JSON.stringify([months, ...alarms])
    const before = this.known.get(`${name} ${digest}`)
    if (before?.from === from) return before.judged
    let centre = known
    for (const { month, judged } of months) {
      if (!judged) continue
      const cells = await store.readOutcomes(name, digest, [month, month], ['group', 'bin', 'flagged'])
      centre ??= centreOf(binsOf(cells))
      for (const group of [WHOLE, ...groups]) {
        const own = group === WHOLE ? cells : cells.filter((cell) => cell.group === group)
        const { reference = '', state } = alarms.get(group) ?? {}
        if (own.length === 0 || month <= reference) continue
        const limit = group === WHOLE ? limits.whole : limits.group
        const detector = detectors.get(group) ?? new CalibrationDetector({ limit, eta, centre })
        detectors.set(group, detector)
        detector.addMonth(binsOf(own))
        if (!detector.isAlarm || state === 'raised') continue
        const subject = { kind: 'calibration', deployment: name, keyId: '', field: group } as const
        const found = { ...subject, basis: digest, likely: month, reference }
        alarms.set(group, { ...found, state: 'raised', at: clock.now() })
        await board.raise(found)
      }
    }
    const judged = { evidence: detectors.get(WHOLE)?.evidence ?? null, limit: limits.whole }
    this.known.set(`${name} ${digest}`, { from, judged })
    return judged
  }

  private async look(): Promise<void> {
    const { clock, deployments } = this.parts
    if (this.judgedOn === clock.today()) return
    this.judgedOn = clock.today()
    for (const deployment of deployments) await this.orLog(this.judge(deployment))
  }

  private async orLog(work: Promise<unknown>): Promise<void> {
    await work.catch((error: unknown) => {
      this.parts.log.error({ event: 'outcomes-not-judged', kind: (error as Error).name })
    })
  }
}

/** As in 2026-11, for a day as YYYYMMDD. */
export function monthOfDay(day: number): string {
  return `${Math.floor(day / 10_000)}-${String(Math.floor(day / 100) % 100).padStart(2, '0')}`
}

function stateOf({ name, digest, model: { definition }, deciding }: Deployment): ServedState {
  const { id, version, threshold, profile } = definition
  return {
    deployment: name,
    digest,
    model: `${id}@${version}`,
    output: deciding.output,
    threshold: deciding.threshold ?? threshold?.risk ?? null,
    centre: profile === undefined ? null : centreOfProfile(profile.risk),
  }
}
