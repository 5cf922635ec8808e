/** The effect of a model's terms and of its link, computed for the drawings. Risks of patients come from the service only. */
import { fieldIn } from '../patient/form/read-input.ts'
import type { Field } from '../shapes/fields.ts'
import type { Link, Model, OriginalLink, PointsBand, SimpleTerm, Term } from '../shapes/model.ts'

/** A field in the unit of the model's terms, where the deployment receives it in another one. */
export function inModelUnit(field: Field | undefined): Field | undefined {
  return field === undefined ? undefined : fieldIn(field, field.modelUnit)
}

export type CurvedTerm = Extract<SimpleTerm, { readonly kind: 'linear' | 'square' | 'logarithm' | 'spline' }>

export function isCurved(term: Term): term is CurvedTerm {
  return ['linear', 'square', 'logarithm', 'spline'].includes(term.kind)
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
  return curve.terms.reduce((sum, term) => sum + termAt(term, reading), 0)
}

function termAt(term: CurvedTerm, reading: number): number {
  switch (term.kind) {
    case 'linear':
      return (term.coefficient * reading) / (term.per ?? 1)
    case 'square':
      return term.coefficient * (reading / (term.per ?? 1)) ** 2
    case 'logarithm':
      return term.coefficient * Math.log(reading + term.plus)
    case 'spline':
      return splineAt(term.knots, term.coefficients, reading)
  }
}

function splineAt(knots: readonly number[], coefficients: readonly number[], reading: number): number {
  const cube = (value: number): number => (value > 0 ? value ** 3 : 0)
  const knot = (index: number): number => knots.at(index) ?? 0
  const [first, beforeLast, last] = [knot(0), knot(-2), knot(-1)]
  let points = (coefficients[0] ?? 0) * reading
  for (let i = 0; i < knots.length - 2; i++) {
    const part =
      cube(reading - knot(i)) -
      (cube(reading - beforeLast) * (last - knot(i))) / (last - beforeLast) +
      (cube(reading - last) * (beforeLast - knot(i))) / (last - beforeLast)
    points += ((coefficients[i + 1] ?? 0) * part) / (last - first) ** 2
  }
  return points
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

/** The risk for a score. */
export function riskAt(link: Link, score: number): number {
  if (link.kind !== 'recalibrated') return originalRiskAt(link, score)
  const risk = originalRiskAt(link.of, score)
  return logistic(Math.log(risk / (1 - risk)) * link.slope + link.intercept)
}

function originalRiskAt(link: OriginalLink, score: number): number {
  switch (link.kind) {
    case 'logistic':
      return logistic(link.intercept + score)
    case 'scoreTable': {
      const at = Math.max(0, Math.min(link.risks.length - 1, Math.round(score - link.from)))
      return link.risks[at] ?? 0
    }
    case 'strata':
      return link.strata.find(({ from, to }) => score >= from && score <= to)?.risk ?? 0
    case 'survival':
      return 1 - link.baseline ** Math.exp(link.rate * score)
  }
}

function logistic(odds: number): number {
  return 1 / (1 + Math.exp(-odds))
}

export function bandText(
  band: PointsBand,
  range: (from: string, to: string) => string,
  show: (value: number) => string,
): string {
  const { from, above, to, below } = band
  if (above !== undefined) {
    const end = to === undefined ? (below === undefined ? '' : ` – < ${show(below)}`) : ` – ${show(to)}`
    return `> ${show(above)}${end}`
  }
  if (from !== undefined && from === to) return show(from)
  if (from !== undefined && to !== undefined) return range(show(from), show(to))
  if (from !== undefined && below !== undefined) return `${show(from)} – < ${show(below)}`
  if (from !== undefined) return `≥ ${show(from)}`
  if (to !== undefined) return `≤ ${show(to)}`
  return below === undefined ? '' : `< ${show(below)}`
}
