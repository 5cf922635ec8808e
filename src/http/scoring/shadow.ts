/**
 * Scores records of a deployment by a second model, after their answer has left, and counts how the two differ. It takes a share of the
 * bodies and little time at once, drops what it has no time for, and keeps counts alone. Nothing of it is in an answer or in the audit.
 */
import type { Deployment, ShadowModel } from '../../catalog/deployment.ts'
import { recordAround } from './drift-watch.ts'

/** Of a larger body single records are drawn: parsing it all would take too long at once. */
const WHOLE_BYTES = 16_384
const DRAWS = 128
/** As in the sample of the drift figures: every record of a large body has the same chance. */
const SHORT_BYTES = 64
/** Bodies that may wait. */
const MOST_WAITING = 32
/** The longest time at once; an answer waits for it at most. */
const SLICE_MS = 0.3
const SECOND_MS = 1_000

/** Differences of the risks, shadow − answer, are counted between these. */
const STEPS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
const CUTS = [...STEPS.map((step) => -step).reverse(), ...STEPS]
const THRESHOLDS = [0.05, 0.1, 0.15, 0.2, 0.3, 0.5]

/** Places among the counts; after them the differences, and four counts for each threshold. */
const PLACES = { records: 0, both: 1, onlyAnswer: 2, onlyShadow: 3, neither: 4, droppedBodies: 5, sum: 6 }
const HEAD = Object.keys(PLACES).length
const MOVES = ['below', 'up', 'down', 'above'] as const

interface Waiting {
  readonly text: string
  readonly today: number
  records?: readonly unknown[]
  next: number
}

export class Shadow {
  readonly counts: Float64Array
  private readonly deployment: Deployment
  private readonly shadow: ShadowModel
  private readonly random: () => number
  private readonly thresholds: readonly number[]
  private readonly waiting: Waiting[] = []
  private isScheduled = false
  /** Milliseconds that may be used now, and when they were counted. */
  private leftMs: number
  private countedAt = performance.now()

  constructor(deployment: Deployment, shadow: ShadowModel, random: () => number = Math.random) {
    this.deployment = deployment
    this.shadow = shadow
    this.random = random
    this.leftMs = shadow.budgetMs
    const own = [deployment.deciding.threshold, deployment.model.definition.threshold?.risk]
    const all = [...THRESHOLDS, ...own.filter((each) => each !== undefined)]
    this.thresholds = [...new Set(all)].sort((one, other) => one - other)
    this.counts = new Float64Array(HEAD + CUTS.length + 1 + MOVES.length * this.thresholds.length)
  }

  /** The records of a body to score later, as JSON. Taken before the body moves to a worker; undefined if none are. */
  take(body: Uint8Array): string | undefined {
    if (this.random() >= this.shadow.share) return undefined
    if (this.waiting.length >= MOST_WAITING) {
      this.count(PLACES.droppedBodies)
      return undefined
    }
    const { buffer, byteOffset, length } = body
    if (length <= WHOLE_BYTES) return Buffer.from(buffer, byteOffset, length).toString()
    const drawn = Array.from({ length: DRAWS }, () =>
      recordAround(body, Math.floor(this.random() * length), SHORT_BYTES / (1 - this.random())),
    )
    return `[${[...new Set(drawn.filter((each) => each !== undefined))].join(',')}]`
  }

  /** Called when the answer has left. */
  add(text: string, today: number): void {
    this.waiting.push({ text, today, next: 0 })
    this.schedule()
  }

  private schedule(): void {
    if (this.isScheduled || this.waiting.length === 0) return
    this.isScheduled = true
    const waitMs = this.leftMs > 0 ? 0 : (-this.leftMs * SECOND_MS) / this.shadow.budgetMs + 1
    setTimeout(() => this.work(), waitMs).unref()
  }

  private work(): void {
    const { budgetMs } = this.shadow
    const start = performance.now()
    this.leftMs = Math.min(budgetMs, this.leftMs + ((start - this.countedAt) * budgetMs) / SECOND_MS)
    this.countedAt = start
    let now = start
    while (this.waiting.length > 0 && now - start < Math.min(SLICE_MS, this.leftMs)) {
      this.scoreNext(this.waiting[0] as Waiting)
      now = performance.now()
    }
    this.leftMs -= now - start
    this.isScheduled = false
    this.schedule()
  }

  private scoreNext(waiting: Waiting): void {
    waiting.records ??= parsed(waiting.text)
    if (waiting.next >= waiting.records.length) return void this.waiting.shift()
    const record = waiting.records[waiting.next++]
    // Each scorer overwrites its outcome with the next one.
    const [answer, other] = [this.deployment.scorer, this.shadow.scorer].map((scorer) => {
      const { blocked, risk } = scorer.assess(record, waiting.today)
      return blocked ? undefined : risk
    })
    this.compare(answer, other)
  }

  private compare(answer: number | undefined, shadow: number | undefined): void {
    this.count(PLACES.records)
    if (answer === undefined) return this.count(shadow === undefined ? PLACES.neither : PLACES.onlyShadow)
    if (shadow === undefined) return this.count(PLACES.onlyAnswer)
    this.count(PLACES.both)
    // Risks have four decimals, and so has their difference.
    const difference = Math.round((shadow - answer) * 10_000) / 10_000
    this.count(PLACES.sum, difference)
    const bin = CUTS.findIndex((cut) => difference < cut)
    this.count(HEAD + (bin < 0 ? CUTS.length : bin))
    this.thresholds.forEach((threshold, index) => {
      const move = (shadow >= threshold ? 1 : 0) + (answer >= threshold ? 2 : 0)
      this.count(HEAD + CUTS.length + 1 + MOVES.length * index + move)
    })
  }

  private count(place: number, by = 1): void {
    this.counts[place] = (this.counts[place] as number) + by
  }

  /** What the counts of this process, or those given, show. */
  report(counts: ArrayLike<number> = this.counts): object {
    const at = (place: number): number => counts[place] ?? 0
    const { records, both, onlyAnswer, onlyShadow, neither, droppedBodies, sum } = PLACES
    const bounds = [null, ...CUTS, null]
    return {
      model: nameOf(this.deployment),
      shadow: nameOf(this.shadow),
      share: this.shadow.share,
      records: at(records),
      both: at(both),
      onlyAnswer: at(onlyAnswer),
      onlyShadow: at(onlyShadow),
      neither: at(neither),
      droppedBodies: at(droppedBodies),
      meanDifference: at(both) === 0 ? null : at(sum) / at(both),
      differences: bounds.slice(1).map((to, bin) => ({ from: bounds[bin], to, records: at(HEAD + bin) })),
      thresholds: this.thresholds.map((threshold, index) => {
        const first = HEAD + CUTS.length + 1 + MOVES.length * index
        return { threshold, ...Object.fromEntries(MOVES.map((move, place) => [move, at(first + place)])) }
      }),
    }
  }
}

function nameOf({ model: { definition } }: Pick<Deployment, 'model'>): string {
  return `${definition.id}@${definition.version}`
}

/** What was drawn from inside a string is not JSON. */
function parsed(text: string): readonly unknown[] {
  try {
    return JSON.parse(text) as readonly unknown[]
  } catch {
    return []
  }
}

/** By the name of the deployment. */
export function makeShadows(deployments: readonly Deployment[]): ReadonlyMap<string, Shadow> {
  const made = deployments.flatMap((each) =>
    each.shadow === undefined ? [] : [[each.name, new Shadow(each, each.shadow)] as const],
  )
  return new Map(made)
}
