/** Why a row has its risk: asked for when it is opened, and again when a correction was scored. */
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ApiFailure } from '../../api.ts'
import { useWords } from '../../i18n/words.ts'
import { Contributions } from '../../patient/result/contributions.tsx'
import { Gauge } from '../../patient/result/gauge.tsx'
import { Notices, RangeNote } from '../../patient/result/notices.tsx'
import { PopulationNote } from '../../patient/result/population-note.tsx'
import { samplingTexts, thresholdOf } from '../../patient/result/rests-on-words.ts'
import { ScaleList } from '../../patient/result/scale-list.tsx'
import { scoreText } from '../../patient/result/score-text.ts'
import type { Explained } from '../../shapes/answers.ts'
import { useShared } from '../../state.ts'
import { AlarmNote } from '../../ui/alarm-note.tsx'
import { ChangedTerms } from '../../ui/changed-terms.tsx'
import { Failure, Loading } from '../../ui/status.tsx'
import { isYesNo, list, type ListState, type ScoredBy } from '../list-state.ts'
import { scoreUnderNewTerms } from '../score/score-list.ts'
import { riskWord } from '../table/risk-word.ts'
import { explainRow } from './explain-row.ts'

interface Answered {
  readonly answer: Explained | ApiFailure
  readonly revision: string
}

export interface RowAnswerProps {
  readonly row: number
  readonly scoredBy: ScoredBy
  /** What stands between the risk and the reasons, so that a correction and its effect are seen together. */
  readonly children: ComponentChildren
}

export function RowAnswer({ row, scoredBy, children }: RowAnswerProps): VNode {
  const { t } = useWords()
  const { results } = useShared(list)
  const [answered, setAnswered] = useState<Answered | undefined>(undefined)
  // The question is that of the cells that were scored: until a correction is answered, there is nothing to explain.
  const isUnscored = results.isUnscored(row)
  const revision = `${row} ${results.revisionOf(row)}`
  useEffect(() => {
    let isGone = false
    if (!isUnscored) {
      void explainRow(row, scoredBy).then((answer) => {
        if (!isGone && answer !== undefined) setAnswered({ answer, revision })
      })
    }
    return () => {
      isGone = true
    }
  }, [revision, isUnscored, scoredBy])
  // An answer to what the cells were before is not shown beside what they are now.
  const answer = !isUnscored && answered?.revision === revision ? answered.answer : undefined
  const isWaiting = results.unanswered.has(row)
  const explained = answer instanceof ApiFailure ? undefined : answer
  return (
    <div class="row-answer">
      {isWaiting && <p class="notice warn">{t('grid.unscored')}</p>}
      {answer === undefined && !isWaiting && <Loading text={t('app.loading')} />}
      {answer instanceof ApiFailure &&
        (answer.isOfChange ? (
          <ChangedTerms action={t('changed.all')} onLoad={() => void scoreUnderNewTerms('all')} />
        ) : (
          <Failure failure={answer} />
        ))}
      {explained !== undefined && <RowRisk answer={explained} row={row} scoredBy={scoredBy} />}
      {children}
      {explained !== undefined && <RowReasons answer={explained} scoredBy={scoredBy} />}
    </div>
  )
}

/** The risk, and what a reader should know of it. */
function RowRisk(props: {
  readonly answer: Explained
  readonly row: number
  readonly scoredBy: ScoredBy
}): VNode {
  const words = useWords()
  const { t, risk } = words
  const state = useShared(list)
  const { model, catalogue } = props.scoredBy
  const { answer, row } = props
  const { explanation } = answer
  const threshold = thresholdOf(model)
  const score = explanation === null ? undefined : scoreText(words, model, explanation)
  const word = riskWord(words, state, row)
  return (
    <>
      {explanation === null ? (
        <p class="empty-title">{t('result.none')}</p>
      ) : (
        <>
          <AlarmNote deployment={model.deployment.name} answered={state.results.alarmOf(row)} />
          <p class="risk">
            <span class="risk-figure">{risk(explanation.probability, threshold)}</span>
            {typeof answer.risk === 'string' && (
              <span class="risk-note">{t(answer.risk === 'Yes' ? 'result.yes' : 'result.no')}</span>
            )}
            {word !== '' && <span class="risk-word high">{word}</span>}
          </p>
          <BeforeCorrection row={row} threshold={threshold} />
          {score !== undefined && <p class="score">{score}</p>}
          <Gauge
            risk={explanation.probability}
            threshold={threshold}
            before={beforeOf(state, row) ?? undefined}
          />
        </>
      )}
      {explanation === null && <BeforeCorrection row={row} threshold={threshold} />}
      <RangeNote catalogue={catalogue} answer={answer} model={model} />
      <Notices catalogue={catalogue} answer={answer} />
    </>
  )
}

/** What the risk is made of, and what it rests on. */
function RowReasons(props: { readonly answer: Explained; readonly scoredBy: ScoredBy }): VNode {
  const words = useWords()
  const { model, catalogue } = props.scoredBy
  const { explanation, scales } = props.answer
  return (
    <>
      {explanation !== null && (
        <>
          <h3>{words.t('result.why')}</h3>
          <Contributions model={model} catalogue={catalogue} explanation={explanation} />
          {samplingTexts(words, explanation).map((text) => (
            <p key={text} class="quiet sampling">
              {text}
            </p>
          ))}
          <PopulationNote model={model} />
        </>
      )}
      <ScaleList catalogue={catalogue} scales={scales} />
    </>
  )
}

/** Undefined where nothing is corrected, null where the file's own cells gave no risk. */
function beforeOf({ sheet, results }: ListState, row: number): number | null | undefined {
  return sheet?.corrected.has(row) === true ? results.firstRiskOf(row) : undefined
}

/** The risk of the cells that the file had, where they were corrected. */
function BeforeCorrection(props: { readonly row: number; readonly threshold: number | undefined }): VNode {
  const words = useWords()
  const state = useShared(list)
  const before = beforeOf(state, props.row)
  if (before === undefined) return <></>
  const isWord = state.scoredBy !== undefined && isYesNo(state.scoredBy)
  const shown = (risk: number): string =>
    isWord ? words.t(risk === 1 ? 'result.yes' : 'result.no') : words.risk(risk, props.threshold)
  const text = before === null ? words.t('work.noneBefore') : shown(before)
  return (
    <p class="before-correction" role="status">
      {words.t('work.before', { risk: text })}
    </p>
  )
}
