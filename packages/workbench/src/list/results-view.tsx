/** A scored list: its figures, histogram, data quality, filters, table and downloads. All of it belongs to what scored it. */
import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { useWords } from '../i18n/words.ts'
import { isExample, offlineFacts } from '../service.ts'
import type { Loaded } from '../session.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import { useShared } from '../state.ts'
import { AlarmNote } from '../ui/alarm-note.tsx'
import { Button } from '../ui/button.tsx'
import { ServiceText } from '../ui/service-text.tsx'
import { ChangedTerms } from '../ui/changed-terms.tsx'
import { Failure } from '../ui/status.tsx'
import { DownloadMenu } from './export/download-menu.tsx'
import { markOf } from './history/marks.ts'
import { Histogram } from './summary/histogram.tsx'
import { discardList } from './leave-list.ts'
import {
  identifiersOf,
  isYesNo,
  list,
  listThreshold,
  orderedText,
  searchedText,
  type ListState,
  type ScoredBy,
} from './list-state.ts'
import { unitHint } from './match/likely-unit.ts'
import { unitHintText } from './match/reading-options.tsx'
import { PatientPanel } from './panel/patient-panel.tsx'
import { OfferNote } from './offer-note.tsx'
import { ListDoubtsNote } from './summary/list-doubts-note.tsx'
import { OverviewToggle, isOverviewFirst } from './summary/overview-toggle.tsx'
import { SummaryLine } from './summary/summary-line.tsx'
import { Duplicates } from './table/duplicates.ts'
import type { Filter } from './table/filter-rows.ts'
import { ListTools } from './table/list-tools.tsx'
import { orderRows } from './table/order-rows.ts'
import { summarise } from './summary/quality.ts'
import { QualityView } from './summary/quality-view.tsx'
import { ResultTable } from './table/result-table.tsx'
import { sentColumns } from './score/row-text.ts'
import { scoreRows } from './score/score-rows.ts'
import { resumeScoring, scoreAgain, scoreUnderNewTerms } from './score/score-list.ts'

/** `chosen` is the deployment that is chosen at the moment; undefined while it loads. */
export function ResultsView({ chosen }: { readonly chosen: Loaded | undefined }): VNode {
  const words = useWords()
  const { t } = words
  const state = useShared(list)
  const { sheet, results, version, filter, order, scoredBy } = state
  const threshold = scoredBy === undefined ? undefined : listThreshold(scoredBy)
  const duplicates = useMemo(() => new Duplicates(identifiersOf(state)), [sheet, state.matches])
  const quality = useMemo(
    () => summarise(results, threshold, duplicates),
    [results, version, threshold, duplicates],
  )
  const [isOverview, setOverview] = useState(isOverviewFirst)
  // A corrected row stays where it is, so the order does not follow the version of the cells.
  const rows = useMemo(
    () =>
      orderRows(results, filter, order, threshold, {
        cell: (row, column) => orderedText(state, row, column),
        state: (row) => markOf(state.marks, row).state,
        searched: (row) => searchedText(state, row),
        isDuplicate: (row) => duplicates.has(row),
      }),
    [results, results.done, filter, order, threshold, sheet, duplicates],
  )
  if (sheet === undefined || scoredBy === undefined) return <></>
  const hasChanged = state.failure?.isOfChange === true
  const hasSide = state.openRow !== undefined || isOverview
  const setFilter = (parts: Partial<Filter>): void => list.patch({ filter: { ...filter, ...parts } })
  return (
    <>
      <div class="results-head">
        <div>
          <h1 tabIndex={-1}>{t('list.title')}</h1>
          <Origin scoredBy={scoredBy} name={sheet.name} againAt={results.againAt} />
        </div>
        <div class="actions">
          <DownloadMenu rows={rows} quality={quality} />
          <Button onClick={() => list.patch({ stage: 'matching' })} text={t('list.rematch')} />
          <Button onClick={discardList} text={t('list.new')} />
        </div>
      </div>
      <AlarmNote deployment={scoredBy.deployment.name} answered={results.alarm} />
      <OtherDeployment scoredBy={scoredBy} chosen={chosen} />
      {state.isCancelled && results.done < results.size && (
        <div class="notice warn" role="alert">
          <p>
            {t('list.cancelled', {
              done: words.number(results.done),
              rows: words.count('rows', results.size),
            })}
          </p>
          {!hasChanged && <Button onClick={() => void resumeScoring()} text={t('list.goOn')} />}
        </div>
      )}
      {results.unanswered.size > 0 && !hasChanged && (
        <div class="notice warn" role="alert">
          <p>{t('list.unscored', { rows: words.count('unscored', results.unanswered.size) })}</p>
          <Button onClick={() => void scoreRows([...results.unanswered])} text={t('list.scoreNow')} />
        </div>
      )}
      {state.failure !== undefined && !hasChanged && <Failure failure={state.failure} />}
      {hasChanged && (
        <ChangedTerms action={t('changed.rest')} onLoad={() => void scoreUnderNewTerms('remaining')} />
      )}
      {results.states > 1 && (
        <div class="notice warn" role="status">
          <p>{t('list.states', { n: words.number(results.states) })}</p>
          <Button onClick={() => void scoreUnderNewTerms('all')} text={t('list.scoreAll')} />
        </div>
      )}
      <ListDoubtsNote doubts={state.doubts} catalogue={scoredBy.catalogue} />
      <UnitHints state={state} catalogue={scoredBy.catalogue} />
      <div class="results-tools">
        <div class="results-line">
          <SummaryLine quality={quality} scoredBy={scoredBy} filter={filter} onFilter={setFilter} />
          <OverviewToggle isOpen={isOverview} onToggle={() => setOverview(!isOverview)} />
        </div>
        <ListTools
          rows={rows}
          catalogue={scoredBy.catalogue}
          quality={quality}
          isYesNo={isYesNo(scoredBy)}
          threshold={threshold}
        />
      </div>
      <div class={hasSide ? 'results-body with-side' : 'results-body'}>
        <div class="results-main">
          {state.offer !== undefined && <OfferNote offer={state.offer} />}
          <ResultTable rows={rows} scoredBy={scoredBy} duplicates={duplicates} isOverview={isOverview} />
        </div>
        <div class="results-side">
          {state.openRow !== undefined && (
            <PatientPanel row={state.openRow} rows={rows} duplicates={duplicates} scoredBy={scoredBy} />
          )}
          <div class={isOverview ? 'overview' : 'overview closed'} id="overview">
            <section class="card" aria-labelledby="histogram-title">
              <h2 id="histogram-title">{t('histogram.title')}</h2>
              <Histogram
                results={results}
                version={version}
                threshold={threshold}
                isYesNo={isYesNo(scoredBy)}
                range={filter.range}
                onRange={(range) => setFilter({ range })}
              />
            </section>
            <section class="card" aria-labelledby="quality-title">
              <h2 id="quality-title">{t('quality.title')}</h2>
              <QualityView
                quality={quality}
                catalogue={scoredBy.catalogue}
                filter={filter}
                onFilter={setFilter}
              />
            </section>
          </div>
        </div>
      </div>
    </>
  )
}

/** The file, and what scored it when. It is printed with the list. */
function Origin(props: {
  readonly scoredBy: ScoredBy
  readonly name: string
  readonly againAt: number
}): VNode {
  const words = useWords()
  const { name, againAt } = props
  const { model, deployment, at } = props.scoredBy
  return (
    <p class="quiet origin">
      {name} · <ServiceText text={model.title} /> · {`${model.id} ${model.version}`} ·{' '}
      {words.t(deployment.output === 'number' ? 'app.number' : 'app.yesNo')}
      {deployment.threshold !== undefined &&
        ` (${words.t('gauge.threshold', { threshold: words.threshold(deployment.threshold) })})`}{' '}
      · {words.time(at)}
      {againAt > 0 && ` · ${words.t('list.scoredAgain', { time: words.time(againAt) })}`}
      {offlineFacts() !== undefined && (
        <span class="print-only">{words.t(isExample() ? 'example.origin' : 'offline.origin')}</span>
      )}
    </p>
  )
}

/** Columns whose median fits another unit better than the one that they were read in. */
function UnitHints(props: { readonly state: ListState; readonly catalogue: FieldCatalogue }): VNode {
  const words = useWords()
  const { sheet, matches, readings, version } = props.state
  const { catalogue } = props
  const hints = useMemo(() => {
    if (sheet === undefined) return []
    return sentColumns({ matches, readings }, catalogue.fields).flatMap(({ column, field, reading }) => {
      const hint = unitHint(sheet, column, field, reading)
      return hint === undefined ? [] : [{ hint, name: sheet.columns[column] ?? '' }]
    })
  }, [sheet, matches, readings, version, catalogue])
  return (
    <>
      {hints.map(({ hint, name }) => (
        <p key={name} class="notice warn" role="status">
          <strong>{`${name}: `}</strong>
          {unitHintText(words, hint)}
        </p>
      ))}
    </>
  )
}

/** Another deployment is chosen than the one that scored the list: the list stays as it is until it is scored again. */
function OtherDeployment(props: { readonly scoredBy: ScoredBy; readonly chosen: Loaded | undefined }): VNode {
  const { t, serviceText } = useWords()
  const { scoredBy, chosen } = props
  if (chosen === undefined) return <></>
  const { deployment, title } = chosen.model
  const { name, digest } = scoredBy.model.deployment
  if (deployment.name === name && deployment.digest === digest) return <></>
  const kind = t(deployment.output === 'number' ? 'app.number' : 'app.yesNo')
  return (
    <div class="notice warn" role="status">
      <p>{t('list.otherDeployment', { name: scoredBy.deployment.name })}</p>
      <Button
        onClick={() => void scoreAgain(chosen.model, chosen.catalogue)}
        text={t('list.again', { name: `${serviceText(title)} (${kind})` })}
      />
    </div>
  )
}
