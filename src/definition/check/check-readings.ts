/** Checks how items follow from readings, age and sex: each reading lies in exactly one band, and can be compared exactly. */
import { bandsCover, checkValues, edgeValues } from '../cover.ts'
import type { FaultList } from '../fault.ts'
import { BMI_SCALE, holdsFraction, inThousandths } from '../readings.ts'
import type { DerivedDefinition, ReadingBandDefinition, ScaleDefinition } from '../scale.ts'

type Of<Kind extends DerivedDefinition['kind']> = Extract<DerivedDefinition, { kind: Kind }>
/** The highest age of a record. */
const OLDEST = 120
const CDR_LEVELS: readonly number[] = [0, 0.5, 1, 2, 3]

export function checkReading(
  scale: ScaleDefinition,
  name: string,
  definition: DerivedDefinition,
  faults: FaultList,
): void {
  switch (definition.kind) {
    case 'banded':
      checkPoints(
        scale,
        name,
        definition.bands.map(({ points }) => points),
        faults,
      )
      return checkBanded(scale, definition, faults)
    case 'byAge':
      checkPoints(
        scale,
        name,
        definition.bands.map(({ points }) => points),
        faults,
      )
      return checkAges(definition, faults)
    case 'bySex':
      return checkPoints(scale, name, Object.values(definition.values), faults)
    case 'bodyMassIndex':
    case 'percentLost':
      return checkRatio(scale, name, definition, faults)
    case 'cdrGlobal':
      for (const box of [name, ...definition.of])
        if (!valuesOf(scale, box).every((value) => CDR_LEVELS.includes(Number(value))))
          faults.add('', 'values', `${box} has other values than ${CDR_LEVELS.join(', ')}`)
      return
  }
}

/** The permitted values of an item or of context. */
function valuesOf({ items, context = {} }: ScaleDefinition, name: string): readonly (number | string)[] {
  const values = (
    Object.hasOwn(items, name) ? items[name] : Object.hasOwn(context, name) ? context[name] : undefined
  )?.values
  return Array.isArray(values) ? values : Object.keys(values ?? {})
}

function checkPoints(
  scale: ScaleDefinition,
  name: string,
  points: readonly (number | string)[],
  faults: FaultList,
): void {
  for (const each of points)
    if (!valuesOf(scale, name).includes(each)) faults.add('', 'values', `${name} cannot be ${each}`)
}

/** For every combination of the conditions, each reading lies in exactly one band. */
function checkBanded(scale: ScaleDefinition, { of, bands }: Of<'banded'>, faults: FaultList): void {
  const measure = scale.measures?.[of]
  if (measure === undefined) {
    faults.add('/of', 'unknown-part', `there is no measure ${of}`)
    return
  }
  const asked = new Map(
    bands.flatMap(({ when = {} }) => Object.keys(when)).map((part) => [part, valuesOf(scale, part)]),
  )
  for (const { when = {} } of bands)
    for (const [part, value] of Object.entries(when))
      if (!valuesOf(scale, part).includes(value)) faults.add('', 'values', `${part} cannot be ${value}`)
  const isRatio = ['bodyMassIndex', 'percentLost'].includes(scale.computed?.[of]?.kind ?? '')
  let combinations: ReadonlyMap<string, number | string>[] = [new Map()]
  for (const [part, values] of asked)
    combinations = combinations.flatMap((each) => values.map((value) => new Map([...each, [part, value]])))
  for (const combination of combinations) {
    const holding = bands.filter(({ when = {} }) =>
      Object.entries(when).every(([part, value]) => combination.get(part) === value),
    )
    // A quotient may lie between two steps.
    if (isRatio) bandsCover(holding, { kind: 'decimal', ...measure }, faults.at('/bands'))
    else checkValues(holding, edgeValues(holding, measure, measure.step), faults.at('/bands'))
  }
}

/** Every age lies in one band, or in none where the scale is not for it. */
function checkAges({ bands }: Of<'byAge'>, faults: FaultList): void {
  for (let age = 0; age <= OLDEST; age++) {
    const holders = bands.filter((band: ReadingBandDefinition) =>
      holdsFraction(band, { dividend: inThousandths(age), divisor: 1 }),
    )
    if (holders.length > 1) faults.add('/bands', 'band-overlap', `${holders.length} bands hold ${age}`)
  }
}

/** Whole numbers are exact below 2^53 only. */
function checkRatio(
  { measures = {} }: ScaleDefinition,
  name: string,
  { kind, of }: Of<'bodyMassIndex' | 'percentLost'>,
  faults: FaultList,
): void {
  const [target, first, second] = [name, ...of].map((part) =>
    Object.hasOwn(measures, part) ? measures[part] : undefined,
  )
  if (target === undefined || first === undefined || second === undefined)
    faults.add('', 'unknown-part', 'the reading and its two parts are measures')
  else if (Math.min(first.from, second.from) <= 0) faults.add('/of', 'range', 'both parts are above 0')
  else if (kind === 'bodyMassIndex') {
    const largest = Math.max(
      inThousandths(first.to) * BMI_SCALE,
      inThousandths(target.to) * inThousandths(second.to) ** 2,
    )
    if (!Number.isSafeInteger(largest))
      faults.add('/of', 'range', 'these ranges are too wide for an exact quotient')
  }
}
