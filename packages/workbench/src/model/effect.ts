/** The effect of a model's terms, by the engine's own functions, for the drawings. Risks of patients come from the service only. */
import { CURVE_KINDS, type CurveKind, compileCurve } from 'patient-risk-engine/definition'
import { fieldIn } from '../patient/form/read-input.ts'
import type { Field } from '../shapes/fields.ts'
import type { Model, PointsBand, SimpleTerm, Term } from '../shapes/model.ts'

/** A field in the unit of the model's terms, where the deployment receives it in another one. */
export function inModelUnit(field: Field | undefined): Field | undefined {
  return field === undefined ? undefined : fieldIn(field, field.modelUnit)
}

export type CurvedTerm = Extract<SimpleTerm, { readonly kind: CurveKind }>

export function isCurved(term: Term): term is CurvedTerm {
  return (CURVE_KINDS as readonly string[]).includes(term.kind)
}

/** Terms of one field are drawn together: age and its square make one curve. */
export interface Curve {
  readonly field: string
  readonly label: string
  readonly terms: readonly CurvedTerm[]
}

export function curvesOf(terms: readonly Term[]): readonly Curve[] {
  const curves = new Map<string, Curve>()
  for (const term of terms) {
    if (!isCurved(term)) continue
    const known = curves.get(term.field)
    curves.set(term.field, {
      field: term.field,
      label: known?.label ?? term.label ?? term.field,
      terms: [...(known?.terms ?? []), term],
    })
  }
  return [...curves.values()]
}

export function pointsAt(curve: Curve, reading: number): number {
  const values = Float64Array.of(reading)
  return curve.terms.reduce((sum, term) => sum + compileCurve(term, 0)(values), 0)
}

/** Where points are log odds, a reader is shown the factor that they make. */
export function isOddsModel({ link }: Model): boolean {
  return link.kind === 'logistic' || (link.kind === 'recalibrated' && link.of.kind === 'logistic')
}

const LONG = 30

/** The readings that are drawn. A logarithm is flat far out, so only its first part is shown. */
export function drawnRange(field: Field | undefined, curve: Curve): readonly [number, number] {
  const from = field?.minimum ?? (typeof field?.values?.[0] === 'number' ? field.values[0] : 0)
  const lastValue = field?.values?.at(-1)
  const to = field?.maximum ?? (typeof lastValue === 'number' ? lastValue : 100)
  const isLogarithm = curve.terms.every(({ kind }) => kind === 'logarithm')
  return [from, isLogarithm ? Math.min(to, from + LONG) : to]
}

export function bandText(
  band: PointsBand,
  range: (from: string, to: string) => string,
  show: (value: number) => string,
): string {
  const { from, above, to, below } = band
  if (above !== undefined && to !== undefined) return `> ${show(above)} – ${show(to)}`
  if (above !== undefined && below !== undefined) return `> ${show(above)} – < ${show(below)}`
  if (above !== undefined) return `> ${show(above)}`
  if (from !== undefined && from === to) return show(from)
  if (from !== undefined && to !== undefined) return range(show(from), show(to))
  if (from !== undefined && below !== undefined) return `${show(from)} – < ${show(below)}`
  if (from !== undefined) return `≥ ${show(from)}`
  if (to !== undefined) return `≤ ${show(to)}`
  return below === undefined ? '' : `< ${show(below)}`
}
