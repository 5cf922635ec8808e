/**
 * Scores records of a deployment by a second model, after their answer has left, and counts how the two differ. It takes a share of the
 * bodies and little time at once, drops what it has no time for, and keeps counts alone. Nothing of it is in an answer or in the audit.
 */
import { parseJson } from 'patient-risk-engine/read'
import type { MonitoredDeployment, MonitoredModel, ShadowSettings } from '../deployment.ts'
import { recordAround } from '../drift/record-around.ts'
import type { Host } from '../host.ts'

/** What is compared with a shadow. */
type ComparedDeployment = Pick<MonitoredDeployment, 'name' | 'model' | 'deciding' | 'scorer'>
type ShadowHost = Pick<Host, 'steadyNow' | 'random' | 'latin1' | 'later'>

/** Of a larger body single records are drawn: parsing it all would take too long at once. */
const WHOLE_BYTES = 16_384
const DRAWS = 128
/** As in the sample of the drift figures: every record of a large body has the same chance. */
const SHORT_BYTES = 64
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })
const MOST_WAITING = 1_000
/** The longest time at once; an answer waits for it at most. */
const SLICE_MS = 0.3
const SECOND_MS = 1_000

/** Differences of the risks, shadow − answer, are counted between these. */
const STEPS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
const CUTS = [...STEPS.map((step) => -step).reverse(), ...STEPS]
const THRESHOLDS = [0.05, 0.1, 0.15, 0.2, 0.3, 0.5]

/** The first counts; after them the differences, and four counts for each threshold. */
const NAMES = ['both', 'onlyAnswer', 'onlyShadow', 'neither', 'droppedBodies', 'sum'] as const
const MOVES = ['below', 'up', 'down', 'above'] as const
const FIRST_MOVE = NAMES.length + CUTS.length + 1

export class Shadow {
  readonly counts: Float64Array
  private readonly deployment: ComparedDeployment
  private readonly shadow: ShadowSettings
  private readonly host: ShadowHost
  private readonly thresholds: readonly number[]
  private waiting: { readonly record: unknown; readonly today: number }[] = []
  private isScheduled = false
  /** Milliseconds that may be used now, and when they were counted. */
  private leftMs: number
  private countedAt: number

  constructor(deployment: ComparedDeployment, shadow: ShadowSettings, host: ShadowHost) {
    this.deployment = deployment
    this.shadow = shadow
    this.host = host
    this.countedAt = host.steadyNow()
    this.leftMs = shadow.budgetMs
    const own = [deployment.deciding.threshold, deployment.model.definition.threshold?.risk]
    const all = [...THRESHOLDS, ...own.filter((each) => each !== undefined)]
    this.thresholds = [...new Set(all)].sort((one, other) => one - other)
    this.counts = new Float64Array(FIRST_MOVE + MOVES.length * this.thresholds.length)
  }

  /** The records of a body to score later, as JSON. Taken before the body moves to a worker; undefined if none are. */
  take(body: Uint8Array): string | undefined {
    if (this.host.random() >= this.shadow.share) return undefined
    if (this.waiting.length >= MOST_WAITING) {
      this.count('droppedBodies')
      return undefined
    }
    const { host } = this
    const { length } = body
    if (length <= WHOLE_BYTES) return UTF8.decode(body)
    const drawn = Array.from({ length: DRAWS }, () =>
      recordAround(body, Math.floor(host.random() * length), SHORT_BYTES / (1 - host.random()), host),
    )
    return `[${[...new Set(drawn.filter((each) => each !== undefined))].join(',')}]`
  }

  /** Called when the answer has left. */
  add(text: string, today: number): void {
    try {
      for (const record of parseJson(text) as readonly unknown[]) this.waiting.push({ record, today })
    } catch {
      // A record was drawn from inside a string.
    }
    this.schedule()
  }

  private schedule(): void {
    if (this.isScheduled || this.waiting.length === 0) return
    this.isScheduled = true
    const waitMs = this.leftMs > 0 ? 0 : (-this.leftMs * SECOND_MS) / this.shadow.budgetMs + 1
    this.host.later(() => this.work(), waitMs)
  }

  private work(): void {
    const { budgetMs } = this.shadow
    const start = this.host.steadyNow()
    this.leftMs = Math.min(budgetMs, this.leftMs + ((start - this.countedAt) * budgetMs) / SECOND_MS)
    this.countedAt = start
    const sliceMs = Math.min(SLICE_MS, this.leftMs)
    let now = start
    let done = 0
    while (done < this.waiting.length && now - start < sliceMs) {
      this.compare(done)
      done++
      now = this.host.steadyNow()
    }
    this.waiting = this.waiting.slice(done)
    this.leftMs -= now - start
    this.isScheduled = false
    this.schedule()
  }

  private compare(place: number): void {
    const { record, today } = this.waiting[place] ?? { record: undefined, today: 0 }
    // Each scorer overwrites its outcome with the next one.
    const riskBy = (scorer: MonitoredDeployment['scorer']): number | undefined => {
      const { blocked, risk } = scorer.assess(record, today)
      return blocked ? undefined : risk
    }
    const answer = riskBy(this.deployment.scorer)
    const shadow = riskBy(this.shadow.scorer)
    if (answer === undefined) {
      this.count(shadow === undefined ? 'neither' : 'onlyShadow')
      return
    }
    if (shadow === undefined) {
      this.count('onlyAnswer')
      return
    }
    this.count('both')
    // Risks have four decimals, and so has their difference.
    const difference = Math.round((shadow - answer) * 10_000) / 10_000
    this.count('sum', difference)
    const bin = CUTS.findIndex((cut) => difference < cut)
    this.count(NAMES.length + (bin < 0 ? CUTS.length : bin))
    this.thresholds.forEach((threshold, index) => {
      const move = (shadow >= threshold ? 1 : 0) + (answer >= threshold ? 2 : 0)
      this.count(FIRST_MOVE + MOVES.length * index + move)
    })
  }

  private count(what: (typeof NAMES)[number] | number, by = 1): void {
    const place = typeof what === 'number' ? what : NAMES.indexOf(what)
    this.counts[place] = (this.counts[place] as number) + by
  }

  /** What the counts of this process, or those given, show. */
  report(counts: ArrayLike<number> = this.counts): object {
    const at = (place: number): number => counts[place] ?? 0
    const [both = 0, onlyAnswer = 0, onlyShadow = 0, neither = 0, droppedBodies, sum = 0] = NAMES.map(
      (_, place) => at(place),
    )
    const bounds = [null, ...CUTS, null]
    return {
      model: nameOf(this.deployment.model),
      shadow: nameOf(this.shadow.model),
      share: this.shadow.share,
      records: both + onlyAnswer + onlyShadow + neither,
      both,
      onlyAnswer,
      onlyShadow,
      neither,
      droppedBodies,
      meanDifference: both === 0 ? null : sum / both,
      differences: bounds
        .slice(1)
        .map((to, bin) => ({ from: bounds[bin], to, records: at(NAMES.length + bin) })),
      thresholds: this.thresholds.map((threshold, index) => {
        const first = FIRST_MOVE + MOVES.length * index
        return { threshold, ...Object.fromEntries(MOVES.map((move, place) => [move, at(first + place)])) }
      }),
    }
  }
}

function nameOf({ definition }: MonitoredModel): string {
  return `${definition.id}@${definition.version}`
}

/** By the name of the deployment. */
export function makeShadows(
  deployments: readonly (ComparedDeployment & Pick<MonitoredDeployment, 'shadow'>)[],
  host: ShadowHost,
): ReadonlyMap<string, Shadow> {
  const made = deployments.flatMap((each) =>
    each.shadow === undefined ? [] : [[each.name, new Shadow(each, each.shadow, host)] as const],
  )
  return new Map(made)
}

/** For the other processes. */
export function countsOfAll(
  shadows: ReadonlyMap<string, Shadow>,
): Readonly<Record<string, readonly number[]>> {
  return Object.fromEntries([...shadows].map(([name, { counts }]) => [name, [...counts]]))
}
