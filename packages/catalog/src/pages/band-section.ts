/** The bands of a scale on its page: each scheme, whom it is for, and which one is the default. */
import { schemesInUse, type BandSchemeDefinition, type ScaleDefinition } from 'patient-risk-engine/definition'
import { PAGE_TEXTS, SCALE_PAGE_TEXTS } from '../catalog/words/page-texts.ts'
import { type Say, bandText } from './inputs.ts'
import { joined, paragraphs, section, table } from './markdown.ts'
import { warning } from './origin.ts'

const T = { ...PAGE_TEXTS, ...SCALE_PAGE_TEXTS }

/** Empty where the scale has no bands. */
export function bandSection(scale: ScaleDefinition, say: Say): string {
  const { bands = [] } = scale
  const inUse = schemesInUse(scale)
  const choice = say(inUse.length === 0 ? T.noDefault : T.otherScheme)
  const isChoice = inUse.length < bands.length
  return section(
    say(T.bands),
    isChoice ? choice : '',
    ...bands.map((scheme) => bandScheme(scale, scheme, isChoice && inUse.includes(scheme), say)),
  )
}

function bandScheme(
  scale: ScaleDefinition,
  scheme: BandSchemeDefinition,
  isDefault: boolean,
  say: Say,
): string {
  const rows = scheme.bands.map(({ label, ...band }) => [bandText(band, say), label])
  const rules = (scheme.rules ?? []).map(({ anyItem, from, to, label }) =>
    say(T.anyItem, { value: anyItem, range: bandText({ from, to }, say), label }),
  )
  const people = joined(', ', ...conditions(scale, scheme, say))
  return paragraphs(
    `### ${scheme.scheme}${people && ` (${people})`}`,
    isDefault ? say(T.default) : '',
    scheme.verified ? scheme.note : warning(scheme.note ?? say(T.schemeNotConfirmed), say),
    table([`\`${scale.id}_${scheme.of ?? 'total'}\``, say(T.band)], rows),
    ...rules,
  )
}

const PEOPLE = { F: T.women, M: T.men } as const

function conditions({ id }: ScaleDefinition, scheme: BandSchemeDefinition, say: Say): readonly string[] {
  const { sex, coding, age, given, absent } = scheme
  return [
    sex === undefined ? '' : say(PEOPLE[sex]),
    coding === undefined ? '' : say(T.ofCoding, { coding }),
    age?.from === undefined ? '' : say(T.fromYears, { n: age.from }),
    age?.to === undefined ? '' : say(T.toYears, { n: age.to }),
    given === undefined ? '' : say(T.with, { field: `${id}_${given}` }),
    absent === undefined ? '' : say(T.without, { field: `${id}_${absent}` }),
  ]
}
