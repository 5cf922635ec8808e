/** Says that an effect is drawn in the model's unit, where the deployment receives the field in another one. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import type { Field } from '../shapes/fields.ts'

export function ModelUnit({ field }: { readonly field: Field | undefined }): VNode {
  const { t, serviceText } = useWords()
  if (field?.modelUnit === undefined || field.modelUnit === field.unit) return <></>
  return (
    <p class="quiet">
      {t('effect.unit', { unit: serviceText(field.modelUnit), received: serviceText(field.unit ?? '') })}
    </p>
  )
}
