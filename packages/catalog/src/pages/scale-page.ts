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
import type { Words } from 'patient-risk-engine/words'
import { PAGE_TEXTS, SCALE_PAGE_TEXTS } from '../catalog/words/page-texts.ts'
import { MODEL_CARD_TEXTS, REASON_TEXTS } from '../catalog/words/service-texts.ts'
import { type Say, bandText, orList, rangeText, sayIn, valuesText } from './inputs.ts'
import { facts, joined, list, page, section, table } from './markdown.ts'
import { origin, warning } from './origin.ts'

const T = { ...SCALE_PAGE_TEXTS, ...PAGE_TEXTS, ...MODEL_CARD_TEXTS }

const DIRECTION = {
  higherIsBetter: T.higherIsBetter,
  higherIsWorse: T.higherIsWorse,
  categorical: T.categorical,
} as const

/** In a language, where one is given; then the texts of the scale are in it already. */
export function scalePage(catalog: Catalog, scale: ScaleDefinition, words?: Words): string {
  const say = sayIn(words)
  const users = [...catalog.models].filter(([, { definition }]) =>
    Object.hasOwn(definition.scales ?? {}, scale.id),
  )
  const computed = Object.entries(scale.computed ?? {}).map(([name, each]) =>
    say(T.whenNotGiven, { field: `\`${scale.id}_${name}\``, how: derivedText(each, say) }),
  )
  return page([
    `# ${scale.title}`,
    scale.purpose,
    scale.unverified && warning(scale.unverified.join(' '), say),
    facts({
      [say(T.name)]: `\`${scale.id}\``,
      [say(T.version)]: scale.version,
      [say(T.direction)]: say(DIRECTION[scale.direction]),
      [say(T.total)]: ranges(scale, 'total', say),
      [say(T.usedBy)]: users.map(([key]) => `\`${key}\``).join(', ') || say(T.noModel),
    }),
    partSection(
      scale,
      say,
      T.items,
      'items',
      [T.item, T.permittedValues, T.meaning],
      (item) => {
        const meanings = Object.entries(item.meanings ?? {}).map(([value, meaning]) => `${value}: ${meaning}`)
        return [
          item.label,
          item.values.join(', '),
          joined(' ', doubt(item, say), meanings.join('; '), item.note),
        ]
      },
      scale.itemMeaning,
    ),
    partSection(
      scale,
      say,
      T.measures,
      'measures',
      [T.what, T.permittedValues, T.unit, T.note],
      (measure) => {
        const { label, from, to, step, unit, note } = measure
        return [label, say(T.rangeInSteps, { from, to, step }), unit, joined(' ', doubt(measure, say), note)]
      },
    ),
    section(say(T.fromReading), readings(catalog, scale, say)),
    partSection(scale, say, T.besideItems, 'context', [T.what, T.permittedValues, T.note], (context) => {
      const { label, values, note } = context
      const codes = codeMeanings(context)
      const shown =
        codes === undefined ? Object.values(values).join(', ') : valuesText(Object.keys(codes), codes, say)
      return [label, shown, note]
    }),
    section(say(T.codings), codings(scale, say)),
    section(
      say(T.total),
      totalText(scale.total, say),
      say(SCALE_PAGE_TEXTS.day, {
        field: `\`${scale.id}_date\``,
        first: formatDate(EARLIEST_DATE),
      }),
    ),
    section(say(T.computedValues), list(computed)),
    partSection(
      scale,
      say,
      T.subtotals,
      'subtotals',
      [T.what, T.items, SCALE_PAGE_TEXTS.range],
      ({ label, items }, name) => [label, items.join(', '), ranges(scale, name, say)],
    ),
    partSection(
      scale,
      say,
      T.derived,
      'derived',
      [T.what, T.how, SCALE_PAGE_TEXTS.range],
      (derived, name) => [derived.label ?? name, derivedText(derived, say), ranges(scale, name, say)],
    ),
    bandSection(scale, say),
    section(say(T.redFlags), list(redFlags(scale, say))),
    section(say(T.variants), list(scale.variants)),
    origin(scale, say),
  ])
}

/** Items that ask for action whatever the total: what is said, and who says so. */
function redFlags({ id, redFlags: flags = [] }: ScaleDefinition, say: Say): readonly string[] {
  return flags.map(({ items, text, source, ...ends }) => {
    const fields = items.map((item) => `\`${id}_${item}\``).join(', ')
    return `${fields}, ${bandText(ends, say)}: ${text} (${source})`
  })
}

/** Every band of every reading, one to a row, as charts print them. */
function readings(
  { fields }: Catalog,
  { id, measures = {}, computed = {} }: ScaleDefinition,
  say: Say,
): string {
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
          joined(' ', bandText(band, say), unitOf(each.of)),
          Object.entries(band.when ?? {})
            .map(([part, value]) => `\`${fieldOf(part)}\` ${value}`)
            .join(', '),
          `\`${id}_${item}\` ${band.points}`,
        ]),
  )
  return table(
    [T.reading, T.whereItIs, SCALE_PAGE_TEXTS.and, T.points].map((text) => say(text)),
    rows,
  )
}

type Group = 'items' | 'measures' | 'context' | 'subtotals' | 'derived'
type Part<G extends Group> = NonNullable<ScaleDefinition[G]>[string]

/** A row for each part of a group: its field, then these cells. */
function partSection<G extends Group>(
  scale: ScaleDefinition,
  say: Say,
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
  const heads = [T.field, ...head].map((text) => say(text))
  return section(say(title), table(heads, rows), more)
}

function doubt({ verified }: { verified?: boolean }, say: Say): string {
  return verified === false ? say(T.notVerified) : ''
}

function codings(scale: ScaleDefinition, say: Say): string {
  if (scale.codings === undefined) return ''
  const fallback = scale.codings.default
  const field = `\`${scale.id}_coding\``
  const rule =
    fallback === null
      ? say(T.mustDeclare, { field })
      : say(T.mayDeclare, { field, coding: `\`${fallback}\`` })
  const rows = Object.entries(scale.codings.forms).map(([name, form]) => [
    `\`${name}\``,
    form.meaning,
    ranges(scale, 'total', say, name),
  ])
  return `${rule}\n\n${table([say(T.coding), say(T.meaning), say(T.total)], rows)}`
}

function totalText(total: TotalDefinition, say: Say): string {
  if (total === 'sum') return say(T.sumOfItems)
  if (total.kind === 'grade') return say(T.gradeItself, { item: `\`${total.item}\`` })
  if (total.kind === 'rule') {
    const parts = total.all.map((part) => (typeof part === 'string' ? part : `(${orList(part.any, say)})`))
    return say(T.oneWhen, { parts: andList(parts, say) })
  }
  return [
    say(T.sumOfItems),
    ...(total.alternatives ?? []).map((group) => say(T.exactlyOne, { items: andList(group, say) })),
    ...(total.to === undefined ? [] : [say(T.atMost, { to: total.to })]),
    ...(total.hierarchies ?? []).map(({ severe, replaces }) =>
      say(T.hierarchy, { severe, replaced: replaces }),
    ),
  ].join(' ')
}

function derivedText(derived: DerivedDefinition, say: Say): string {
  switch (derived.kind) {
    case 'sum':
      return say(T.sumOf, { parts: derived.of.join(', ') })
    case 'mean':
      return say(T.meanOf, { n: derived.of.length, decimals: derived.decimals })
    case 'countAtLeast':
      return say(T.countAtLeast, { n: derived.of.length, least: derived.atLeast })
    case 'shifted': {
      const shifts = Object.entries(derived.points).map(
        ([code, shift]) => `${code} ${shift > 0 ? '+' : ''}${shift}`,
      )
      const { of: what, by, from, to } = derived
      return say(T.shifted, { what, by, shifts: shifts.join(', '), from, to })
    }
    case 'quotient':
      return say(T.quotient, { what: derived.of, by: derived.by })
    case 'inverse':
      return say(T.inverse, {
        what: derived.numerator,
        by: derived.of,
        decimals: derived.decimals,
      })
    case 'sumWithin':
      return say(T.sumWithin, {
        parts: derived.of.join(' + '),
        from: derived.from,
        to: derived.to,
      })
    case 'byCode': {
      const values = Object.entries(derived.values).map(([code, value]) =>
        say(T.codeIs, { code: `\`${code}\``, value }),
      )
      const what = `\`${recordField(derived.of) ?? derived.of}\``
      return say(T.byCode, { what, values: values.join(', ') })
    }
    case 'bodyMassIndex':
      return say(T.bodyMassIndex, { weight: derived.of[0] ?? '', height: derived.of[1] ?? '' })
    case 'percentLost':
      return say(T.percentLost, { before: derived.of[0] ?? '', now: derived.of[1] ?? '' })
    case 'banded':
      return say(T.banded, { what: `\`${recordField(derived.of) ?? derived.of}\`` })
    case 'cdrGlobal':
      return say(T.cdrGlobal)
    case 'gnri': {
      const [albumin, weight, height] = derived.of as [string, string, string]
      const divisors = Object.entries(derived.divisors).map(([sex, by]) =>
        say(T.divisor, { by, sex: `\`${sex}\`` }),
      )
      return say(T.gnri, {
        albuminFactor: derived.albumin,
        albumin,
        weightFactor: derived.weight,
        weight,
        height,
        divisors: divisors.join(', ÷ '),
      })
    }
  }
}

function andList(parts: readonly string[], say: Say): string {
  return parts.reduce((first, last) => say(REASON_TEXTS.and, { first, last }))
}

/** The range of a figure, computed from the items: in each coding where there are several, or in this one. */
function ranges(scale: ScaleDefinition, figure: string, say: Say, coding?: string): string {
  const forms = scaleForms(scale).filter((form) => coding === undefined || form.coding === coding)
  const texts = forms.map((form) => {
    const domain = domainIn(scale, form, figure)
    if (domain?.kind === 'list') return rangeText(domain.values, say)
    if (domain?.kind !== 'decimal') return ''
    const { from, to, step } = domain
    return step === undefined ? say(T.range, { from, to }) : say(T.rangeInSteps, { from, to, step })
  })
  return orList([...new Set(texts)], say)
}
