/** A list: a file, the meaning of its columns, scoring, and a table sorted by risk. */
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useWords } from '../i18n/words.ts'
import type { Loaded } from '../session.ts'
import { useShared } from '../state.ts'
import { DropZone } from './read/drop-zone.tsx'
import { list, type ListState } from './list-state.ts'
import { MatchView } from './match/match-view.tsx'
import { TemplateButtons } from './template/template-buttons.tsx'
import { OpenSaved } from './saved/passphrase-form.tsx'
import { cancelScoring } from './score/score-list.ts'
import { ResultsView } from './results-view.tsx'
import { Button } from '../ui/button.tsx'
import { focusHeading } from '../ui/focus-heading.ts'

/** A scored list is shown whatever is chosen; everything else needs the chosen deployment. */
export function ListView({ chosen }: { readonly chosen: Loaded | undefined }): VNode {
  const { t } = useWords()
  const { stage, saved } = useShared(list)
  useFocusOnStep(stage)
  return (
    <div class="list">
      {stage !== 'results' && (
        <div class="view-head">
          <div>
            <h1 tabIndex={-1}>{t('list.title')}</h1>
            <p class="lead">{t('list.lead')}</p>
          </div>
        </div>
      )}
      {(stage === 'empty' || stage === 'reading') &&
        chosen !== undefined &&
        (saved === undefined ? <DropZone catalogue={chosen.catalogue} /> : <OpenSaved bytes={saved} />)}
      {stage === 'empty' && chosen !== undefined && saved === undefined && <TemplateButtons {...chosen} />}
      {stage === 'matching' && chosen !== undefined && <MatchView {...chosen} />}
      {stage === 'scoring' && <ProgressView />}
      {stage === 'results' && <ResultsView chosen={chosen} />}
    </div>
  )
}

/** The button that led to the next step is gone, and the focus with it: the heading of the step takes it. */
function useFocusOnStep(stage: ListState['stage']): void {
  const before = useRef(stage)
  useEffect(() => {
    if (before.current === stage) return undefined
    before.current = stage
    return document.activeElement === document.body ? focusHeading() : undefined
  }, [stage])
}

/** Scoring as it goes: how far, how long still, and a way to stop. */
function ProgressView(): VNode {
  const words = useWords()
  const { t } = words
  const { progress } = useShared(list)
  if (progress === undefined) return <></>
  const { done, total, startedAt, waitS } = progress
  const share = total === 0 ? 1 : done / total
  const leftS = done === 0 ? undefined : ((Date.now() - startedAt) / 1000) * ((total - done) / done)
  return (
    <section class="card progress" aria-labelledby="progress-title">
      <h2 id="progress-title" class="step-title" tabIndex={-1}>
        {t('progress.title')}
      </h2>
      <progress max={1} value={share} aria-labelledby="progress-title" />
      <p role="status">
        {waitS === undefined
          ? t('progress.done', { done: words.number(done), rows: words.count('rows', total) })
          : t('progress.waiting', { seconds: waitS })}
      </p>
      {/* While the service does not answer, nobody knows how long it takes. */}
      {waitS === undefined && (
        <p class="quiet">{leftS === undefined ? t('progress.estimating') : leftText(words, leftS)}</p>
      )}
      <Button onClick={cancelScoring} text={t('progress.cancel')} />
    </section>
  )
}

function leftText(words: ReturnType<typeof useWords>, seconds: number): string {
  if (seconds < 60) return words.t('progress.seconds', { n: Math.max(1, Math.round(seconds)) })
  return words.t('progress.minutes', { n: Math.round(seconds / 60) })
}
