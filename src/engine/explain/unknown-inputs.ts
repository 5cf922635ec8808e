/** The inputs of a model that a record leaves open, and what each of them may be. */
import { type Domain, listDomain, narrow, permits } from '../../definition/domain.ts'
import type { ModelDefinition } from '../../definition/model.ts'
import { scaleForms, totalsOf } from '../../definition/scale-domains.ts'
import type { Outcome } from '../assess.ts'
import { ALWAYS_BLOCKING } from '../judge/judge.ts'
import type { ScalePlan } from '../plan-scale.ts'
import type { Definitions, FieldPlan, Plan } from '../plan.ts'
import { STATE, type Slots } from '../read/slots.ts'

export type Domains = ReadonlyMap<number, Domain>

const NONE: Domains = new Map()
/** A code is usual if this share of the model's data has it. */
const USUAL_SHARE = 0.01

export class UnknownInputs {
  /** The slots of all inputs, in the order of the model. */
  readonly inputs: readonly number[]
  private readonly definitions: Definitions
  private readonly plan: Plan
  private readonly profile: ModelDefinition['profile']
  private readonly usualDomains = new WeakMap<Domain, Domain>()

  constructor(definitions: Definitions, plan: Plan, model: Pick<ModelDefinition, 'inputs' | 'profile'>) {
    this.definitions = definitions
    this.plan = plan
    this.profile = model.profile
    this.inputs = Object.keys(model.inputs).map((name) => plan.slotByName.get(name) as number)
  }

  /** Inputs that are missing, invalid or assumed, with what they may be. Empty where another problem refuses the record. */
  find(slots: Slots, outcome: Outcome): Domains {
    const unknown = this.inputs.filter((slot) => !slots.isUsable(slot))
    if (unknown.length === 0 || this.isRefusedOtherwise(slots, outcome)) return NONE
    return new Map(unknown.map((slot) => [slot, this.domainIn(slot, slots)]))
  }

  /** What these inputs usually are, by the model's data; null where they do not say it of each. */
  usual(domains: Domains): Domains | null {
    const usual = new Map<number, Domain>()
    for (const [slot, domain] of domains) {
      const found = this.usualOf(slot, domain)
      if (found === undefined) return null
      usual.set(slot, found)
    }
    return usual
  }

  /** Whether something else than missing inputs keeps the record from being scored. */
  private isRefusedOtherwise(slots: Slots, { problems, blocked }: Outcome): boolean {
    if (!blocked) return false
    if (slots.disagreements.size > 0) return true
    return problems.some(({ field, blocking }) => {
      if (!blocking) return false
      const slot = this.plan.slotByName.get(field)
      return (
        slot === undefined ||
        ALWAYS_BLOCKING.has(slots.stateOf(slot)) ||
        this.isOutsidePopulation(slot, slots)
      )
    })
  }

  /** Whether the field may hold the value, but the model is not for such patients. */
  private isOutsidePopulation(slot: number, slots: Slots): boolean {
    const { ownDomain } = this.plan.fields[slot] as FieldPlan
    const state = slots.stateOf(slot)
    const value = slots.valueOf(slot)
    if (state === STATE.outOfRange) return permits(ownDomain, value)
    return state === STATE.notPermitted && ownDomain.kind === 'code' && value >= 0
  }

  /** What the input may be: a total no more than its given items leave open. */
  private domainIn(slot: number, slots: Slots): Domain {
    const { name, domain, scale: index } = this.plan.fields[slot] as FieldPlan
    const scale = this.definitions.scales[index]
    const planned = this.plan.scales[index]
    if (scale === undefined || planned === undefined || name !== `${scale.id}_total`) return domain
    const form = scaleForms(scale)[formIndex(planned, slots)]
    // Without the coding the items cannot be read.
    if (form === undefined) return domain
    const given = new Map<string, number>()
    for (const item of form.items.keys()) {
      const part = this.plan.slotByName.get(`${scale.id}_${item}`) as number
      if (slots.isUsable(part)) given.set(item, slots.valueOf(part) + form.shift)
    }
    if (given.size === 0) return domain
    const totals = totalsOf(form, given).map((total) => total - form.shift * form.items.size)
    return listDomain(totals.filter((total) => permits(domain, total)))
  }

  /** What the input usually is, by the model's data; undefined where they do not say. */
  private usualOf(slot: number, domain: Domain): Domain | undefined {
    const usual = this.usualDomains.get(domain) ?? this.findUsual(slot, domain)
    if (usual !== undefined) this.usualDomains.set(domain, usual)
    return usual
  }

  private findUsual(slot: number, domain: Domain): Domain | undefined {
    const seen = this.profile?.inputs[(this.plan.fields[slot] as FieldPlan).name]
    if (seen === undefined) return undefined
    if (!('codes' in seen))
      return seen.p01 === undefined || seen.p99 === undefined
        ? undefined
        : narrow(domain, { from: seen.p01, to: seen.p99 })
    const usual = Object.keys(seen.codes).filter((code) => (seen.codes[code] as number) >= USUAL_SHARE)
    if (domain.kind === 'yesNo') return listDomain(usual.map((word) => Number(word === 'true')))
    return narrow(domain, { values: usual })
  }
}

/** The place of the form that the record is written in; −1 where it is not declared. */
function formIndex({ codingSlot, forms, defaultForm }: ScalePlan, slots: Slots): number {
  if (codingSlot < 0) return 0
  if (slots.stateOf(codingSlot) === STATE.valid) return slots.valueOf(codingSlot)
  return defaultForm === undefined ? -1 : forms.indexOf(defaultForm)
}
