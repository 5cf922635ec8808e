/** The card of a model as a page for people: one structure for every model, made from its file and nothing else. */
import type { ModelDefinition } from '../../definition/model.ts'
import type { Catalog, CatalogModel } from '../catalog.ts'
import { describeFields } from '../describe-fields.ts'
import { inputTable } from './inputs.ts'
import { facts, list, page, percent, section, table, warning } from './markdown.ts'
import { linkText, termSection } from './points.ts'

export function modelPage(catalog: Catalog, model: CatalogModel): string {
  const { definition, digest } = model
  const { card } = definition
  const { fields } = describeFields(catalog, definition)
  const inputs = Object.keys(definition.inputs).flatMap(
    (name) => fields.find((field) => field.name === name) ?? [],
  )
  return page([
    `# ${definition.title}`,
    card.summary,
    facts([
      ['Name', `\`${definition.id}\``],
      ['Version', definition.version],
      ['Outcome', card.outcome],
      ['Horizon', horizon(card.horizonDays)],
      ['Digest', `\`sha-256=:${digest}:\``],
    ]),
    section('Intended use', card.intendedUse),
    section('Users', card.users),
    section('Population', card.population),
    section('Setting', card.setting),
    section('Inputs', inputTable(definition, inputs), doubts(catalog, definition)),
    section('Missing data', card.missingData),
    section('Development data', card.development),
    section('Discrimination', discrimination(card)),
    section('Calibration', card.calibration),
    section('Threshold and what it costs', threshold(definition)),
    section('Points', ...definition.terms.map(termSection)),
    section('From score to risk', linkText(definition.link)),
    section('Limits', list(card.limits)),
    section('Where sources differ', card.conflicts === undefined ? undefined : list(card.conflicts)),
    section('Source', definition.source.cite, list(definition.source.links ?? [])),
    section('Licence', definition.licence.status, `Shipped: ${definition.licence.shipped}`),
  ])
}

export function horizon(days: number): string {
  if (days === 365 || days === 366) return '1 year'
  return days > 366 ? `${Math.round(days / 365.25)} years` : `${days} days`
}

function discrimination(card: ModelDefinition['card']): string {
  return table(
    ['Data', 'c-statistic', 'Brier', 'Calibration', 'Read where'],
    card.discrimination.map(({ data, cStatistic, brier, calibration, source }) => [
      data,
      cStatistic?.toString() ?? 'not found',
      brier?.toString() ?? '',
      calibration ?? '',
      source ?? '',
    ]),
  )
}

function threshold({ threshold: line }: ModelDefinition): string {
  if (line === undefined) {
    return 'The model states none. A deployment that answers Yes or No sets its own.'
  }
  const score = line.score === undefined ? '' : `, which is a score of ${line.score}`
  const origin = line.published ? 'Published.' : '**Ours, not published.**'
  return `Yes from a risk of ${percent(line.risk)}${score}. ${origin} ${line.note}\n\n${line.cost}`
}

/** Items that nobody could confirm, in the scales that the model takes a figure from. */
function doubts(catalog: Catalog, definition: ModelDefinition): string | undefined {
  const lines = Object.keys(definition.scales ?? {}).flatMap((id) =>
    Object.entries(catalog.scales.get(id)?.items ?? {})
      .filter(([, item]) => item.verified === false)
      .map(([name, item]) => `\`${id}_${name}\`: ${item.note ?? 'its values could not be confirmed.'}`),
  )
  return lines.length === 0 ? undefined : warning(lines.join(' '))
}
