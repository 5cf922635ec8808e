/** What the model asks: every input with what it may hold and what it means. */
import type { VNode } from 'preact'
import { subjectOf } from '../i18n/field-names.ts'
import { allowedOf } from '../i18n/problem-words.ts'
import { useWords } from '../i18n/words.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import type { Model } from '../shapes/model.ts'
import { ServiceText } from '../ui/service-text.tsx'

export function InputsView(props: { readonly model: Model; readonly catalogue: FieldCatalogue }): VNode {
  const { model, catalogue } = props
  const words = useWords()
  const { t, language } = words
  return (
    <section class="card" aria-labelledby="inputs-title">
      <h2 id="inputs-title">{t('model.inputs')}</h2>
      <p>
        <ServiceText text={model.card.missingData} />
      </p>
      <div class="scroll-x" tabIndex={0} role="group" aria-labelledby="inputs-title">
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">{t('model.input')}</th>
              <th scope="col">{t('match.allowed')}</th>
              <th scope="col">{t('model.meaning')}</th>
            </tr>
          </thead>
          <tbody>
            {model.inputs.map((field) => {
              // A model may word the meaning of an item for itself; the name of the item stays that of its scale.
              const label = subjectOf(language, catalogue, field.name)
              return (
                <tr key={field.name}>
                  <th scope="row">
                    <span lang={label.lang}>{label.text}</span>
                    <code>{field.name}</code>
                  </th>
                  <td>{field.type === 'boolean' ? t('match.yesNo') : allowedOf(words, field)}</td>
                  <td>
                    <ServiceText text={field.meaning} />
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </section>
  )
}
