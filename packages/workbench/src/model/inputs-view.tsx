/** What the model asks: every input with what it may hold and what it means. */
import type { VNode } from 'preact'
import { subjectOf } from '../i18n/field-names.ts'
import { allowedOf } from '../i18n/problem-words.ts'
import { useWords } from '../i18n/words.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import type { Model } from '../shapes/model.ts'
import { ServiceText } from '../ui/service-text.tsx'
import { Table, tableRow } from '../ui/table.tsx'

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
      <Table
        caption={t('model.inputs')}
        columns={[t('model.input'), t('match.allowed'), t('model.meaning')]}
        texts={[1, 2]}
        rows={model.inputs.map((field) => {
          // A model may word the meaning of an item for itself; the name of the item stays that of its scale.
          const label = subjectOf(language, catalogue, field.name)
          const head = (
            <>
              <span lang={label.lang}>{label.text}</span>
              <code>{field.name}</code>
            </>
          )
          const allowed = field.type === 'boolean' ? t('match.yesNo') : allowedOf(words, field)
          return tableRow(head, allowed, <ServiceText text={field.meaning} />)
        })}
      />
    </section>
  )
}
