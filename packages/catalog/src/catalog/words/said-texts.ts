/**
 * Every English text of the clinical files that people read: what a language must have to be complete. Left out is what is not
 * translated: sources and notes on them, licences, schemes of bands that are called by a citation, and units that are symbols.
 */
import type { LinkDefinition, ModelDefinition } from 'patient-risk-engine/definition'
import type { Catalog } from '../catalog.ts'
import { type FieldCatalogue, describeFields } from '../describe-fields.ts'
import { labelIn } from '../../languages/labels.ts'

type Text = string | undefined

export interface SaidTexts {
  /** In the order in which a translator reads them: words, models, fields, scales, contradictions. */
  readonly needed: ReadonlySet<string>
  /** Citations and symbols, which most languages leave as they are. */
  readonly asTheyAre: ReadonlySet<string>
}

export function saidTexts(catalog: Catalog): SaidTexts {
  const { names, roles, values } = catalog.languages.english
  const models = [...catalog.models.values()].map(({ definition }) => definition)
  const described = models.map((model) => describeFields(catalog, model))
  const said = [
    ...Object.values(names),
    ...Object.values(roles),
    ...models.flatMap(modelTexts),
    ...described.flatMap(fieldTexts),
    ...Object.values(values),
    ...contradictionTexts(catalog),
  ]
  const citations = new Set(described.flatMap(schemeNames).filter((name) => CITATION.test(name)))
  const symbols = new Set(described.flatMap(({ fields }) => fields.map(({ unit }) => unit)).filter(isSymbol))
  const all = [...new Set(said)].flatMap((text) => (text === undefined || text === '' ? [] : [text]))
  const isAsItIs = (text: string): boolean => citations.has(text) || symbols.has(text)
  return {
    needed: new Set(all.filter((text) => !isAsItIs(text))),
    asTheyAre: new Set(all.filter(isAsItIs)),
  }
}

function modelTexts({ title, card, threshold, terms, inputs, link }: ModelDefinition): readonly Text[] {
  const { summary, intendedUse, users, population, setting, outcome, missingData, development } = card
  return [
    title,
    ...[summary, intendedUse, users, population, setting, outcome, missingData, development],
    card.calibration,
    ...card.limits,
    ...(card.conflicts ?? []),
    ...card.discrimination.flatMap(({ data, calibration, source }) => [data, calibration, source]),
    threshold?.note,
    threshold?.cost,
    ...terms.map(({ label }) => label),
    ...strataOf(link),
    ...Object.values(inputs).flatMap(({ meaning, why }) => [meaning, why]),
  ]
}

function strataOf(link: LinkDefinition): readonly Text[] {
  if (link.kind === 'recalibrated') return strataOf(link.of)
  return link.kind === 'strata' ? link.strata.map(({ label }) => label) : []
}

function fieldTexts({ fields, scales }: FieldCatalogue): readonly Text[] {
  return [
    ...scales.flatMap(({ title, purpose, bands, redFlags }) => [
      title,
      purpose,
      ...(redFlags ?? []).map(({ text }) => text),
      ...(bands ?? []).flatMap((scheme) => [
        scheme.scheme,
        ...[...scheme.bands, ...(scheme.rules ?? [])].map(({ label }) => label),
      ]),
    ]),
    ...fields.flatMap((field) => {
      const { meaning, window, includes, excludes, note, unit, valueMeanings } = field
      const title = scales.find(({ id }) => id === field.scale)?.title ?? ''
      return [
        title === '' ? meaning : labelIn(meaning, title),
        ...[window, includes, excludes, note],
        unit,
        ...Object.values(valueMeanings ?? {}),
      ]
    }),
  ]
}

/** The sentences of rules, and what fields say different things about. */
function contradictionTexts({ definitions }: Catalog): readonly string[] {
  return (definitions.contradictions ?? []).flatMap(({ quantities = {}, rules = [] }) => [
    ...Object.values(quantities).map(({ label }) => `the ${label}`),
    ...rules.map(({ text }) => text),
  ])
}

/** A scheme of bands that is called by its authors, an institution, its cuts and perhaps a year. */
const CITATION =
  /^(?:\d[\d /]*|(?:[A-Z0-9][\p{L}\w-]*(?:,| and| of)? ?)+(?:v[\d.]+ )?(?:\d{4})?(?: ?[(/].*)?)$/u

function schemeNames({ scales }: FieldCatalogue): readonly string[] {
  return scales.flatMap(({ bands }) => (bands ?? []).map(({ scheme }) => scheme))
}

/** Words are longer than the symbols of units, and the same in no two languages. */
function isSymbol(unit: Text): boolean {
  return unit === undefined || !/^\p{Ll}{4,}/u.test(unit) || unit === 'mmHg'
}
