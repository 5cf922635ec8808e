/** Beside the number: for whom the model was made, and which of this patient's values few had in its data. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import type { PatientRecord } from '../shapes/answers.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import type { Model } from '../shapes/model.ts'
import { OwnWords } from '../ui/own-words.tsx'
import { uncommonText } from './as-text.ts'
import { isOutside, uncommonValues } from './typical-patient.ts'

export interface MadeForProps {
  readonly model: Model
  readonly catalogue: FieldCatalogue
  readonly record: PatientRecord
}

export function MadeFor({ model, catalogue, record }: MadeForProps): VNode {
  const words = useWords()
  const uncommon = uncommonValues(model, record)
  return (
    <div class="made-for">
      <p class="quiet">
        <strong>{words.t('result.madeFor')}: </strong>
        <OwnWords text={model.card.population} /> <OwnWords text={model.card.setting} />
      </p>
      {uncommon.length > 0 && (
        <ul class={uncommon.some(isOutside) ? 'notice warn uncommon' : 'quiet uncommon'}>
          {uncommon.map((each) => (
            <li key={each.field}>{uncommonText(words, catalogue, each)}</li>
          ))}
        </ul>
      )}
    </div>
  )
}
