/** A compiled term: the slots that it reads, and the points that it adds for their values. */
import { bandHolds } from '../../definition/cover.ts'
import { compileCurve } from '../../definition/curve.ts'
import type { PointsBandDefinition, ProductDefinition, TermDefinition } from '../../definition/term.ts'
import type { FieldNames } from '../judge/computation.ts'
import { STATE } from '../read/slots.ts'

export interface Term {
  readonly kind: string
  readonly label: string
  readonly slots: readonly number[]
  /** The points for usable values. Only called when every slot of the term is usable or assumed. */
  readonly points: Points
}

type Points = (values: Float64Array, states: Uint8Array) => number

export function compileTerm(definition: TermDefinition, names: FieldNames): Term {
  if (definition.kind === 'product') return compileProduct(definition, names)
  const fields = definition.kind === 'count' ? Object.keys(definition.below) : [definition.field]
  return {
    kind: definition.kind,
    label: definition.label ?? defaultLabel(definition),
    slots: fields.map((field) => names.slotOf(field)),
    points: compilePoints(definition, names),
  }
}

/** What a label says beside the field, for kinds of which the field alone does not say enough. */
const LABEL: Readonly<Record<string, string>> = {
  ...{ square: ', squared', logarithm: ', logarithm', spline: ', curve', absent: ', absent' },
}

function defaultLabel(definition: Exclude<TermDefinition, ProductDefinition>): string {
  return definition.kind === 'count'
    ? `count of ${Object.keys(definition.below).length} fields`
    : definition.field + (LABEL[definition.kind] ?? '')
}

/** An interaction: the coefficient times the points of each factor, multiplied in the order of the definition. */
function compileProduct(definition: ProductDefinition, names: FieldNames): Term {
  const factors = definition.factors.map((factor) => compileTerm(factor, names))
  const { coefficient } = definition
  return {
    kind: 'product',
    label: definition.label ?? factors.map(({ label }) => label).join(' × '),
    slots: [...new Set(factors.flatMap(({ slots }) => slots))],
    points(values, states) {
      let product = coefficient
      for (const factor of factors) product *= factor.points(values, states)
      return product
    },
  }
}

function compilePoints(definition: Exclude<TermDefinition, ProductDefinition>, names: FieldNames): Points {
  if (definition.kind === 'count') {
    const limits = Object.entries(definition.below).map(([field, limit]) => ({
      slot: names.slotOf(field),
      limit,
    }))
    return (values) => {
      const count = limits.filter(({ slot, limit }) => (values[slot] as number) < limit).length
      return pointsFor(definition.bands, count)
    }
  }
  const slot = names.slotOf(definition.field)
  switch (definition.kind) {
    case 'banded':
      return (values) => pointsFor(definition.bands, values[slot] as number)
    case 'category': {
      // The definition check has proved that every permitted code has its points.
      const pointsByNumber: number[] = []
      for (const [code, number] of names.codesOf(definition.field)) {
        pointsByNumber[number] = definition.points[code] ?? Number.NaN
      }
      return (values) => pointsByNumber[values[slot] as number] ?? Number.NaN
    }
    case 'flag':
      return (values) => (values[slot] === 1 ? definition.points : 0)
    case 'absent':
      return (_values, states) => (states[slot] === STATE.assumed ? definition.points : 0)
    default:
      return compileCurve(definition, slot)
  }
}

/** The points for a reading. If no band holds it there is no number, and the record is refused. */
function pointsFor(bands: readonly PointsBandDefinition[], reading: number): number {
  for (const band of bands) if (bandHolds(band, reading)) return band.points
  return Number.NaN
}
