/** Checks how parts follow from readings: each reading lies in exactly one band, and can be compared exactly. */
import { bandsCover, checkValues, edgeValues } from '../cover.ts'
import type { FaultList } from '../fault.ts'
import { BMI_SCALE, DIVISOR_UNITS, inThousandths } from '../exact-fractions.ts'
import { UNITS } from '../domain.ts'
import type { DerivedDefinition, RatioDefinition, ScaleDefinition } from '../scale.ts'
import { recordField } from '../scale-domains.ts'

/** The ages of a record. A scale need not be for the youngest. */
const AGE = { from: 0, to: 120, step: 1 }

type Given = number | string

/** The permitted values of an item or of context. */
export function valuesOf({ items, context = {} }: ScaleDefinition, name: string): readonly Given[] {
  const parts: Readonly<Record<string, { readonly values: unknown }>> = { ...items, ...context }
  const values = Object.hasOwn(parts, name) ? parts[name]?.values : undefined
  return Array.isArray(values) ? (values as readonly number[]) : Object.keys(values ?? {})
}

export function checkPermitted(
  scale: ScaleDefinition,
  pairs: readonly (readonly [string, Given])[],
  faults: FaultList,
): void {
  for (const [name, value] of pairs)
    if (!valuesOf(scale, name).includes(value)) faults.add('', 'values', `${name} cannot be ${value}`)
}

/** For every combination of the conditions, each reading lies in exactly one band. */
export function checkBanded(
  scale: ScaleDefinition,
  name: string,
  { of, bands }: Extract<DerivedDefinition, { kind: 'banded' }>,
  faults: FaultList,
): void {
  const conditions = bands.map(({ when = {} }) => Object.entries(when))
  checkPermitted(scale, [...bands.map(({ points }) => [name, points] as const), ...conditions.flat()], faults)
  const measure = recordField(of) === 'age' ? { ...AGE, from: bands[0]?.from ?? 0 } : scale.measures?.[of]
  if (measure === undefined) {
    faults.add('/of', 'unknown-part', `there is no measure ${of}`)
    return
  }
  let combinations: ReadonlyMap<string, Given>[] = [new Map()]
  for (const part of new Set(conditions.flat().map(([each]) => each)))
    combinations = combinations.flatMap((each) =>
      valuesOf(scale, part).map((value) => new Map([...each, [part, value]])),
    )
  for (const combination of combinations) {
    const holding = bands.filter((_, at) =>
      conditions[at]?.every(([part, value]) => combination.get(part) === value),
    )
    const isRatio = Object.hasOwn(scale.computed ?? {}, of)
    // A quotient may lie between two steps.
    if (isRatio) bandsCover(holding, { kind: 'decimal', ...measure }, faults.at('/bands'))
    else checkValues(holding, edgeValues(holding, measure, measure.step), faults.at('/bands'))
  }
}

/** The two parts of a ratio are measures above 0, and every product is exact. */
export function checkRatio(
  { measures = {} }: ScaleDefinition,
  name: string,
  { kind, of }: RatioDefinition,
  faults: FaultList,
): void {
  const [target, first, second] = [name, ...of].map((part) => measures[part])
  if (target === undefined || first === undefined || second === undefined)
    faults.add('', 'unknown-part', 'the reading and its two parts are measures')
  else if (Math.min(first.from, second.from) <= 0) faults.add('/of', 'range', 'both parts are above 0')
  else if (kind === 'bodyMassIndex') {
    const edge = inThousandths(target.to) * inThousandths(second.to) ** 2
    if (!areSafe(edge, inThousandths(first.to) * BMI_SCALE)) faults.add('/of', 'range', TOO_WIDE)
  }
}

const TOO_WIDE = 'these ranges are too wide for an exact quotient'

/** A speed from a time: the time is a measure above 0. */
export function checkInverse(
  { measures = {} }: ScaleDefinition,
  name: string,
  { of, numerator }: Extract<DerivedDefinition, { kind: 'inverse' }>,
  faults: FaultList,
): void {
  const target = measures[name]
  const part = measures[of]
  if (target === undefined || part === undefined)
    faults.add('', 'unknown-part', 'the figure and its part are measures')
  else if (part.from <= 0) faults.add('/of', 'range', `${of} is above 0`)
  else if (!isExact(numerator)) faults.add('/numerator', 'values-exact', 'has at most three decimals')
  else if (!areSafe(inThousandths(numerator) * UNITS, inThousandths(target.to) * inThousandths(part.to)))
    faults.add('/of', 'range', TOO_WIDE)
}

/** The ideal weight is above 0 for every permitted height, and every product is exact. */
export function checkGnri(
  { measures = {} }: ScaleDefinition,
  name: string,
  definition: Extract<DerivedDefinition, { kind: 'gnri' }>,
  faults: FaultList,
): void {
  const [target, albumin, weight, height] = [name, ...definition.of].map((part) => measures[part])
  if (target === undefined || albumin === undefined || weight === undefined || height === undefined) {
    faults.add('', 'unknown-part', 'the index and its three parts are measures')
    return
  }
  for (const factor of ['albumin', 'weight'] as const)
    if (!isExact(definition[factor])) faults.add(`/${factor}`, 'values-exact', 'has at most three decimals')
  for (const [code, divisor] of Object.entries(definition.divisors)) {
    const here = faults.at(`/divisors/${code}`)
    const tenths = Math.round(divisor * DIVISOR_UNITS)
    const idealAt = (each: number): number =>
      (inThousandths(each) - 100 * UNITS) * tenths - (inThousandths(each) - 150 * UNITS) * DIVISOR_UNITS
    const lowest = Math.min(idealAt(height.from), idealAt(height.to))
    const highest = Math.max(idealAt(height.from), idealAt(height.to))
    if (tenths / DIVISOR_UNITS !== divisor) here.add('', 'values-exact', 'has at most one decimal')
    else if (lowest <= 0) here.add('', 'range', 'the ideal weight of a permitted height is not above 0')
    else if (
      !areSafe(
        (inThousandths(definition.albumin) * inThousandths(albumin.to) +
          inThousandths(definition.weight) * UNITS) *
          highest,
        inThousandths(weight.to) * tenths,
        inThousandths(target.to) * UNITS * highest,
      )
    )
      here.add('', 'range', TOO_WIDE)
  }
}

function isExact(value: number): boolean {
  return inThousandths(value) / UNITS === value
}

/** Whole numbers are exact below 2^53 only. */
function areSafe(...products: readonly number[]): boolean {
  return products.every(Number.isSafeInteger)
}
