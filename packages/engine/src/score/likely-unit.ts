/**
 * Which unit the values of a file or a list are probably written in. A single value cannot tell: 8.1 is a normal haemoglobin in
 * mmol/L and a severe anaemia in g/dL. The median of many records can. `feed-units.ts` watches what is sent day by day.
 */
import type { Range } from '../definition/domain.ts'
import type { UnitsDefinition } from '../definition/field.ts'
import type { ModelDefinition, ProfileDefinition } from '../definition/model.ts'
import { and, choose, compare, divide, multiply, not, number, within } from '../expression/build.ts'
import type { ConditionNode, NumberNode } from '../expression/node.ts'
import type { FieldPlan, Plan } from '../plan/plan.ts'

/** With fewer values a median may be far off by chance. */
export const FEWEST_VALUES = 50
/** A median within this factor of the usual range is not suspicious. */
const MARGIN = Math.log(1.15)

export interface UnitHint {
  readonly field: string
  readonly values: number
  /** The median in the unit in which the field is received. */
  readonly median: number
  readonly received: string
  readonly likely: string
}

/**
 * The unit that fits a median better than the one in which the field is received; undefined if that one fits.
 * `median` is in the field's own unit, converted from `received`; `usual` is where it lies in the model's own data.
 */
export function likelyUnit(
  units: UnitsDefinition,
  received: string,
  median: number,
  usual: Range = units.usual,
): string | undefined {
  if (distance(median, usual) <= MARGIN) return undefined
  const written = median / factorOf(units, received)
  const fitting = [units.unit, ...Object.keys(units.others)].filter(
    (unit) => unit !== received && distance(written * factorOf(units, unit), usual) === 0,
  )
  return fitting[0]
}

/** Overflows end a query in some databases. No usual value is near it. */
const FAR = 1e290

/** In which cases a single value lies where values usually do in another unit, and not in the one in which it is received. */
export function unitCases(
  units: UnitsDefinition,
  received: string,
  given: NumberNode,
): readonly { readonly unit: string; readonly when: ConditionNode }[] {
  const isNear = and(compare(given, '<', number(FAR)), compare(given, '>', number(-FAR)))
  const written = divide(choose([{ when: isNear, then: given }]), number(factorOf(units, received)))
  const isUsual = (unit: string): ConditionNode =>
    within(multiply(written, number(factorOf(units, unit))), units.usual)
  const isUnusual = not(isUsual(received))
  return [units.unit, ...Object.keys(units.others)].map((unit) => {
    return { unit, when: and(isUnusual, isUsual(unit)) }
  })
}

/** What a number in a unit is multiplied with to give one in the field's own. */
export function factorOf(units: UnitsDefinition, unit: string): number {
  const { times = 1, per = 1 } = units.others[unit] ?? {}
  return times / per
}

/** How far a median lies outside of a range, as the logarithm of a ratio. */
function distance(median: number, { from, to }: Range): number {
  if (!(median > 0)) return Infinity
  return Math.max(0, Math.log(from / median), Math.log(median / to))
}

/** Where the middle of the development data lies: the bin that holds the median. */
export function usualIn(profile: ProfileDefinition | undefined, field: string): Range | undefined {
  const input = profile?.inputs[field]
  if (input === undefined || 'codes' in input) return undefined
  let share = 0
  const bin = input.shares.findIndex((each) => (share += each) >= 0.5)
  const from = input.cuts[bin - 1]
  const to = input.cuts[bin]
  return from === undefined || to === undefined || from <= 0 ? undefined : { from, to }
}

/** A field that can come in several units. */
interface UnitField {
  readonly field: string
  readonly slot: number
  readonly units: UnitsDefinition
  readonly received: string
  readonly usual: Range
}

/** What says which inputs of a model have several units, and where their values usually lie. */
export interface UnitSource {
  readonly plan: Plan
  readonly units: ReadonlyMap<string, UnitsDefinition>
  readonly model: Pick<ModelDefinition, 'inputs' | 'profile'>
}

export function unitFields({ plan, units, model }: UnitSource): readonly UnitField[] {
  return [...units].flatMap(([field, each]): UnitField[] => {
    const slot = plan.slotByName.get(field)
    if (slot === undefined || !Object.hasOwn(model.inputs, field)) return []
    const received = (plan.fields[slot] as FieldPlan).conversion?.unit ?? each.unit
    return [{ field, slot, units: each, received, usual: usualIn(model.profile, field) ?? each.usual }]
  })
}

/** `written` is the median of the values, in the unit in which the field is received. */
export function hintOf(
  { field, units, received, usual }: UnitField,
  values: number,
  written: number,
): UnitHint[] {
  if (values < FEWEST_VALUES) return []
  const likely = likelyUnit(units, received, written * factorOf(units, received), usual)
  if (likely === undefined) return []
  return [{ field, values, median: Number(written.toPrecision(3)), received, likely }]
}

/** A hint as a sentence for people. */
export function hintText({ field, values, median, received, likely }: UnitHint): string {
  // The unit of a total is its highest value: "of 20".
  const isTotal = likely.startsWith('of ')
  const fits = isTotal
    ? `a total out ${likely} better than one out ${received}`
    : `${likely} better than ${received}`
  const ifSo = isTotal ? `out ${likely}` : `in ${likely}`
  return `${field}: the median of ${values} values is ${median}, which fits ${fits}. If they are ${ifSo}, declare it in the deployment's units. It may also be another quantity.`
}
