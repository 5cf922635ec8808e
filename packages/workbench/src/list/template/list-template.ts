/** An empty list for a model: its columns, and what each of them may hold. The page recognises the columns again. */
import { subjectOf } from '../../i18n/field-names.ts'
import { lookUp } from '../../i18n/translate.ts'
import type { Words } from '../../i18n/words.ts'
import type { Loaded } from '../../session.ts'
import type { Field } from '../../shapes/fields.ts'
import { csvText } from '../export/write-csv.ts'
import type { OutSheet } from '../export/write-xlsx.ts'
import { allowedText } from '../match/match-options.tsx'

interface TemplateColumn {
  readonly name: string
  readonly field: Field
  readonly isNeeded: boolean
}

/** A column has the reader's word for its field where the page knows it in a list, and the unit where there are several. */
export function templateColumns(words: Words, { model, catalogue }: Loaded): readonly TemplateColumn[] {
  return model.inputs.flatMap(({ name, use }) => {
    const field = catalogue.fields.find((each) => each.name === name)
    if (field === undefined) return []
    const { unit, otherUnits } = field
    const label = lookUp(words.language, `field.${name}`) ?? name
    const isOpen = otherUnits !== undefined && unit !== undefined
    return [{ name: isOpen ? `${label} (${unit})` : label, field, isNeeded: use === 'required' }]
  })
}

function headerOf({ t }: Words, columns: readonly TemplateColumn[]): readonly string[] {
  return [t('template.identifier'), ...columns.map(({ name }) => name)]
}

/** What a column may hold, and whether the model needs it. */
function noteOf(words: Words, { name, field, isNeeded }: TemplateColumn): string {
  const needed = isNeeded ? ` (${words.t('field.required')})` : ''
  return `${name}${needed}: ${allowedText(words, field)}`
}

/** One line in quotes above the names of the columns says what they may hold; the page takes it for a title, as it takes other ones. */
export function csvTemplate(words: Words, loaded: Loaded): string {
  const columns = templateColumns(words, loaded)
  const title = columns.map((each) => noteOf(words, each)).join('; ')
  return csvText([[title], headerOf(words, columns)], ';')
}

/** The list as the first sheet, which the page reads, and what its columns may hold as the second. */
export function xlsxTemplate(words: Words, loaded: Loaded): readonly OutSheet[] {
  const { t, serviceText, language } = words
  const columns = templateColumns(words, loaded)
  const head = [
    t('match.column'),
    t('template.field'),
    t('template.unit'),
    t('match.allowed'),
    t('template.needed'),
  ]
  const notes = columns.map(({ name, field, isNeeded }) => [
    name,
    subjectOf(language, loaded.catalogue, field.name).text,
    serviceText(field.unit ?? ''),
    allowedText(words, field),
    t(isNeeded ? 'result.yes' : 'result.no'),
  ])
  return [
    { name: t('template.list'), rows: [headerOf(words, columns)] },
    { name: t('match.allowed'), rows: [head, ...notes] },
  ]
}
