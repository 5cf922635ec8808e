/** The card of a model as a page for people: one structure for every model, made from its file, and from its report where there is one. */
import {
  type Competing,
  type LinkDefinition,
  type ModelDefinition,
  type PointsBandDefinition,
  type PowerDefinition,
  type TermDefinition,
  type TreesDefinition,
} from 'patient-risk-engine/definition'
import { compileLink } from 'patient-risk-engine'
import type { Words } from 'patient-risk-engine/words'
import type { Catalog, CatalogModel } from '../catalog/catalog.ts'
import { describeFields } from '../catalog/describe-fields.ts'
import { catalogueIn } from '../catalog/words/described-in.ts'
import { MODEL_PAGE_TEXTS, PAGE_TEXTS } from '../catalog/words/page-texts.ts'
import { MODEL_CARD_TEXTS } from '../catalog/words/service-texts.ts'
import { groupCalibration } from './group-calibration.ts'
import { type Say, IN_ENGLISH, bandText, inputTable, sayIn } from './inputs.ts'
import { facts, list, page, paragraphs, percent, section, table } from './markdown.ts'
import { origin, warning } from './origin.ts'
import { treesText } from './tree-text.ts'

const T = { ...MODEL_CARD_TEXTS, ...PAGE_TEXTS, ...MODEL_PAGE_TEXTS }

/** In a language, where one is given; then the texts of the model are in it already. */
export function modelPage(
  catalog: Catalog,
  { definition, digest, report }: CatalogModel,
  words?: Words,
): string {
  const say = sayIn(words)
  const { card } = definition
  const english = describeFields(catalog, definition)
  const fields = words === undefined ? english : catalogueIn(words, english)
  return page([
    `# ${definition.title}`,
    card.summary,
    facts({
      [say(T.name)]: `\`${definition.id}\``,
      [say(T.version)]: definition.version,
      [say(T.outcome)]: card.outcome,
      [say(T.horizon)]: horizon(card.horizonDays, say),
      [say(T.death)]: deathBefore(card, say),
      [say(T.digest)]: `\`sha-256=:${digest}:\``,
    }),
    section(say(T.intendedUse), card.intendedUse),
    section(say(MODEL_PAGE_TEXTS.users), card.users),
    section(say(T.population), card.population),
    section(say(T.setting), card.setting),
    section(say(T.inputs), inputTable(definition, fields, table, words), doubts(catalog, definition, say)),
    section(say(T.missingData), card.missingData),
    section(say(T.development), card.development),
    section(say(T.discrimination), discrimination(card, say)),
    section(say(T.calibration), card.calibration, ...groupCalibration(report, table)),
    section(say(T.threshold), threshold(definition, say)),
    section(say(T.points), ...pointsOf(definition, say)),
    section(say(T.scoreToRisk), linkText(definition.link, say)),
    section(say(T.limits), list(card.limits)),
    section(say(T.conflicts), list(card.conflicts)),
    origin(definition, say),
  ])
}

export function horizon(days: number, say = IN_ENGLISH): string {
  if (days === 365 || days === 366) return say(T.year)
  return days > 366 ? say(T.years, { n: Math.round(days / 365.25) }) : say(T.days, { n: days })
}

const DEATH_BEFORE: Readonly<Record<Competing, string>> = {
  none: T.deathNone,
  event: T.deathEvent,
  censored: T.deathCensored,
  impossible: T.deathImpossible,
  unstated: T.deathUnstated,
}

/** What the outcome does with death before it. */
export function deathBefore({ competing = 'unstated' }: ModelDefinition['card'], say = IN_ENGLISH): string {
  return say(DEATH_BEFORE[competing])
}

function discrimination(card: ModelDefinition['card'], say: Say): string {
  const rows = card.discrimination.map(
    ({ data, cStatistic = say(T.notFound), brier, calibration, source }) => [
      data,
      cStatistic,
      brier,
      calibration,
      source,
    ],
  )
  return table([say(T.data), say(T.cStatistic), 'Brier', say(T.calibration), say(T.readWhere)], rows)
}

function threshold({ threshold: line }: ModelDefinition, say: Say): string {
  if (line === undefined) return say(T.noThreshold)
  const at = { threshold: percent(line.risk) }
  const from =
    line.score === undefined ? say(T.yesFrom, at) : say(T.yesFromScore, { ...at, score: line.score })
  const whose = say(line.published ? T.published : T.ours)
  return `${from}. ${whose} ${line.note}\n\n${line.cost}`
}

/** Unconfirmed items of the scales that the model takes a figure from. */
function doubts(catalog: Catalog, definition: ModelDefinition, say: Say): string | undefined {
  const lines = Object.keys(definition.scales ?? {}).flatMap((id) =>
    Object.entries(catalog.scales.get(id)?.items ?? {})
      .filter(([, item]) => item.verified === false)
      .map(([name, item]) => `\`${id}_${name}\`: ${item.note ?? say(T.notConfirmed)}`),
  )
  return lines.length === 0 ? undefined : warning(lines.join(' '), say)
}

function pointsOf({ id, terms }: ModelDefinition, say: Say): readonly string[] {
  let trees = 0
  return terms.map((term) => {
    const text = term.kind === 'trees' ? treesText(term, id, trees, say) : termText(term, say)
    if (term.kind === 'trees') trees += term.trees.length
    return `### ${termName(term, say)}\n\n${text}`
  })
}

function termName(term: TermDefinition, say: Say): string {
  if (term.label !== undefined) return term.label
  if (term.kind === 'product') return term.factors.map((factor) => termName(factor, say)).join(' × ')
  if (term.kind === 'trees')
    return term.trees.length === 1 ? say(T.tree) : say(T.trees, { n: term.trees.length })
  return term.kind === 'count' ? say(T.count) : term.field
}

function termText(term: Exclude<TermDefinition, TreesDefinition>, say: Say): string {
  switch (term.kind) {
    case 'banded':
      return paragraphs(say(T.by, { field: quoted(term.field) }), bandTable(term.bands, say))
    case 'category':
      return paragraphs(
        say(T.by, { field: quoted(term.field) }),
        table([say(T.code), say(T.points)], Object.entries(term.points)),
      )
    case 'flag':
    case 'absent': {
      const isOne = Math.abs(term.points) === 1
      const whenTrue = isOne ? T.pointWhenTrue : T.pointsWhenTrue
      const whenAbsent = isOne ? T.pointWhenAbsent : T.pointsWhenAbsent
      const parts = { points: term.points, field: quoted(term.field) }
      return say(term.kind === 'flag' ? whenTrue : whenAbsent, parts)
    }
    case 'count':
      return paragraphs(
        say(T.howMany),
        list(
          Object.entries(term.below).map(([field, to]) => say(T.fieldBelow, { field: quoted(field), to })),
        ),
        bandTable(term.bands, say, say(T.count)),
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
        say(T.spline, { field: quoted(term.field) }),
        list([
          say(T.knots, { knots: term.knots.join(', ') }),
          say(T.coefficients, { coefficients: term.coefficients.join(', ') }),
        ]),
      )
    case 'product':
      return paragraphs(
        say(T.product, { coefficient: String(term.coefficient) }),
        ...term.factors.map((factor) => termText(factor, say)),
      )
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

function bandTable(bands: readonly PointsBandDefinition[], say: Say, head = say(T.value)): string {
  const rows = bands.map((band) => [bandText(band, say), band.points])
  return table([head, say(T.points)], rows)
}

function quotient(field: string, per: number | undefined): string {
  return per === undefined ? quoted(field) : `${quoted(field)} / ${per}`
}

function quoted(field: string): string {
  return `\`${field}\``
}

/** A survival curve is shown for the scores that people have. */
const SHOWN_SCORES = [0, 1, 2, 3, 4, 5, 6, 7]

function linkText(link: LinkDefinition, say: Say): string {
  const scores = (shown: readonly number[], head = say(T.risk)): string => {
    const risk = compileLink(link)
    const rows = shown.map((score) => [score, percent(risk(score))])
    return table([say(T.score), head], rows)
  }
  switch (link.kind) {
    case 'scoreTable':
      return scores(link.risks.map((_, index) => link.from + index))
    case 'strata':
      return strataTable(link.strata, say)
    case 'identity':
      return say(T.identity)
    case 'logistic':
      return say(T.logistic, { intercept: String(link.intercept) })
    case 'survival':
      return paragraphs(
        say(T.survival, { baseline: String(link.baseline), rate: String(link.rate) }),
        scores(SHOWN_SCORES, say(T.beforeRounding)),
      )
    case 'recalibrated':
      return paragraphs(
        say(T.recalibrated, { intercept: String(link.intercept), slope: String(link.slope) }),
        linkText(link.of, say),
      )
  }
}

function strataTable(strata: Extract<LinkDefinition, { kind: 'strata' }>['strata'], say: Say): string {
  const hasCounts = strata.some(({ of }) => of !== undefined)
  const hasLabels = strata.some(({ label }) => label !== undefined)
  const head = [
    say(T.score),
    say(T.risk),
    ...(hasCounts ? [say(T.events)] : []),
    ...(hasLabels ? [say(T.group)] : []),
  ]
  const rows = strata.map(({ from, to, risk, events, of, label }) => [
    bandText({ from, to }, say),
    percent(risk),
    ...(hasCounts ? [of === undefined ? '' : say(T.eventsOf, { events: events ?? 0, n: of })] : []),
    ...(hasLabels ? [label] : []),
  ])
  return table(head, rows)
}
