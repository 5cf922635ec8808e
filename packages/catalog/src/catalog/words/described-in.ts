/** Fields, scales and models as they are described to people, in their language. Names, codes and units stay the same. */
import { type Words, nameIn, phraseIn } from 'patient-risk-engine/words'
import type { LinkDefinition, ModelDefinition, ScaleDefinition } from 'patient-risk-engine/definition'
import { labelIn } from '../../languages/labels.ts'
import { type FieldCatalogue, type FieldDescription, given } from '../describe-fields.ts'

export function catalogueIn(words: Words, { fields, scales, ...rest }: FieldCatalogue): FieldCatalogue {
  return {
    ...rest,
    fields: fields.map((field) => fieldIn(words, field)),
    scales: scales.map((scale) => {
      const { bands, redFlags } = scale
      return {
        ...scale,
        title: phraseIn(words, scale.title),
        purpose: phraseIn(words, scale.purpose),
        ...given({
          // The label is what `explain` gives as `band`, so the words for people stand beside it.
          bands: bands?.map((scheme) => ({
            ...scheme,
            bands: scheme.bands.map((band) => ({ ...band, text: phraseIn(words, band.label) })),
          })),
          redFlags: redFlags?.map((flag) => ({ ...flag, text: phraseIn(words, flag.text) })),
        }),
      }
    }),
  }
}

export function fieldIn(words: Words, field: FieldDescription): FieldDescription {
  const { name, scale, meaning, window, includes, excludes, note, whyAbsent, valueMeanings } = field
  const phrase = (text: string | undefined): string | undefined => text && phraseIn(words, text)
  const meanings =
    valueMeanings &&
    Object.fromEntries(Object.entries(valueMeanings).map(([value, text]) => [value, phraseIn(words, text)]))
  return {
    ...field,
    meaning: scale === undefined ? phraseIn(words, meaning) : nameIn(words, name),
    ...given({
      window: phrase(window),
      includes: phrase(includes),
      excludes: phrase(excludes),
      note: phrase(note),
      whyAbsent: phrase(whyAbsent),
      valueMeanings: meanings,
    }),
  }
}

interface Labelled {
  readonly label?: string
  readonly note?: string
  readonly meanings?: Readonly<Record<string, string>>
}

/** The texts of a scale's file that people read; names, values and schemes stay. */
export function scaleIn(words: Words, scale: ScaleDefinition): ScaleDefinition {
  const phrase = (text: string): string => phraseIn(words, text)
  const phrases = (
    texts: Readonly<Record<string, string>> | undefined,
  ): Readonly<Record<string, string>> | undefined =>
    texts && Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, phrase(text)]))
  const labelled = <Part extends Labelled>(
    parts: Readonly<Record<string, Part>> | undefined,
  ): Readonly<Record<string, Part>> | undefined =>
    parts &&
    Object.fromEntries(
      Object.entries(parts).map(([name, part]) => {
        const label = part.label && phrase(labelIn(part.label, scale.title))
        const { note, meanings } = part
        return [
          name,
          { ...part, ...given({ label, note: note && phrase(note), meanings: phrases(meanings) }) },
        ]
      }),
    )
  const { items, measures, context, subtotals, derived, bands, redFlags } = scale
  return {
    ...scale,
    title: phrase(scale.title),
    purpose: phrase(scale.purpose),
    items: labelled(items) ?? items,
    ...given({
      measures: labelled(measures),
      context: labelled(context),
      subtotals: labelled(subtotals),
      derived: labelled(derived),
      bands: bands?.map((scheme) => ({
        ...scheme,
        bands: scheme.bands.map((band) => ({ ...band, label: phrase(band.label) })),
      })),
      redFlags: redFlags?.map((flag) => ({ ...flag, text: phrase(flag.text) })),
    }),
  }
}

/** The texts of a model's file that people read; its numbers are the same. */
export function modelIn(words: Words, model: ModelDefinition): ModelDefinition {
  const { title, card, terms, inputs, threshold, link } = model
  const { summary, intendedUse, users, population, setting, outcome, missingData, development } = card
  const phrase = (text: string): string => phraseIn(words, text)
  return {
    ...model,
    title: phrase(title),
    card: {
      ...card,
      summary: phrase(summary),
      intendedUse: phrase(intendedUse),
      users: phrase(users),
      population: phrase(population),
      setting: phrase(setting),
      outcome: phrase(outcome),
      missingData: phrase(missingData),
      development: phrase(development),
      calibration: phrase(card.calibration),
      limits: card.limits.map(phrase),
      ...given({ conflicts: card.conflicts?.map(phrase) }),
      discrimination: card.discrimination.map(({ data, calibration, source, ...rest }) => ({
        ...rest,
        data: phrase(data),
        ...given({ calibration: calibration && phrase(calibration), source: source && phrase(source) }),
      })),
    },
    inputs: Object.fromEntries(
      Object.entries(inputs).map(([name, input]) => [
        name,
        {
          ...input,
          ...given({ meaning: input.meaning && phrase(input.meaning), why: input.why && phrase(input.why) }),
        },
      ]),
    ),
    terms: terms.map((term) => ({ ...term, ...given({ label: term.label && phrase(term.label) }) })),
    ...given({
      threshold: threshold && { ...threshold, note: phrase(threshold.note), cost: phrase(threshold.cost) },
    }),
    link: linkIn(words, link),
  }
}

function linkIn(words: Words, link: LinkDefinition): LinkDefinition {
  if (link.kind === 'recalibrated') return { ...link, of: linkIn(words, link.of) as typeof link.of }
  if (link.kind !== 'strata') return link
  const strata = link.strata.map((each) => ({
    ...each,
    ...given({ label: each.label && phraseIn(words, each.label) }),
  }))
  return { ...link, strata }
}
