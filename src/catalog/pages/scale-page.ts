/** A scale as a page for people: its items, how its total is formed, its bands, and what is not certain. */
import type { ScaleDefinition, DerivedDefinition, TotalDefinition } from '../../definition/scale.ts'
import type { Catalog } from '../catalog.ts'
import { rangeText, valuesText } from './inputs.ts'
import { facts, list, page, section, sentence, table, warning } from './markdown.ts'
import { scaleForms } from '../../definition/forms.ts'
import { domainIn } from '../../definition/scale-domains.ts'

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

function totalText(total: TotalDefinition): string {
  if (total === 'sum') return 'The sum of the items.'
  switch (total.kind) {
    case 'grade':
      return `The grade in \`${total.item}\` itself.`
    case 'rule': {
      const parts = total.all.map((part) => (typeof part === 'string' ? part : `(${part.any.join(' or ')})`))
      return `1 when ${parts.join(' and ')}, else 0.`
    }
    case 'sum':
      return [
        'The sum of the items.',
        ...(total.alternatives ?? []).map((group) => `Of ${group.join(' and ')} exactly one counts.`),
        ...(total.to === undefined ? [] : [`At most ${total.to}.`]),
        ...(total.hierarchies ?? []).map((pair) => `Where ${pair.severe} scores, ${pair.replaces} does not.`),
      ].join(' ')
  }
}

function derivedText(derived: DerivedDefinition): string {
  switch (derived.kind) {
    case 'sum':
      return `sum of ${derived.of.join(', ')}`
    case 'mean':
      return `mean of ${derived.of.length} values, ${derived.decimals} decimals`
    case 'countAtLeast':
      return `how many of ${derived.of.length} are ${derived.atLeast} or more`
    case 'shifted': {
      const shifts = Object.entries(derived.points).map(
        ([code, shift]) => `${code} ${shift > 0 ? '+' : ''}${shift}`,
      )
      return `${derived.of}, shifted by ${derived.by} (${shifts.join(', ')}), held within ${derived.from} to ${derived.to}`
    }
    case 'quotient':
      return `${derived.of} divided by ${derived.by}`
    case 'inverse':
      return `${derived.numerator} divided by ${derived.of}, ${derived.decimals} decimals`
    case 'sumWithin':
      return `1 when ${derived.of.join(' + ')} is ${derived.from} to ${derived.to}, else 0`
    case 'byCode': {
      const values = Object.entries(derived.values).map(([code, value]) => `\`${code}\` is ${value}`)
      return `by \`${derived.of}\`: ${values.join(', ')}`
    }
    case 'gnri': {
      const [albumin, weight, height] = derived.of as [string, string, string]
      const divisors = Object.entries(derived.divisors).map(([sex, by]) => `${by} for \`${sex}\``)
      return `${derived.albumin} × ${albumin} + ${derived.weight} × ${weight} ÷ ideal weight (at most 1); ideal weight = ${height} − 100 − (${height} − 150) ÷ ${divisors.join(', ÷ ')}`
    }
  }
}

/** The range of a figure, computed from the items, in each coding where there are several. */
function totalRanges(scale: ScaleDefinition, figure: string): string {
  const names = scale.codings === undefined ? [null] : Object.keys(scale.codings.forms)
  const ranges = names.map((name) => totalRange(scale, figure, name) ?? '')
  return [...new Set(ranges)].join(' or ')
}

function totalRange(scale: ScaleDefinition, figure: string, coding: string | null): string | undefined {
  const form = scaleForms(scale).find((each) => each.coding === coding)
  const domain = form === undefined ? undefined : domainIn(scale, form, figure)
  if (domain?.kind === 'list') return rangeText(domain.values)
  if (domain?.kind !== 'decimal') return undefined
  const range = `${domain.from} to ${domain.to}`
  return domain.step === undefined ? range : `${range} in steps of ${domain.step}`
}
