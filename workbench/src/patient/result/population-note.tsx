/** The population that the model was made for, and the values of this patient that are rare in its data. */
import type { VNode } from 'preact'
import { useWords } from '../../i18n/words.ts'
import type { PatientRecord } from '../../shapes/answers.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import type { Model } from '../../shapes/model.ts'
import { ServiceText } from '../../ui/service-text.tsx'
import { uncommonText } from './as-text.ts'
import { isOutside, uncommonValues } from './typical-patient.ts'

export interface PopulationNoteProps {
  readonly model: Model
  readonly catalogue: FieldCatalogue
  readonly record: PatientRecord
}

export function PopulationNote({ model, catalogue, record }: PopulationNoteProps): VNode {
  const words = useWords()
  const uncommon = uncommonValues(model, record)
  return (
    <div class="made-for">
      <p class="quiet">
        <strong>{words.t('result.madeFor')}: </strong>
        <ServiceText text={model.card.population} /> <ServiceText text={model.card.setting} />
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
