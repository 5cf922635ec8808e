/** One record from a parsed value to its result: read, reconcile, judge, score. */
import { judgeFields } from '../judge/judge.ts'
import { type CompiledModel, assumeAbsent } from '../score/model.ts'
import { type Plan, capitalise } from '../plan/plan.ts'
import { type Problem, REASONS, valueError, valueMissing } from '../judge/problem.ts'
import { type JsonObject, type RecordExtras, readRecord } from '../read/read-record.ts'
import { NO_KEYS, type RepeatedKeys } from '../read/repeated-keys.ts'
import { roundRisk } from '../score/link.ts'
import { reconcileTotals } from '../judge/reconcile-totals.ts'
import { STATE, Slots } from '../plan/slots.ts'

export interface AssessOptions {
  /** Today as YYYYMMDD. Dates beyond it lie in the future. */
  readonly today: number
  readonly reportUnknown: boolean
  readonly maxKeys: number
}

/** The result for one record. It is overwritten by the next one. */
export interface RecordResult {
  idx: number | null
  problems: readonly Problem[]
  /** Whether a problem keeps the record from being scored. */
  blocked: boolean
  score: number
  /** The rounded risk; NaN when blocked. */
  risk: number
  /** The numbers of a record that writes its idx twice: no other record may be answered under one of them. */
  ambiguousIdxs: readonly number[]
}

const NO_PROBLEMS: readonly Problem[] = []
const NO_NAMES: readonly string[] = []

export class Assessor {
  readonly slots: Slots
  readonly result: RecordResult = {
    ...{ idx: null, problems: NO_PROBLEMS, blocked: false, score: 0, risk: 0, ambiguousIdxs: NO_KEYS.idxs },
  }
  /** What the record that was assessed last says in addition to its slots. */
  readonly extras: RecordExtras = { idx: undefined, keys: 0, unknown: [] }
  private readonly plan: Plan
  private readonly model: CompiledModel

  /** The slots may belong to another reader. */
  constructor(
    plan: Plan,
    model: CompiledModel,
    slots: Slots = new Slots(plan.fields.length, plan.scales.length),
  ) {
    this.plan = plan
    this.model = model
    this.slots = slots
  }

  /** The most steps that the record which was assessed last has taken: those of the model, and of the scales that it carries. */
  get steps(): number {
    let steps = this.model.steps
    for (let at = 0; at < this.slots.scaleCount; at++)
      steps += this.plan.scales[this.slots.scales[at] as number]?.steps ?? 0
    return steps
  }

  /** What it repeats, and whether another record has its idx, is known only once the whole request was read. */
  assess(
    record: unknown,
    position: number,
    options: AssessOptions,
    repeated: RepeatedKeys = NO_KEYS,
    isDuplicate = false,
  ): RecordResult {
    const { slots, result, extras } = this
    slots.clear()
    result.idx = null
    result.problems = NO_PROBLEMS
    result.ambiguousIdxs = repeated.idxs
    if (typeof record !== 'object' || record === null || Array.isArray(record)) {
      extras.keys = 0
      return this.refuse([recordProblem('record', position, REASONS.notAnObject)])
    }
    readRecord(this.plan, record as JsonObject, slots, extras, options)
    const idx = usableIdx(extras.idx)
    const idxTwice = repeated.names.has('idx')
    result.idx = idxTwice ? null : idx
    const number = result.idx ?? position
    const ofIdx = judgeIdx(extras.idx, idx, number, idxTwice, isDuplicate)
    if (extras.keys > options.maxKeys)
      return this.refuse([recordProblem('record', number, REASONS.tooManyFields), ...ofIdx])
    return this.reconcileAndScore(number, ofIdx, extras.unknown, this.markRepeated(repeated.names))
  }

  /**
   * The same for a record that another reader has put into the slots: it has an idx, and no key twice.
   * `unknown` are its names that no field has and that must be reported.
   */
  assessSlots(idx = 0, unknown: readonly string[] = NO_NAMES): RecordResult {
    this.result.idx = idx
    this.result.problems = NO_PROBLEMS
    this.result.ambiguousIdxs = NO_KEYS.idxs
    return this.reconcileAndScore(idx, NO_PROBLEMS, unknown, NO_KEYS.names)
  }

  /** Turns the slots into problems, after those of the idx, and scores the record if none of them blocks it. */
  private reconcileAndScore(
    number: number,
    ofIdx: readonly Problem[],
    unknown: readonly string[],
    unknownTwice: ReadonlySet<string>,
  ): RecordResult {
    const { plan, model, slots } = this
    reconcileTotals(plan, slots)
    const isClean = ofIdx.length + unknown.length + unknownTwice.size === 0 && !slots.faulty
    if (isClean && this.hasRequired()) return this.score(number)
    const found = judgeFields({ plan, model, slots, idx: number, unknown, unknownTwice })
    const problems = ofIdx.length === 0 ? found : [...ofIdx, ...found]
    this.result.problems = problems
    if (problems.some((problem) => problem.blocking)) return this.refuse(problems)
    // Without its inputs a model has no number, even if the judge found no blocking problem.
    return this.hasRequired() ? this.score(number) : this.refuseNumber(number)
  }

  private score(number: number): RecordResult {
    const { result, slots } = this
    assumeAbsent(this.model, slots)
    result.score = this.model.score(slots.values, slots.states)
    result.risk = roundRisk(this.model.probability(result.score))
    result.blocked = false
    return Number.isNaN(result.risk) ? this.refuseNumber(number) : result
  }

  private refuseNumber(number: number): RecordResult {
    return this.refuse([...this.result.problems, recordProblem('risk', number, REASONS.notComputable)])
  }

  private refuse(problems: readonly Problem[]): RecordResult {
    this.result.problems = problems
    this.result.blocked = true
    this.result.score = Number.NaN
    this.result.risk = Number.NaN
    return this.result
  }

  private hasRequired(): boolean {
    for (const slot of this.model.required) if (!this.slots.isUsable(slot)) return false
    return true
  }

  /** A key that is written twice has no value that can be trusted. Returns the names that no field has. */
  private markRepeated(names: ReadonlySet<string>): ReadonlySet<string> {
    if (names.size === 0) return names
    const unknown = new Set<string>()
    for (const name of names) {
      const slot = this.plan.slotByName.get(name)
      if (slot !== undefined) this.slots.set(slot, STATE.givenTwice, 0)
      else if (name !== 'idx') unknown.add(name)
    }
    return unknown
  }
}

export function usableIdx(idx: unknown): number | null {
  // Adding 0 turns −0, which prints as 0 anyway, into the number that it prints as.
  return typeof idx === 'number' && Number.isSafeInteger(idx) ? idx + 0 : null
}

export function judgeIdx(
  given: unknown,
  idx: number | null,
  number: number,
  isTwice: boolean,
  isDuplicate: boolean,
): readonly Problem[] {
  if (isTwice) return [recordProblem('idx', number, REASONS.givenTwice)]
  if (idx !== null) return isDuplicate ? [recordProblem('idx', number, REASONS.duplicate)] : NO_PROBLEMS
  if (given === undefined || given === null) return [valueMissing('idx', true)]
  return [recordProblem('idx', number, REASONS.notAnInteger)]
}

/** A problem of the record as a whole, which has no date. */
export function recordProblem(field: 'record' | 'idx' | 'risk', number: number, reason: string): Problem {
  return valueError({ field, item: capitalise(field), date: '', idx: number }, reason, true)
}
