/** The answer: the risk, for whom the model was made, what contributed, and what can be done with it. */
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { useWords, type Words } from '../../i18n/words.ts'
import type { Explained } from '../../shapes/answers.ts'
import type { Model } from '../../shapes/model.ts'
import { useShared } from '../../state.ts'
import { evidenceTexts, loadLocalEvidence, localEvidence } from '../../local-evidence.ts'
import { AlarmNote, AlarmTag } from '../../ui/alarm-note.tsx'
import { Button } from '../../ui/button.tsx'
import { ServiceText } from '../../ui/service-text.tsx'
import { reloadDeployment, type Loaded } from '../../session.ts'
import { ChangedTerms } from '../../ui/changed-terms.tsx'
import { Failure } from '../../ui/status.tsx'
import { originTexts } from './as-text.ts'
import { Contributions } from './contributions.tsx'
import { Gauge } from './gauge.tsx'
import { Notices, RangeNote } from './notices.tsx'
import { askSoon } from '../ask-patient.ts'
import { PopulationNote } from './population-note.tsx'
import { patient } from '../patient-state.ts'
import { samplingTexts, thresholdOf } from './rests-on-words.ts'
import { ResultActions } from './result-actions.tsx'
import { ScaleList } from './scale-list.tsx'
import { scoreText } from './score-text.ts'
import { RecordProblems, StillNeeded } from './still-needed.tsx'
import { CurveSection, WhatIf } from './what-if.tsx'

export function ResultPanel({ model, catalogue }: Loaded): VNode {
  const words = useWords()
  const { t } = words
  const state = useShared(patient)
  const { answer, result, status, failure, problems } = state
  const isCurrent = status === 'answered'
  const explanation = result?.explanation ?? undefined
  const isOutdated = result !== undefined && !isCurrent
  // Without a risk only what goes with it is marked: the list of missing values would flicker at every letter.
  const restsClass = isCurrent || isOutdated ? 'rests-on' : 'rests-on stale'
  const hasChanged = failure?.isOfChange === true
  return (
    <section class={isOutdated ? 'card result outdated' : 'card result'} aria-labelledby="result-title">
      <h2 id="result-title" tabIndex={-1}>
        {t('result.title')}
      </h2>
      {isOutdated && <p class="notice outdated-note">{t('result.outdated')}</p>}
      <div aria-live="polite" aria-busy={status === 'asking'} class="answer">
        {failure !== undefined && status === 'failed' && !hasChanged && (
          <Failure failure={failure} onAgain={askSoon} />
        )}
        {status === 'failed' && hasChanged && (
          <ChangedTerms action={t('changed.scoreAgain')} onLoad={() => void reloadDeployment()} />
        )}
        {result === undefined && status !== 'failed' && (
          <StillNeeded catalogue={catalogue} isIdle={status === 'idle'} />
        )}
        {result !== undefined && <AlarmNote deployment={model.deployment.name} answered={state.alarm} />}
        {result !== undefined && <RiskFigure result={result} model={model} />}
        {answer !== undefined && (
          <div class={restsClass}>
            <RangeNote catalogue={catalogue} answer={answer} model={model} />
            <Notices catalogue={catalogue} answer={answer} />
          </div>
        )}
      </div>
      <RecordProblems catalogue={catalogue} />
      {(result !== undefined || state.baseline !== undefined) && <WhatIf catalogue={catalogue} />}
      {result !== undefined && <CurveSection model={model} catalogue={catalogue} />}
      {answer !== undefined && (
        <div class={restsClass}>
          <ScaleList catalogue={catalogue} scales={answer.scales} />
        </div>
      )}
      {result !== undefined && explanation !== undefined && (
        <>
          <h3>{t('result.why')}</h3>
          <Contributions model={model} catalogue={catalogue} explanation={explanation} />
          <PopulationNote model={model} />
          <ResultActions model={model} catalogue={catalogue} isCurrent={isCurrent} />
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
          {originTexts(words, model).map((text) => (
            <>
              {text}
              <br />
            </>
          ))}
          {`${t('result.when')}: ${words.time(state.answeredAt)}`}
        </p>
      )}
    </section>
  )
}

function riskText(words: Words, model: Model, risk: Explained['risk']): string {
  if (typeof risk === 'number') return words.risk(risk, thresholdOf(model))
  return words.t(risk === 'Yes' ? 'result.yes' : 'result.no')
}

/** The risk, its exact value or score, the outcome, and the gauge. */
function RiskFigure({ result, model }: { readonly result: Explained; readonly model: Model }): VNode {
  const words = useWords()
  const { t } = words
  const { baseline } = useShared(patient)
  const evidence = useShared(localEvidence)
  const { digest } = model.deployment
  useEffect(() => void loadLocalEvidence(digest), [digest])
  const { explanation, risk } = result
  if (explanation === null) return <></>
  const { probability } = explanation
  const threshold = thresholdOf(model)
  const score = scoreText(words, model, explanation)
  return (
    <>
      <p class="risk">
        <span class="risk-figure">{riskText(words, model, risk)}</span>
        <span class="risk-note">
          {typeof risk === 'number'
            ? t('result.exact', { risk: words.fixed(risk, 4) })
            : t('result.probability', { risk: words.risk(probability, threshold) })}
        </span>
      </p>
      {baseline !== undefined && <p class="tag warn whatif-tag">{t('whatif.tag')}</p>}
      {score !== undefined && <p class="score">{score}</p>}
      <p class="outcome">
        <ServiceText text={model.card.outcome} />
      </p>
      {evidenceTexts(words, evidence, digest, probability).map((text) => (
        <p key={text} class="local-evidence">
          {text}
        </p>
      ))}
      <Gauge risk={probability} threshold={threshold} before={baseline?.result.explanation?.probability} />
      {samplingTexts(words, explanation).map((text) => (
        <p key={text} class="quiet sampling">
          {text}
        </p>
      ))}
    </>
  )
}

/** On a narrow screen the risk stays visible at the bottom, with a link to the whole result. */
export function ResultBar({ model }: Pick<Loaded, 'model'>): VNode {
  const words = useWords()
  const { t } = words
  const { result, status, problems, baseline, alarm } = useShared(patient)
  const isCurrent = status === 'answered'
  const risk = result?.risk
  const figure = risk === undefined || risk === null ? undefined : riskText(words, model, risk)
  const noteOf = (): string => {
    if (status === 'idle') return t('result.idleShort')
    if (status === 'failed') return t('result.failedShort')
    if (status === 'asking') return t('result.outdatedShort')
    if (result === undefined) return words.count('problems', problems.length)
    if (baseline !== undefined) return t('whatif.tag')
    return result.notices.length === 0 ? '' : words.count('notices', result.notices.length)
  }
  const show = (): void => {
    const title = document.getElementById('result-title')
    title?.focus({ preventScroll: true })
    title?.scrollIntoView({ block: 'start' })
  }
  return (
    <aside class="result-bar" aria-label={t('result.bar')}>
      <p>
        {figure !== undefined && isCurrent && <strong>{figure}</strong>} <span class="quiet">{noteOf()}</span>{' '}
        {figure !== undefined && isCurrent && (
          <AlarmTag deployment={model.deployment.name} answered={alarm} />
        )}
      </p>
      <Button class="small" onClick={show} text={t('result.details')} />
    </aside>
  )
}
