/** What a field is called for a reader: a word of the message files, else the service's own, else its name in words. */
import type { Field, FieldCatalogue, Scale } from '../shapes/fields.ts'
import { phraseOf, type Label } from './phrases.ts'
import { lookUp } from './translate.ts'
import type { Language } from './language.ts'

export function labelOf(language: Language, field: Field, scale: Scale | undefined): Label {
  const known = lookUp(language, `field.${field.name}`) ?? lookUp(language, `role.${field.role}`)
  if (known !== undefined) return { text: known }
  if (scale === undefined) return { text: inWords(field.name), lang: 'en' }
  return phraseOf(language, afterTitle(field.meaning, scale.title))
}

/** The label with the scale's title before it, for places where fields of several scales meet. */
function fullLabelOf(language: Language, field: Field, scale: Scale | undefined): Label {
  const label = labelOf(language, field, scale)
  if (scale === undefined) return label
  const title = phraseOf(language, scale.title)
  return { ...title, ...label, text: `${title.text}: ${label.text}` }
}

/** What a problem concerns: a field, or the record as a whole, its number, its risk; else the name as it was given. */
export function subjectOf(language: Language, { fields, scales }: FieldCatalogue, name: string): Label {
  const field = fields.find((each) => each.name === name)
  if (field === undefined) return { text: lookUp(language, `field.${name}`) ?? name }
  return fullLabelOf(
    language,
    field,
    scales.find(({ id }) => id === field.scale),
  )
}

/** What an effect is called: a text of the model, or the field where the model has none. */
export function effectName(
  language: Language,
  catalogue: FieldCatalogue,
  label: string,
  field?: string,
): Label {
  return label === field ? subjectOf(language, catalogue, field) : phraseOf(language, label)
}

/** `inpatientAdmissions` as "Inpatient admissions". */
export function inWords(name: string): string {
  const words = name
    .replace(/_/g, ' ')
    .replace(/([a-z])([A-Z0-9])/g, '$1 $2')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function afterTitle(meaning: string, title: string): string {
  const text = meaning.startsWith(`${title}: `) ? meaning.slice(title.length + 2) : meaning
  return text.charAt(0).toUpperCase() + text.slice(1)
}
