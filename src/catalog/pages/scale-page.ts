/** A scale as a page for people: its items, how its total is formed, its bands, and what is not certain. */
import type { ScaleDefinition } from '../../definition/scale.ts'
import type { Catalog } from '../catalog.ts'
import { valuesText } from './inputs.ts'
import { facts, list, page, section, sentence, table, warning } from './markdown.ts'
import { derivedText, totalRange, totalRanges, totalText } from './scale-figures.ts'

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
    section(
      'Measures',
      partTable(scale, 'measures', ['What', 'Permitted values', 'Unit', 'Note'], (measure) => [
        measure.label,
        `${measure.from} to ${measure.to} in steps of ${measure.step}`,
        measure.unit,
        sentence(doubt(measure), measure.note),
      ]),
    ),
    section(
      'Beside the items',
      partTable(scale, 'context', ['What', 'Permitted values', 'Note'], ({ label, values, note = '' }) => [
        label,
        Array.isArray(values) ? values.join(', ') : valuesText(Object.keys(values), values),
        note,
      ]),
    ),
    section('Codings', codings(scale)),
    section(
      'Total',
      totalText(scale.total),
      `\`${scale.id}_date\` is the day of the assessment, DD-MM-YYYY.`,
    ),
    section('Computed values', computedList(scale)),
    section(
      'Subtotals',
      partTable(scale, 'subtotals', ['What', 'Items', 'Range'], ({ label, items }, name) => [
        label,
        items.join(', '),
        totalRanges(scale, name),
      ]),
    ),
    section(
      'Derived figures',
      partTable(scale, 'derived', ['What', 'How', 'Range'], (derived, name) => [
        derived.label ?? name,
        derivedText(derived),
        totalRanges(scale, name),
      ]),
    ),
    section('Bands', ...(scale.bands ?? []).map((scheme) => bandScheme(scale, scheme))),
    section('Do not mix', list(scale.variants ?? [])),
    section('Source', scale.source.cite, list(scale.source.links ?? [])),
    section('Licence', scale.licence.status, `Shipped: ${scale.licence.shipped}`),
  ])
}

type Group = 'items' | 'measures' | 'context' | 'subtotals' | 'derived'
type Part<G extends Group> = NonNullable<ScaleDefinition[G]>[string]

/** A row for each part of a group: its field, then these cells. */
function partTable<G extends Group>(
  scale: ScaleDefinition,
  group: G,
  head: readonly string[],
  cells: (part: Part<G>, name: string) => readonly string[],
): string {
  const rows = Object.entries((scale[group] ?? {}) as Record<string, Part<G>>).map(([name, part]) => [
    `\`${scale.id}_${name}\``,
    ...cells(part, name),
  ])
  return table(['Field', ...head], rows)
}

function itemTable(scale: ScaleDefinition): string {
  return partTable(scale, 'items', ['Item', 'Permitted values', 'Meaning'], (item) => {
    const meanings = Object.entries(item.meanings ?? {}).map(([value, meaning]) => `${value}: ${meaning}`)
    return [item.label, item.values.join(', '), sentence(doubt(item), meanings.join('; '), item.note)]
  })
}

function doubt({ verified }: { verified?: boolean }): string {
  return verified === false ? '**Not verified.**' : ''
}

/** Items and measures that follow from others when they are not given. */
function computedList(scale: ScaleDefinition): string {
  return list(
    Object.entries(scale.computed ?? {}).map(
      ([name, computed]) => `\`${scale.id}_${name}\`, when it is not given: ${derivedText(computed)}.`,
    ),
  )
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
