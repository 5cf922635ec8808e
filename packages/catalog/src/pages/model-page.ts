/** The card of a model as a page for people: one structure for every model, made from its file, and from its report where there is one. */
import {
  type Competing,
  type LinkDefinition,
  type ModelDefinition,
  type PointsBandDefinition,
  type PowerDefinition,
  type TermDefinition,
  type TreesDefinition,
  treesLabel,
} from 'patient-risk-engine/definition'
import { capitalise, compileLink } from 'patient-risk-engine'
import type { Catalog, CatalogModel } from '../catalog/catalog.ts'
import { describeFields } from '../catalog/describe-fields.ts'
import { groupCalibration } from './group-calibration.ts'
import { bandText, inputTable } from './inputs.ts'
import { facts, list, origin, page, paragraphs, percent, section, table, warning } from './markdown.ts'
import { treesText } from './tree-text.ts'

export function modelPage(catalog: Catalog, { definition, digest, report }: CatalogModel): string {
  const { card } = definition
  const fields = describeFields(catalog, definition)
  return page([
    `# ${definition.title}`,
    card.summary,
    facts({
      Name: `\`${definition.id}\``,
      Version: definition.version,
      Outcome: card.outcome,
      Horizon: horizon(card.horizonDays),
      'Death before the outcome': deathBefore(card),
      Digest: `\`sha-256=:${digest}:\``,
    }),
    section('Intended use', card.intendedUse),
    section('Users', card.users),
    section('Population', card.population),
    section('Setting', card.setting),
    section('Inputs', inputTable(definition, fields), doubts(catalog, definition)),
    section('Missing data', card.missingData),
    section('Development data', card.development),
    section('Discrimination', discrimination(card)),
    section('Calibration', card.calibration, ...groupCalibration(report, table)),
    section('Threshold and what it costs', threshold(definition)),
    section('Points', ...pointsOf(definition)),
    section('From score to risk', linkText(definition.link)),
    section('Limits', list(card.limits)),
    section('Where sources differ', list(card.conflicts)),
    origin(definition),
  ])
}

export function horizon(days: number): string {
  if (days === 365 || days === 366) return '1 year'
  return days > 366 ? `${Math.round(days / 365.25)} years` : `${days} days`
}

const DEATH_BEFORE: Readonly<Record<Competing, string>> = {
  none: 'counts as no event',
  event: 'counts as the event',
  censored: 'ends the observation',
  impossible: 'is the outcome itself',
  unstated: 'the source does not say what it counts as',
}

/** What the outcome does with death before it. */
export function deathBefore({ competing = 'unstated' }: ModelDefinition['card']): string {
  return DEATH_BEFORE[competing]
}

function discrimination(card: ModelDefinition['card']): string {
  const rows = card.discrimination.map(({ data, cStatistic = 'not found', brier, calibration, source }) => [
    data,
    cStatistic,
    brier,
    calibration,
    source,
  ])
  return table(['Data', 'c-statistic', 'Brier', 'Calibration', 'Read where'], rows)
}

function threshold({ threshold: line }: ModelDefinition): string {
  if (line === undefined) return 'The model states none. A deployment that answers Yes or No sets its own.'
  const score = line.score === undefined ? '' : `, which is a score of ${line.score}`
  const whose = line.published ? 'Published.' : '**Ours, not published.**'
  return `Yes from a risk of ${percent(line.risk)}${score}. ${whose} ${line.note}\n\n${line.cost}`
}

/** Unconfirmed items of the scales that the model takes a figure from. */
function doubts(catalog: Catalog, definition: ModelDefinition): string | undefined {
  const lines = Object.keys(definition.scales ?? {}).flatMap((id) =>
    Object.entries(catalog.scales.get(id)?.items ?? {})
      .filter(([, item]) => item.verified === false)
      .map(([name, item]) => `\`${id}_${name}\`: ${item.note ?? 'its values could not be confirmed.'}`),
  )
  return lines.length === 0 ? undefined : warning(lines.join(' '))
}

function pointsOf({ id, terms }: ModelDefinition): readonly string[] {
  let trees = 0
  return terms.map((term) => {
    const text = term.kind === 'trees' ? treesText(term, id, trees) : termText(term)
    if (term.kind === 'trees') trees += term.trees.length
    return `### ${termName(term)}\n\n${text}`
  })
}

function termName(term: TermDefinition): string {
  if (term.label !== undefined) return term.label
  if (term.kind === 'product') return term.factors.map(termName).join(' × ')
  if (term.kind === 'trees') return capitalise(treesLabel(term))
  return term.kind === 'count' ? 'Count' : term.field
}

function termText(term: Exclude<TermDefinition, TreesDefinition>): string {
  switch (term.kind) {
    case 'banded':
      return paragraphs(`By \`${term.field}\`.`, bandTable(term.bands))
    case 'category':
      return paragraphs(`By \`${term.field}\`.`, table(['Code', 'Points'], Object.entries(term.points)))
    case 'flag':
    case 'absent': {
      const points = Math.abs(term.points) === 1 ? 'point' : 'points'
      const state = term.kind === 'flag' ? 'true' : 'absent'
      return `${term.points} ${points} when \`${term.field}\` is ${state}, else 0.`
    }
    case 'count':
      return paragraphs(
        'By how many of these hold:',
        list(Object.entries(term.below).map(([field, limit]) => `\`${field}\` below ${limit}`)),
        bandTable(term.bands, 'Count'),
      )
    case 'linear':
      return `${term.coefficient} × ${quotient(term.field, term.per)}.`
    case 'square':
      return `${term.coefficient} × (${quotient(term.field, term.per)})².`
    case 'logarithm':
      return `${term.coefficient} × ln(${term.plus} + \`${term.field}\`).`
    case 'power':
      return powerText(term)
    case 'spline':
      return paragraphs(
        `A restricted cubic spline of \`${term.field}\`, straight before the first knot and after the last.`,
        list([`Knots: ${term.knots.join(', ')}`, `Coefficients: ${term.coefficients.join(', ')}`]),
      )
    case 'product':
      return paragraphs(`${term.coefficient} times the product of:`, ...term.factors.map(termText))
  }
}

/** "0.5 × (((`age` + 1) / 10)^−2 × ln((`age` + 1) / 10) − 0.3)." */
function powerText({
  field,
  plus,
  per,
  exponent,
  timesLogarithm,
  centre,
  coefficient,
}: PowerDefinition): string {
  const shifted = plus === undefined ? `\`${field}\`` : `(\`${field}\` + ${plus})`
  const scaled = `(${shifted}${per === undefined ? '' : ` / ${per}`})`
  const power = exponent === 0 ? `ln${scaled}` : `${scaled}^${exponent}`
  const whole = timesLogarithm === true ? `${power} × ln${scaled}` : power
  return `${coefficient} × ${centre === undefined ? whole : `(${whole} − ${centre})`}.`
}

function bandTable(bands: readonly PointsBandDefinition[], head = 'Value'): string {
  const rows = bands.map((band) => [bandText(band), band.points])
  return table([head, 'Points'], rows)
}

function quotient(field: string, per: number | undefined): string {
  return per === undefined ? `\`${field}\`` : `\`${field}\` / ${per}`
}

/** A survival curve is shown for the scores that people have. */
const SHOWN_SCORES = [0, 1, 2, 3, 4, 5, 6, 7]

function linkText(link: LinkDefinition): string {
  const scores = (shown: readonly number[], head = 'Risk'): string => {
    const risk = compileLink(link)
    const rows = shown.map((score) => [score, percent(risk(score))])
    return table(['Score', head], rows)
  }
  switch (link.kind) {
    case 'scoreTable':
      return scores(link.risks.map((_, index) => link.from + index))
    case 'strata':
      return strataTable(link.strata)
    case 'identity':
      return 'The score is the risk.'
    case 'logistic':
      return `Risk = 1 / (1 + e^−(${link.intercept} + score)): a logistic curve, where ${link.intercept} is the intercept.`
    case 'survival':
      return paragraphs(
        `Risk = 1 − ${link.baseline}^(e^(${link.rate} × score)).`,
        scores(SHOWN_SCORES, 'Risk before rounding'),
      )
    case 'recalibrated':
      return paragraphs(
        `Recalibrated: log odds of the risk = ${link.intercept} + ${link.slope} × the log odds of the original, which is:`,
        linkText(link.of),
      )
  }
}

function strataTable(strata: Extract<LinkDefinition, { kind: 'strata' }>['strata']): string {
  const hasCounts = strata.some(({ of }) => of !== undefined)
  const hasLabels = strata.some(({ label }) => label !== undefined)
  const head = ['Score', 'Risk', ...(hasCounts ? ['Events'] : []), ...(hasLabels ? ['Group'] : [])]
  const rows = strata.map(({ from, to, risk, events, of, label }) => [
    from === to ? from : `${from} to ${to}`,
    percent(risk),
    ...(hasCounts ? [of === undefined ? '' : `${events} of ${of}`] : []),
    ...(hasLabels ? [label] : []),
  ])
  return table(head, rows)
}
