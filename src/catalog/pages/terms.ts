/** The points of a model's terms as tables that can be compared with the paper. */
import type { PointsBandDefinition, TermDefinition } from '../../definition/term.ts'
import { list, table } from './markdown.ts'

export function termSection(term: TermDefinition): string {
  const title = `### ${term.label ?? termName(term)}`
  return [title, ...termParts(term)].join('\n\n')
}

function termName(term: TermDefinition): string {
  if (term.kind === 'product')
    return term.factors.map((factor) => factor.label ?? termName(factor)).join(' × ')
  return term.kind === 'count' ? 'Count' : term.field
}

function termParts(term: TermDefinition): readonly string[] {
  switch (term.kind) {
    case 'banded':
      return [`By \`${term.field}\`.`, bandTable(term.bands)]
    case 'category':
      return [
        `By \`${term.field}\`.`,
        table(
          ['Code', 'Points'],
          Object.entries(term.points).map(([code, points]) => [code, String(points)]),
        ),
      ]
    case 'flag':
      return [`${points(term.points)} when \`${term.field}\` is true, else 0.`]
    case 'absent':
      return [`${points(term.points)} when \`${term.field}\` is absent, else 0.`]
    case 'count':
      return [
        'By how many of these hold:',
        list(Object.entries(term.below).map(([field, limit]) => `\`${field}\` below ${limit}`)),
        bandTable(term.bands, 'Count'),
      ]
    case 'linear':
      return [`${term.coefficient} × ${reading(term.field, term.per)}.`]
    case 'square':
      return [`${term.coefficient} × (${reading(term.field, term.per)})².`]
    case 'logarithm':
      return [`${term.coefficient} × ln(${term.plus} + \`${term.field}\`).`]
    case 'spline':
      return [
        `A restricted cubic spline of \`${term.field}\`, straight before the first knot and after the last.`,
        list([`Knots: ${term.knots.join(', ')}`, `Coefficients: ${term.coefficients.join(', ')}`]),
      ]
    case 'product':
      return [`${term.coefficient} times the product of:`, ...term.factors.flatMap(termParts)]
  }
}

function bandTable(bands: readonly PointsBandDefinition[], head = 'Value'): string {
  return table(
    [head, 'Points'],
    bands.map((band) => [bandText(band), String(band.points)]),
  )
}

/** A band in words: "1", "4 to 6", "14 or more", "above 3". */
export function bandText(band: Omit<PointsBandDefinition, 'points'>): string {
  const { from, above, to, below } = band
  const start = from ?? above
  const end = to ?? below
  if (start === undefined && end === undefined) return 'any'
  if (start === undefined) return to === undefined ? `below ${below}` : `${to} or less`
  if (end === undefined) return from === undefined ? `above ${above}` : `${from} or more`
  if (from !== undefined && from === to) return String(from)
  return `${from === undefined ? 'above ' : ''}${start} to ${to === undefined ? 'below ' : ''}${end}`
}

function reading(field: string, per: number | undefined): string {
  return per === undefined ? `\`${field}\`` : `\`${field}\` / ${per}`
}

function points(count: number): string {
  return Math.abs(count) === 1 ? `${count} point` : `${count} points`
}
