/** The computed figures of a scale in words, with the ranges that follow from its items. */
import { scaleForms } from '../../definition/forms.ts'
import { domainIn } from '../../definition/scale-domains.ts'
import type { DerivedDefinition, ScaleDefinition, TotalDefinition } from '../../definition/scale.ts'
import { rangeText } from './inputs.ts'

export function totalText(total: TotalDefinition): string {
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

export function derivedText(derived: DerivedDefinition): string {
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
export function totalRanges(scale: ScaleDefinition, figure: string): string {
  const names = scale.codings === undefined ? [null] : Object.keys(scale.codings.forms)
  const ranges = names.map((name) => totalRange(scale, figure, name) ?? '')
  return [...new Set(ranges)].join(' or ')
}

export function totalRange(
  scale: ScaleDefinition,
  figure: string,
  coding: string | null,
): string | undefined {
  const form = scaleForms(scale).find((each) => each.coding === coding)
  const domain = form === undefined ? undefined : domainIn(scale, form, figure)
  if (domain?.kind === 'list') return rangeText(domain.values)
  if (domain?.kind !== 'decimal') return undefined
  const range = `${domain.from} to ${domain.to}`
  return domain.step === undefined ? range : `${range} in steps of ${domain.step}`
}
