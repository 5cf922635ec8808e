/** Problems of a row that belong to no field that is shown: to the whole record, or to a field that has no column. */
import type { VNode } from 'preact'
import { subjectOf } from '../../i18n/field-names.ts'
import { useWords } from '../../i18n/words.ts'
import type { ErrorItem } from '../../shapes/answers.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { list } from '../list-state.ts'

export function RowProblems(props: {
  readonly row: number
  readonly catalogue: FieldCatalogue
  readonly isInFields: (item: ErrorItem) => boolean
}): VNode {
  const { language } = useWords()
  const { catalogue } = props
  const loose = list
    .get()
    .results.problemsOf(props.row)
    .filter((item) => !props.isInFields(item))
  return (
    <>
      {loose.map((item) => (
        <ProblemNote
          key={item.ExtendError}
          item={item}
          field={catalogue.fields.find(({ name }) => name === item.Field)}
          subject={subjectOf(language, catalogue, item.Field)}
        />
      ))}
    </>
  )
}
