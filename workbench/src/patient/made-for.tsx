/** Beside the number: for whom the model was made, and which of this patient's values few had in its data. */
import type { VNode } from 'preact'
import { subjectOf } from '../i18n/field-names.ts'
import { useWords, type Words } from '../i18n/words.ts'
import type { PatientRecord } from '../shapes/answers.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import type { Model } from '../shapes/model.ts'
import { OwnWords } from '../ui/own-words.tsx'
import { uncommonValues, type Uncommon } from './typical-patient.ts'

export interface MadeForProps {
  readonly model: Model
  readonly catalogue: FieldCatalogue
  readonly record: PatientRecord
}

export function MadeFor({ model, catalogue, record }: MadeForProps): VNode {
  const words = useWords()
  const uncommon = uncommonValues(model.profile, record)
  return (
    <div class="made-for">
      <p class="quiet">
        <strong>{words.t('result.madeFor')}: </strong>
        <OwnWords text={model.card.population} /> <OwnWords text={model.card.setting} />
      </p>
      {uncommon.length > 0 && (
        <ul class={uncommon.some(({ share }) => share === 0) ? 'notice warn uncommon' : 'quiet uncommon'}>
          {uncommon.map((each) => (
            <li key={each.field}>{uncommonText(words, catalogue, each)}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

function uncommonText(words: Words, catalogue: FieldCatalogue, each: Uncommon): string {
  const { t } = words
  const name = subjectOf(words.language, catalogue, each.field).text
  const field = catalogue.fields.find((known) => known.name === each.field)
  const meaning = each.code === undefined ? undefined : field?.valueMeanings?.[each.code]
  const range =
    each.code !== undefined
      ? meaning === undefined
        ? each.code
        : words.own(meaning)
      : each.below === undefined
        ? t('uncommon.from', { from: words.number(each.from ?? 0) })
        : t('uncommon.below', { below: words.number(each.below) })
  return each.share === 0
    ? t('uncommon.none', { name, range })
    : t('uncommon.share', { name, range, share: words.percent(each.share, 0) })
}
