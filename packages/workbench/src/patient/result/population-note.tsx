/** The population that the model was made for. */
import type { VNode } from 'preact'
import { useWords } from '../../i18n/words.ts'
import type { Model } from '../../shapes/model.ts'
import { ServiceText } from '../../ui/service-text.tsx'

export function PopulationNote({ model }: { readonly model: Model }): VNode {
  const { t } = useWords()
  return (
    <p class="quiet made-for">
      <strong>{t('result.madeFor')}: </strong>
      <ServiceText text={model.card.population} /> <ServiceText text={model.card.setting} />
    </p>
  )
}
