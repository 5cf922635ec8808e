/** Why a row has its risk, or why it has none, in one line: "↑ Inpatient admissions 5, Age 96 ↓ Length of stay 1". */
import { effectName, subjectOf } from '../../i18n/field-names.ts'
import { kindOf } from '../../i18n/problem-kind.ts'
import type { Words } from '../../i18n/words.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import { textOfCell, type ListState } from '../list-state.ts'
import type { Effect } from '../score/row-reasons.ts'

const MOST_PROBLEMS = 2

export function reasonText(words: Words, state: ListState, row: number): string {
  const catalogue = state.scoredBy?.catalogue
  if (catalogue === undefined) return ''
  const problems = problemTexts(words, catalogue, state, row)
  return [...problems, ...effectTexts(words, catalogue, state, row)].join(' · ')
}

/** "Age: missing" for the first problems of a row. */
function problemTexts(
  words: Words,
  catalogue: FieldCatalogue,
  { results }: ListState,
  row: number,
): readonly string[] {
  return results
    .problemsOf(row)
    .slice(0, MOST_PROBLEMS)
    .map((item) => {
      const { text } = subjectOf(words.language, catalogue, item.Field)
      return `${text}: ${words.t(`kind.${kindOf(item)}`)}`
    })
}

function effectTexts(
  words: Words,
  catalogue: FieldCatalogue,
  state: ListState,
  row: number,
): readonly string[] {
  const { effects, reasons } = state.results
  const said = (reasons[row] ?? []).flatMap((place) => {
    const effect = effects[Math.abs(place) - 1]
    return effect === undefined
      ? []
      : [{ raises: place > 0, text: effectText(words, catalogue, state, row, effect) }]
  })
  return [true, false].flatMap((raises) => {
    const texts = said.filter((each) => each.raises === raises).map(({ text }) => text)
    return texts.length === 0 ? [] : [`${raises ? '↑' : '↓'} ${texts.join(', ')}`]
  })
}

/** The name of an effect, and the cell that it comes from where there is one. */
function effectText(
  words: Words,
  catalogue: FieldCatalogue,
  { sheet, matches }: ListState,
  row: number,
  { label, fields }: Effect,
): string {
  const [field = ''] = fields
  const { text } = effectName(words.language, catalogue, label, field)
  const column = fields.length === 1 ? matches.indexOf(field) : -1
  const cell = sheet === undefined || column < 0 ? '' : textOfCell(sheet, row, column)
  return cell === '' ? text : `${text} ${cell}`
}
