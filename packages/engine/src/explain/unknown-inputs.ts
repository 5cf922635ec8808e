/** The inputs of a model that a record leaves open, and what each of them may be. */
import { type Domain, listDomain, narrow, permits } from '../definition/domain.ts'
import type { ModelDefinition, ProfileDefinition } from '../definition/model.ts'
import type { RecordResult } from '../answer/assess.ts'
import { ALWAYS_BLOCKING } from '../judge/judge.ts'
import { declaredForm } from '../judge/reconcile-totals.ts'
import type { FieldPlan, Plan } from '../plan/plan.ts'
import { STATE, type Slots, type State } from '../plan/slots.ts'
import type { WorkMeter } from '../work-meter.ts'

export type Domains = ReadonlyMap<number, Domain>

const NONE: Domains = new Map()
/** A code is usual if this share of the model's data has it. */
const USUAL_SHARE = 0.01

export interface UnknownInputs {
  /** The slots of all inputs, in the order of the model. */
  readonly inputs: readonly number[]
  /** Inputs that are missing, invalid or assumed, with what they may be. Empty where another problem refuses the record. */
  find(slots: Slots, result: RecordResult, meter: WorkMeter): Domains
  /** What these inputs usually are, by the model's data; null where they do not say it of each. */
  usual(domains: Domains): Domains | null
  /** Whether the domain is the same for every record: it does not follow from what this one gives. */
  isOfModel(domain: Domain): boolean
}

export function compileUnknownInputs(
  plan: Plan,
  { inputs: named, profile }: Pick<ModelDefinition, 'inputs' | 'profile'>,
): UnknownInputs {
  const inputs = Object.keys(named).map((name) => plan.slotByName.get(name) as number)
  const usualDomains = new WeakMap<Domain, Domain>()
  const ofModel = new WeakSet<Domain>(inputs.map((slot) => (plan.fields[slot] as FieldPlan).domain))
  return {
    inputs,
    find(slots, result, meter) {
      const unknown = inputs.filter((slot) => !slots.isUsable(slot))
      if (unknown.length === 0 || isRefusedOtherwise(plan, slots, result)) return NONE
      return new Map(unknown.map((slot) => [slot, domainIn(plan, slot, slots, meter)]))
    },
    usual(domains) {
      const usual = new Map<number, Domain>()
      for (const [slot, domain] of domains) {
        const seen = profile?.inputs[(plan.fields[slot] as FieldPlan).name]
        const found = usualDomains.get(domain) ?? (seen && usualOf(seen, domain))
        if (found === undefined) return null
        usualDomains.set(domain, found)
        if (ofModel.has(domain)) ofModel.add(found)
        usual.set(slot, found)
      }
      return usual
    },
    isOfModel: (domain) => ofModel.has(domain),
  }
}

/** Whether something else than missing inputs keeps the record from being scored. */
function isRefusedOtherwise(plan: Plan, slots: Slots, { problems, blocked }: RecordResult): boolean {
  if (!blocked) return false
  if (slots.disagreements.size > 0) return true
  return problems.some(({ field, blocking }) => {
    if (!blocking) return false
    const slot = plan.slotByName.get(field)
    return (
      slot === undefined ||
      ALWAYS_BLOCKING.has(slots.stateOf(slot)) ||
      isOutsidePopulation(plan.fields[slot] as FieldPlan, slots.stateOf(slot), slots.valueOf(slot))
    )
  })
}

/** Whether the field may hold the value, but the model is not for such patients. */
function isOutsidePopulation({ ownDomain }: FieldPlan, state: State, value: number): boolean {
  if (state === STATE.outOfRange) return permits(ownDomain, value)
  return state === STATE.notPermitted && ownDomain.kind === 'code' && value >= 0
}

/** What the input may be: a total no more than its given items leave open. */
function domainIn(plan: Plan, slot: number, slots: Slots, meter: WorkMeter): Domain {
  const { domain, scale: index } = plan.fields[slot] as FieldPlan
  const scale = plan.scales[index]
  if (slot !== scale?.totalSlot) return domain
  const form = declaredForm(scale, slots) ?? scale.defaultForm
  // Without the coding the items cannot be read.
  if (form === undefined) return domain
  const usable = form.items.filter((item) => slots.isUsable(item))
  if (usable.length === 0) return domain
  const given = new Map(usable.map((item) => [item, slots.valueOf(item)]))
  const totals = form.totalsWith(given, (additions) => meter.take(additions))
  return listDomain(totals.filter((total) => permits(domain, total)))
}

/** What an input usually is, by the model's data; undefined where they do not say. */
function usualOf(seen: ProfileDefinition['inputs'][string], domain: Domain): Domain | undefined {
  if (!('codes' in seen))
    return seen.p01 === undefined || seen.p99 === undefined
      ? undefined
      : narrow(domain, { from: seen.p01, to: seen.p99 })
  const usual = Object.keys(seen.codes).filter((code) => (seen.codes[code] as number) >= USUAL_SHARE)
  if (domain.kind === 'yesNo') return listDomain(usual.map((word) => Number(word === 'true')))
  return narrow(domain, { values: usual })
}
