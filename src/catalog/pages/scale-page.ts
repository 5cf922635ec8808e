/** A scale as a page for people: its items, how its total is formed, its bands, and what is not certain. */
import type { ScaleDefinition } from '../../definition/scale.ts'
import type { Catalog } from '../catalog.ts'
import { valuesText } from './inputs.ts'
import { facts, list, page, section, table, warning } from './markdown.ts'
import {
  computedList,
  derivedTable,
  subtotalTable,
  totalRange,
  totalRanges,
  totalText,
} from './scale-figures.ts'

const DIRECTION = {
  higherIsBetter: 'higher is better',
  higherIsWorse: 'higher is worse',
  categorical: 'grades without an order',
} as const

export function scalePage(catalog: Catalog, scale: ScaleDefinition): string {
  const users = [...catalog.models].filter(([, { definition }]) =>
    Object.hasOwn(definition.scales ?? {}, scale.id),
  )
  return page([
    `# ${scale.title}`,
    scale.purpose,
    scale.unverified === undefined ? undefined : warning(scale.unverified.join(' ')),
    facts([
      ['Name', `\`${scale.id}\``],
      ['Version', String(scale.version)],
      ['Direction', DIRECTION[scale.direction]],
      ['Total', totalRanges(scale, 'total')],
      ['Used by', users.length === 0 ? 'no model' : users.map(([key]) => `\`${key}\``).join(', ')],
    ]),
    section('Items', itemTable(scale), scale.itemMeaning),
    section('Measures', measureTable(scale)),
    section('Beside the items', contextTable(scale)),
    section('Codings', codings(scale)),
    section(
      'Total',
      totalText(scale.total),
      `\`${scale.id}_date\` is the day of the assessment, DD-MM-YYYY.`,
    ),
    section('Computed values', computedList(scale)),
    section('Subtotals', subtotalTable(scale)),
    section('Derived figures', derivedTable(scale)),
    section('Bands', ...(scale.bands ?? []).map((scheme) => bandScheme(scale, scheme))),
    section('Do not mix', list(scale.variants ?? [])),
    section('Source', scale.source.cite, list(scale.source.links ?? [])),
    section('Licence', scale.licence.status, `Shipped: ${scale.licence.shipped}`),
  ])
}

function itemTable(scale: ScaleDefinition): string {
  return table(
    ['Field', 'Item', 'Permitted values', 'Meaning'],
    Object.entries(scale.items).map(([name, item]) => [
      `\`${scale.id}_${name}\``,
      item.label,
      item.values.join(', '),
      [
        item.verified === false ? '**Not verified.**' : '',
        Object.entries(item.meanings ?? {})
          .map(([value, meaning]) => `${value}: ${meaning}`)
          .join('; '),
        item.note ?? '',
      ]
        .filter((text) => text !== '')
        .join(' '),
    ]),
  )
}

function measureTable(scale: ScaleDefinition): string {
  const rows = Object.entries(scale.measures ?? {}).map(([name, measure]) => [
    `\`${scale.id}_${name}\``,
    measure.label,
    `${measure.from} to ${measure.to} in steps of ${measure.step}`,
    measure.unit,
    [measure.verified === false ? '**Not verified.**' : '', measure.note ?? ''].join(' ').trim(),
  ])
  return table(['Field', 'What', 'Permitted values', 'Unit', 'Note'], rows)
}

function contextTable(scale: ScaleDefinition): string {
  const rows = Object.entries(scale.context ?? {}).map(([name, { label, values, note }]) => [
    `\`${scale.id}_${name}\``,
    label,
    Array.isArray(values) ? values.join(', ') : valuesText(Object.keys(values), values),
    note ?? '',
  ])
  return table(['Field', 'What', 'Permitted values', 'Note'], rows)
}

function codings(scale: ScaleDefinition): string {
  if (scale.codings === undefined) return ''
  const fallback = scale.codings.default
  const rule =
    fallback === null
      ? `A record must declare its coding in \`${scale.id}_coding\`.`
      : `A record declares its coding in \`${scale.id}_coding\`; without it, \`${fallback}\` is meant.`
  const rows = Object.entries(scale.codings.forms).map(([name, form]) => [
    `\`${name}\``,
    form.meaning,
    totalRange(scale, 'total', name) ?? '',
  ])
  return `${rule}\n\n${table(['Coding', 'Meaning', 'Total'], rows)}`
}

function bandScheme(scale: ScaleDefinition, scheme: NonNullable<ScaleDefinition['bands']>[number]): string {
  const rows = scheme.bands.map(({ from, to, label }) => [
    from === to ? String(from) : `${from} to ${to}`,
    label,
  ])
  return [
    `### ${scheme.scheme}${scheme.sex === undefined ? '' : ` (${scheme.sex === 'F' ? 'women' : 'men'})`}`,
    scheme.verified ? '' : warning(scheme.note ?? 'This scheme was not confirmed in any source.'),
    scheme.verified ? (scheme.note ?? '') : '',
    table([`\`${scale.id}_${scheme.of ?? 'total'}\``, 'Band'], rows),
  ]
    .filter((text) => text !== '')
    .join('\n\n')
}
