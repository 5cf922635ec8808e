/** The answer beside the form: the risk, how it compares, why, and what to do with it. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { fullLabelOf } from '../i18n/field-names.ts'
import { kindOf } from '../i18n/problem-words.ts'
import { useWords } from '../i18n/words.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import type { Model } from '../shapes/model.ts'
import { useShared } from '../state.ts'
import { Icon } from '../ui/icon.tsx'
import { OwnWords } from '../ui/own-words.tsx'
import { Failure } from '../ui/status.tsx'
import { resultAsText } from './as-text.ts'
import { Contributions } from './contributions.tsx'
import { Gauge } from './gauge.tsx'
import { askSoon, patient } from './patient-state.ts'
import { WhatIf } from './what-if.tsx'

export interface ResultPanelProps {
  readonly model: Model
  readonly catalogue: FieldCatalogue
}

export function ResultPanel({ model, catalogue }: ResultPanelProps): VNode {
  const words = useWords()
  const { t } = words
  const state = useShared(patient)
  const { result, status, failure, problems } = state
  const threshold = model.deployment.threshold ?? model.threshold?.risk
  const explanation = result?.explanation ?? undefined
  const probability = explanation?.probability
  return (
    <section class="card result" aria-labelledby="result-title">
      <h2 id="result-title">{t('result.title')}</h2>
      <div
        aria-live="polite"
        aria-busy={status === 'asking'}
        class={status === 'asking' ? 'stale' : undefined}
      >
        {failure !== undefined && <Failure failure={failure} onAgain={askSoon} />}
        {result === undefined && failure === undefined && (
          <StillNeeded catalogue={catalogue} isIdle={status === 'idle'} />
        )}
        {result !== undefined && probability !== undefined && (
          <>
            <p class="risk">
              <span class="risk-figure">
                {typeof result.risk === 'number'
                  ? words.percent(result.risk)
                  : t(result.risk === 'Yes' ? 'result.yes' : 'result.no')}
              </span>
              <span class="risk-note">
                {typeof result.risk === 'number'
                  ? t('result.exact', { risk: words.number(result.risk, 4) })
                  : t('result.probability', { risk: words.percent(probability) })}
              </span>
            </p>
            <p class="outcome">
              <OwnWords text={model.card.outcome} />
            </p>
            <Gauge
              risk={probability}
              threshold={threshold}
              before={state.baseline?.result.explanation?.probability}
            />
          </>
        )}
      </div>
      {result !== undefined && <WhatIf />}
      {explanation !== undefined && (
        <>
          <h3>{t('result.why')}</h3>
          <Contributions explanation={explanation} />
          <ResultActions model={model} />
        </>
      )}
      {result !== undefined && problems.length > 0 && (
        <p class="notice warn">
          {t('result.withProblems', { problems: words.count('problems', problems.length) })}
        </p>
      )}
      <p class="quiet caution">{t('result.caution')}</p>
      {result !== undefined && (
        <p class="quiet print-only">
          {`${t('result.model')}: ${model.id}@${model.version}, ${model.digest}`}
          <br />
          {`${t('result.when')}: ${words.time(Date.now())}`}
        </p>
      )}
    </section>
  )
}

function StillNeeded(props: { readonly catalogue: FieldCatalogue; readonly isIdle: boolean }): VNode {
  const { t, language } = useWords()
  const { problems } = useShared(patient)
  const { fields, scales } = props.catalogue
  if (props.isIdle) return <p class="empty-title">{t('result.idle')}</p>
  const missing = problems.filter((item) => kindOf(item) === 'missing')
  const wrong = problems.filter((item) => kindOf(item) !== 'missing')
  const link = (name: string): VNode => {
    const field = fields.find((each) => each.name === name)
    const scale = scales.find(({ id }) => id === field?.scale)
    const label = field === undefined ? { text: name } : fullLabelOf(language, field, scale)
    return (
      <li key={name}>
        <button type="button" class="link" lang={label.lang} onClick={() => showField(name)}>
          {label.text}
        </button>
      </li>
    )
  }
  return (
    <>
      {wrong.length > 0 && (
        <>
          <p class="empty-title">{t('result.wrong')}</p>
          <ul class="jump">{[...new Set(wrong.map(({ Field: name }) => name))].map(link)}</ul>
        </>
      )}
      {missing.length > 0 && (
        <>
          <p class="empty-title">{t('result.missing')}</p>
          <ul class="jump">{missing.map(({ Field: name }) => link(name))}</ul>
        </>
      )}
    </>
  )
}

/** Opens the card that a field lies in and puts the cursor there. */
export function showField(name: string): void {
  const place = document.querySelector(`[data-field="${CSS.escape(name)}"]`)
  const card =
    place?.closest('details') ??
    document.querySelector(`[data-scale="${CSS.escape(name.split('_')[0] ?? '')}"] details`)
  if (card instanceof HTMLDetailsElement) card.open = true
  requestAnimationFrame(() => {
    const input = document.querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"] input`)
    input?.focus()
    input?.scrollIntoView({ block: 'center' })
  })
}

function ResultActions({ model }: { readonly model: Model }): VNode {
  const words = useWords()
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    const { result } = patient.get()
    if (result === undefined) return
    await navigator.clipboard.writeText(resultAsText(words, model, result, Date.now()))
    setCopied(true)
    setTimeout(() => setCopied(false), 3_000)
  }
  return (
    <div class="actions">
      <button type="button" onClick={() => void copy()}>
        <Icon name="copy" />
        {words.t('result.copy')}
      </button>
      <button type="button" onClick={() => window.print()}>
        <Icon name="print" />
        {words.t('result.print')}
      </button>
      <span role="status">{isCopied ? words.t('result.copied') : ''}</span>
    </div>
  )
}
