/** A scale as a page for people: its items, how its total is formed, its bands, and what is not certain. */
import {
  codeMeanings,
  domainIn,
  recordField,
  scaleForms,
  type DerivedDefinition,
  type ScaleDefinition,
  type TotalDefinition,
} from 'patient-risk-engine/definition'
import { EARLIEST_DATE, formatDate } from 'patient-risk-engine/read'
import type { Catalog } from '../catalog/catalog.ts'
import { bandSection } from './band-section.ts'
import { bandText, rangeText, valuesText } from './inputs.ts'
import { facts, joined, list, origin, page, section, table, warning } from './markdown.ts'

const DIRECTION = {
  higherIsBetter: 'higher is better',
  higherIsWorse: 'higher is worse',
  categorical: 'grades without an order',
} as const

export function scalePage(catalog: Catalog, scale: ScaleDefinition): string {
  const users = [...catalog.models].filter(([, { definition }]) =>
    Object.hasOwn(definition.scales ?? {}, scale.id),
  )
  const computed = Object.entries(scale.computed ?? {}).map(
    ([name, each]) => `\`${scale.id}_${name}\`, when it is not given: ${derivedText(each)}.`,
  )
  return page([
    `# ${scale.title}`,
    scale.purpose,
    scale.unverified && warning(scale.unverified.join(' ')),
    facts({
      Name: `\`${scale.id}\``,
      Version: scale.version,
      Direction: DIRECTION[scale.direction],
      Total: ranges(scale, 'total'),
      'Used by': users.map(([key]) => `\`${key}\``).join(', ') || 'no model',
    }),
    partSection(
      scale,
      'Items',
      'items',
      ['Item', 'Permitted values', 'Meaning'],
      (item) => {
        const meanings = Object.entries(item.meanings ?? {}).map(([value, meaning]) => `${value}: ${meaning}`)
        return [item.label, item.values.join(', '), joined(' ', doubt(item), meanings.join('; '), item.note)]
      },
      scale.itemMeaning,
    ),
    partSection(scale, 'Measures', 'measures', ['What', 'Permitted values', 'Unit', 'Note'], (measure) => {
      const { label, from, to, step, unit, note } = measure
      return [label, `${from} to ${to} in steps of ${step}`, unit, joined(' ', doubt(measure), note)]
    }),
    section('From reading to points', readings(catalog, scale)),
    partSection(scale, 'Beside the items', 'context', ['What', 'Permitted values', 'Note'], (context) => {
      const { label, values, note } = context
      const codes = codeMeanings(context)
      const shown =
        codes === undefined ? Object.values(values).join(', ') : valuesText(Object.keys(codes), codes)
      return [label, shown, note]
    }),
    section('Codings', codings(scale)),
    section(
      'Total',
      totalText(scale.total),
      `\`${scale.id}_date\` is the day of the assessment, DD-MM-YYYY, not before ${formatDate(EARLIEST_DATE)} and not in the future.`,
    ),
    section('Computed values', list(computed)),
    partSection(scale, 'Subtotals', 'subtotals', ['What', 'Items', 'Range'], ({ label, items }, name) => [
      label,
      items.join(', '),
      ranges(scale, name),
    ]),
    partSection(scale, 'Derived figures', 'derived', ['What', 'How', 'Range'], (derived, name) => [
      derived.label ?? name,
      derivedText(derived),
      ranges(scale, name),
    ]),
    bandSection(scale),
    section('Items that ask for action', list(redFlags(scale))),
    section('Do not mix', list(scale.variants)),
    origin(scale),
  ])
}

/** Items that ask for action whatever the total: what is said, and who says so. */
function redFlags({ id, redFlags: flags = [] }: ScaleDefinition): readonly string[] {
  return flags.map(({ items, text, source, ...ends }) => {
    const fields = items.map((item) => `\`${id}_${item}\``).join(', ')
    return `${fields}, ${bandText(ends)}: ${text} (${source})`
  })
}

/** Every band of every reading, one to a row, as charts print them. */
function readings({ fields }: Catalog, { id, measures = {}, computed = {} }: ScaleDefinition): string {
  /** A reading of the scale, or a field of the record itself, such as the age. */
  const fieldOf = (part: string): string => recordField(part) ?? `${id}_${part}`
  const unitOf = (part: string): string | undefined => {
    const field = recordField(part)
    return field === undefined ? measures[part]?.unit : fields.get(field)?.unit
  }
  const rows = Object.entries(computed).flatMap(([item, each]) =>
    each.kind !== 'banded'
      ? []
      : each.bands.map((band) => [
          `\`${fieldOf(each.of)}\``,
          joined(' ', bandText(band), unitOf(each.of)),
          Object.entries(band.when ?? {})
            .map(([part, value]) => `\`${fieldOf(part)}\` ${value}`)
            .join(', '),
          `\`${id}_${item}\` ${band.points}`,
        ]),
  )
  return table(['Reading', 'Where it is', 'And', 'Points'], rows)
}

type Group = 'items' | 'measures' | 'context' | 'subtotals' | 'derived'
type Part<G extends Group> = NonNullable<ScaleDefinition[G]>[string]

/** A row for each part of a group: its field, then these cells. */
function partSection<G extends Group>(
  scale: ScaleDefinition,
  title: string,
  group: G,
  head: readonly string[],
  cells: (part: Part<G>, name: string) => readonly (string | undefined)[],
  more?: string,
): string {
  const rows = Object.entries((scale[group] ?? {}) as Record<string, Part<G>>).map(([name, part]) => [
    `\`${scale.id}_${name}\``,
    ...cells(part, name),
  ])
  return section(title, table(['Field', ...head], rows), more)
}

function doubt({ verified }: { verified?: boolean }): string {
  return verified === false ? '**Not verified.**' : ''
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
    ranges(scale, 'total', name),
  ])
  return `${rule}\n\n${table(['Coding', 'Meaning', 'Total'], rows)}`
}

function totalText(total: TotalDefinition): string {
  if (total === 'sum') return 'The sum of the items.'
  if (total.kind === 'grade') return `The grade in \`${total.item}\` itself.`
  if (total.kind === 'rule') {
    const parts = total.all.map((part) => (typeof part === 'string' ? part : `(${part.any.join(' or ')})`))
    return `1 when ${parts.join(' and ')}, else 0.`
  }
  return [
    'The sum of the items.',
    ...(total.alternatives ?? []).map((group) => `Of ${group.join(' and ')} exactly one counts.`),
    ...(total.to === undefined ? [] : [`At most ${total.to}.`]),
    ...(total.hierarchies ?? []).map((pair) => `Where ${pair.severe} scores, ${pair.replaces} does not.`),
  ].join(' ')
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
      return `by \`${recordField(derived.of) ?? derived.of}\`: ${values.join(', ')}`
    }
    case 'bodyMassIndex':
      return `${derived.of.join(' in kg ÷ (')} in m)², compared with the edges before rounding`
    case 'percentLost':
      return `(${derived.of.join(' − ')}) ÷ ${derived.of[0]} × 100, compared with the edges before rounding; a gain is 0`
    case 'banded':
      return `points of \`${recordField(derived.of) ?? derived.of}\`, as above`
    case 'cdrGlobal':
      return 'by the scoring rules (Morris 1993), where all six boxes are given. A different given one is a notice, and is kept'
    case 'gnri': {
      const [albumin, weight, height] = derived.of as [string, string, string]
      const divisors = Object.entries(derived.divisors).map(([sex, by]) => `${by} for \`${sex}\``)
      return `${derived.albumin} × ${albumin} + ${derived.weight} × ${weight} ÷ ideal weight (at most 1); ideal weight = ${height} − 100 − (${height} − 150) ÷ ${divisors.join(', ÷ ')}`
    }
  }
}

/** The range of a figure, computed from the items: in each coding where there are several, or in this one. */
function ranges(scale: ScaleDefinition, figure: string, coding?: string): string {
  const forms = scaleForms(scale).filter((form) => coding === undefined || form.coding === coding)
  const texts = forms.map((form) => {
    const domain = domainIn(scale, form, figure)
    if (domain?.kind === 'list') return rangeText(domain.values)
    if (domain?.kind !== 'decimal') return ''
    const range = `${domain.from} to ${domain.to}`
    return domain.step === undefined ? range : `${range} in steps of ${domain.step}`
  })
  return [...new Set(texts)].join(' or ')
}
