/** The answer beside the form: the risk, how it compares, why, and what to do with it. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import type { Model } from '../shapes/model.ts'
import { useShared } from '../state.ts'
import { OwnWords } from '../ui/own-words.tsx'
import { Failure } from '../ui/status.tsx'
import { Contributions } from './contributions.tsx'
import { Gauge } from './gauge.tsx'
import { askSoon } from './ask-patient.ts'
import { patient } from './patient-state.ts'
import { ResultActions } from './result-actions.tsx'
import { LooseProblems, StillNeeded } from './still-needed.tsx'
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
                  ? words.risk(result.risk)
                  : t(result.risk === 'Yes' ? 'result.yes' : 'result.no')}
              </span>
              <span class="risk-note">
                {typeof result.risk === 'number'
                  ? t('result.exact', { risk: words.number(result.risk, 4) })
                  : t('result.probability', { risk: words.risk(probability) })}
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
      <LooseProblems catalogue={catalogue} />
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
