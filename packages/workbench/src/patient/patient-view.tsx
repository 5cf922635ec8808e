/** One patient: the inputs of the model first, then its scales, then everything else that may be recorded. */
import type { VNode } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useWords } from '../i18n/words.ts'
import type { Loaded } from '../session.ts'
import type { Field, FieldCatalogue, Scale } from '../shapes/fields.ts'
import type { Model } from '../shapes/model.ts'
import { followed, openLinkedScale } from '../link.tsx'
import { plainName } from '../list/match/match-columns.ts'
import { useShared } from '../state.ts'
import { Button } from '../ui/button.tsx'
import { ServiceText } from '../ui/service-text.tsx'
import { FieldInput } from './form/field-input.tsx'
import { clearPatient } from './change-patient.ts'
import { focusFirstField } from './first-field.ts'
import { isOwnWork, patient } from './patient-state.ts'
import { ResultBar, ResultPanel } from './result/result-panel.tsx'
import { ScaleCard } from './form/scale-card.tsx'

interface Layout {
  readonly own: readonly Field[]
  readonly usedScales: readonly Scale[]
  readonly otherScales: readonly Scale[]
  readonly otherFields: readonly Field[]
}

export function PatientView({ model, catalogue }: Loaded): VNode {
  const { t, serviceText } = useWords()
  const { identifier, opened, typed } = useShared(patient)
  // Somebody may type the next patient over this one.
  const isOther = isOwnWork({ opened, typed })
  const layout = useMemo(() => layOut(model, catalogue), [model, catalogue])
  const [search, setSearch] = useState('')
  const wanted = plainName(search)
  const linked = useShared(followed).scale
  useEffect(() => openLinkedScale(catalogue.scales.map(({ id }) => id)), [linked, catalogue])
  useEffect(focusFirstField, [])
  const found = layout.otherScales.filter(({ id, title, purpose }) =>
    [id, title, purpose, serviceText(title), serviceText(purpose)].some((text) =>
      plainName(text).includes(wanted),
    ),
  )
  const card = (scale: Scale, isUsed: boolean): VNode => {
    const fields = catalogue.fields.filter((each) => each.scale === scale.id)
    return (
      <div key={scale.id} data-scale={scale.id}>
        <ScaleCard scale={scale} fields={fields} isUsed={isUsed} />
      </div>
    )
  }
  return (
    <div class="patient">
      <div class="view-head">
        <div>
          <h1 tabIndex={-1}>{t('patient.title')}</h1>
          {identifier !== '' && (
            <p class="whose">{isOther ? t('patient.notAsInList', { identifier }) : identifier}</p>
          )}
          <p class="lead">
            <ServiceText text={model.card.summary} />
          </p>
        </div>
        <div class="actions">
          <a class="button" href="#/model">
            {t('patient.card')}
          </a>
          <Button onClick={clearPatient} text={t('patient.clear')} />
        </div>
      </div>
      <div class="two">
        <form class="questions" onSubmit={(event) => event.preventDefault()} aria-label={t('patient.form')}>
          <section class="card" aria-labelledby="own-title">
            <h2 id="own-title">{t('patient.own')}</h2>
            <FieldInputs fields={layout.own} />
          </section>
          {layout.usedScales.map((scale) => card(scale, true))}
          <h2 class="section">{t('patient.other')}</h2>
          <p class="quiet">{t('patient.otherNote')}</p>
          <label class="scale-search">
            <span>{t('patient.search')}</span>
            <input
              type="search"
              autocomplete="off"
              value={search}
              onInput={(event) => setSearch(event.currentTarget.value)}
            />
          </label>
          {found.length === 0 && <p class="quiet">{t('patient.notFound')}</p>}
          {found.map((scale) => card(scale, false))}
          {layout.otherFields.length > 0 && (
            <details class="card scale">
              <summary>
                <span class="scale-title">{t('patient.otherFields')}</span>
              </summary>
              <div class="card-body">
                <FieldInputs fields={layout.otherFields} />
              </div>
            </details>
          )}
        </form>
        <ResultPanel model={model} catalogue={catalogue} />
      </div>
      <ResultBar model={model} />
    </div>
  )
}

function FieldInputs({ fields }: { readonly fields: readonly Field[] }): VNode {
  return (
    <div class="items">
      {fields.map((field) => (
        <FieldInput key={field.name} field={field} />
      ))}
    </div>
  )
}

/** Required inputs come before those that may be left out; both in the order of the model. */
function layOut(model: Model, catalogue: FieldCatalogue): Layout {
  const own = model.inputs
    .filter(({ scale }) => scale === undefined)
    .sort((a, b) => Number(a.use !== 'required') - Number(b.use !== 'required'))
  const used = new Set(model.inputs.flatMap(({ scale }) => scale ?? []))
  return {
    own,
    usedScales: catalogue.scales.filter(({ id }) => used.has(id)),
    otherScales: catalogue.scales.filter(({ id }) => !used.has(id)),
    otherFields: catalogue.fields.filter(({ scale, use }) => scale === undefined && use === 'unused'),
  }
}
