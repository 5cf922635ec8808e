/** Checks the schemes of bands of a scale: what they name exists, every value has one band, and one scheme at most is the default. */
import { baseForm, canBothHold, totalsByItem } from '../band-schemes.ts'
import { bandsCover, bandsHaveEnds, checkValues, edgeValues } from '../cover.ts'
import { listDomain } from '../domain.ts'
import { isQuotient } from '../exact-fractions.ts'
import type { FaultList } from '../fault.ts'
import { type ScaleForm, domainIn, scaleForms, sumsOf } from '../scale-domains.ts'
import type { BandSchemeDefinition, ScaleDefinition } from '../scale.ts'

export function checkBands(scale: ScaleDefinition, faults: FaultList): void {
  const { bands = [] } = scale
  bands.forEach((scheme, index) => {
    const here = faults.at(`/${index}`)
    const before = here.faults.length
    checkNames(scale, scheme, here)
    // A scheme of a figure or a coding that does not exist reaches no value.
    if (here.faults.length === before) checkScheme(scale, scheme, here)
    bands.slice(0, index).forEach((other, at) => {
      if (!canBothHold(scheme, other)) return
      if (scheme.scheme === other.scheme)
        here.add('/scheme', 'scheme-twice', `/bands/${at} has the same name and can hold for the same record`)
      if (scheme.default === true && other.default === true)
        here.add('/default', 'two-defaults', `/bands/${at} is a default too and can hold for the same record`)
    })
  })
}

/** Every part and coding that a scheme names exists, and its conditions can be met. */
function checkNames(scale: ScaleDefinition, scheme: BandSchemeDefinition, faults: FaultList): void {
  const { of = 'total', coding, age, given, absent } = scheme
  const { items, measures, context, subtotals, derived, codings } = scale
  if (of !== 'total' && !Object.hasOwn({ ...subtotals, ...derived, ...context }, of))
    faults.add('/of', 'unknown-part', `there is no total, subtotal, derived figure or context called ${of}`)
  const forms = Object.keys(codings?.forms ?? {})
  if (coding !== undefined && !forms.includes(coding)) {
    const known = forms.length === 0 ? 'the scale has none' : `there are ${forms.join(', ')}`
    faults.add('/coding', 'unknown-coding', `there is no coding ${coding}; ${known}`)
  }
  for (const [key, part] of Object.entries({ given, absent })) {
    if (part !== undefined && !Object.hasOwn({ ...items, ...measures, ...context }, part))
      faults.add(`/${key}`, 'unknown-part', `there is no item, measure or context called ${part}`)
  }
  if (given !== undefined && given === absent)
    faults.add('/absent', 'condition', `${given} cannot be given and absent in one record`)
  if (age !== undefined && (age.from ?? -Infinity) > (age.to ?? Infinity))
    faults.add('/age', 'condition', '`from` lies above `to`')
}

/** Every value that a figure can reach falls in exactly one band. */
function checkScheme(scale: ScaleDefinition, scheme: BandSchemeDefinition, faults: FaultList): void {
  const { of = 'total', bands, rules = [] } = scheme
  rules.forEach(({ from, to }, index) => {
    if (from > to) faults.add(`/rules/${index}`, 'band-order', '`from` lies above `to`')
  })
  const forms = scaleForms(scale).filter(({ coding }) => (scheme.coding ?? coding) === coding)
  const part = gradeOf(scale, of) ?? of
  // A quotient of measures may lie anywhere, between two steps too.
  const range = isQuotient(scale.computed?.[part]) ? scale.measures?.[part] : undefined
  if (range !== undefined) bandsCover(bands, { kind: 'decimal', ...range }, faults.at('/bands'))
  else if (bandsHaveEnds(bands, faults.at('/bands')))
    checkValues(bands, reachedValues(scale, scheme, forms), faults.at('/bands'), 'be reached')
  rules.forEach(({ anyItem, from, to }, index) => {
    const here = faults.at(`/rules/${index}`)
    if (of !== 'total' || forms.some(({ total }) => total !== 'sum')) {
      here.add('', 'rule-total', 'a rule needs a total that is the plain sum of the items')
      return
    }
    const totals = forms.flatMap((form) => [...totalsByItem(form, anyItem).having])
    if (totals.length === 0) here.add('/anyItem', 'rule-value', `no item can have the value ${anyItem}`)
    else if (!totals.some((total) => total >= from && total <= to))
      here.add('', 'band-unused', `no total from ${from} to ${to} has an item with the value ${anyItem}`)
    if (rules.slice(0, index).some((other) => other.from <= to && other.to >= from))
      here.add('', 'band-overlap', 'holds for a total that an earlier rule holds for')
  })
}

/** The item that a total repeats. */
function gradeOf({ total }: ScaleDefinition, figure: string): string | undefined {
  return figure === 'total' && total !== 'sum' && total.kind === 'grade' ? total.item : undefined
}

/** Bands are those of the base values, before rounding; values of other codings are converted to them. */
function reachedValues(
  scale: ScaleDefinition,
  { of = 'total', bands }: BandSchemeDefinition,
  forms: readonly ScaleForm[],
): readonly number[] {
  const values = forms.map(baseForm).flatMap((form) => {
    const valuesOf = (part: string): readonly number[] => {
      const partDomain = domainIn(scale, form, part)
      return partDomain?.kind === 'list' ? partDomain.values : []
    }
    const derived = scale.derived?.[of]
    const unrounded =
      derived?.kind === 'quotient'
        ? valuesOf(derived.of).map((value) => value / derived.by)
        : derived?.kind === 'mean'
          ? sumsOf(derived.of.map(valuesOf)).map((sum) => sum / derived.of.length)
          : []
    const domain = domainIn(scale, form, of)
    if (domain?.kind === 'list') return [...domain.values, ...unrounded]
    if (domain?.kind !== 'decimal') return []
    // A mean that is given is rounded, and a measure has steps.
    const step = domain.step ?? 10 ** -(derived?.kind === 'mean' ? derived.decimals : 0)
    return [...edgeValues(bands, domain, step), ...unrounded]
  })
  return listDomain(values).values
}
