/** The bands of a scale on its page: each scheme, whom it is for, and which one is the default. */
import { schemesInUse, type BandSchemeDefinition, type ScaleDefinition } from 'patient-risk-engine/definition'
import { bandText } from './inputs.ts'
import { joined, paragraphs, section, table, warning } from './markdown.ts'

/** Empty where the scale has no bands. */
export function bandSection(scale: ScaleDefinition): string {
  const { bands = [] } = scale
  const inUse = schemesInUse(scale)
  const choice =
    inUse.length === 0
      ? 'No scheme is the default. A deployment may choose one: `bands` in its configuration.'
      : 'A deployment may choose another scheme than the default: `bands` in its configuration.'
  const isChoice = inUse.length < bands.length
  return section(
    'Bands',
    isChoice ? choice : '',
    ...bands.map((scheme) => bandScheme(scale, scheme, isChoice && inUse.includes(scheme))),
  )
}

function bandScheme(scale: ScaleDefinition, scheme: BandSchemeDefinition, isDefault: boolean): string {
  const rangeOf = (from: number, to: number): string => (from === to ? String(from) : `${from} to ${to}`)
  const rows = scheme.bands.map(({ label, ...band }) => [bandText(band), label])
  const rules = (scheme.rules ?? []).map(
    ({ anyItem, from, to, label }) =>
      `Where any item is ${anyItem}, a total of ${rangeOf(from, to)} is ${label}; without the items, a total that leaves this open has no band.`,
  )
  const people = joined(', ', ...conditions(scale, scheme))
  return paragraphs(
    `### ${scheme.scheme}${people && ` (${people})`}`,
    isDefault ? '**Default.**' : '',
    scheme.verified ? scheme.note : warning(scheme.note ?? 'This scheme was not confirmed in any source.'),
    table([`\`${scale.id}_${scheme.of ?? 'total'}\``, 'Band'], rows),
    ...rules,
  )
}

const PEOPLE = { F: 'women', M: 'men' } as const

function conditions({ id }: ScaleDefinition, scheme: BandSchemeDefinition): readonly string[] {
  const { sex, coding, age, given, absent } = scheme
  return [
    sex === undefined ? '' : PEOPLE[sex],
    coding === undefined ? '' : `coding ${coding}`,
    age?.from === undefined ? '' : `from ${age.from} years`,
    age?.to === undefined ? '' : `to ${age.to} years`,
    given === undefined ? '' : `with ${id}_${given}`,
    absent === undefined ? '' : `without ${id}_${absent}`,
  ]
}
