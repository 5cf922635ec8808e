/** A scored list: figures, histogram, quality of the data, filters, table, and what can be taken away. */
import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { useWords } from '../i18n/words.ts'
import { saveFile } from '../save-file.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import type { Model } from '../shapes/model.ts'
import { useShared } from '../state.ts'
import { Icon } from '../ui/icon.tsx'
import { OwnWords } from '../ui/own-words.tsx'
import { Failure } from '../ui/status.tsx'
import { exportList, fileNameFor, type ExportKind } from './export-list.ts'
import { FilterBar } from './filter-bar.tsx'
import { Histogram } from './histogram.tsx'
import { EMPTY_LIST, list, textOfCell } from './list-state.ts'
import { orderRows, type Filter } from './order-rows.ts'
import { summarise } from './quality.ts'
import { QualityView } from './quality-view.tsx'
import { ResultTable } from './result-table.tsx'
import { RowDetail } from './row-detail.tsx'
import { resumeScoring, scoreList } from './score-list.ts'

export function ResultsView(props: { readonly model: Model; readonly catalogue: FieldCatalogue }): VNode {
  const { model, catalogue } = props
  const words = useWords()
  const { t } = words
  const state = useShared(list)
  const { sheet, results, version, filter, order } = state
  const isYesNo = model.deployment.output === 'yes-no'
  const threshold = isYesNo ? 1 : model.threshold?.risk
  const quality = useMemo(() => summarise(results, threshold), [results, version, threshold])
  // A row that was put right stays where it is, so the order does not follow the version of the cells.
  const rows = useMemo(
    () =>
      orderRows(results, filter, order, threshold, (row, column) =>
        sheet === undefined ? '' : textOfCell(sheet, row, column),
      ),
    [results, results.done, filter, order, threshold],
  )
  if (sheet === undefined) return <></>
  const setFilter = (parts: Partial<Filter>): void => list.patch({ filter: { ...filter, ...parts } })
  const save = (kind: ExportKind): void =>
    saveFile(fileNameFor(words, sheet, kind), exportList(state, kind, isYesNo), 'text/csv')
  const isOther = state.deployment !== model.deployment.name
  return (
    <>
      <div class="toolbar">
        <p class="quiet">
          {sheet.name} · <OwnWords text={model.title} />
        </p>
        <div class="actions">
          <button type="button" class="primary" onClick={() => save('results')}>
            <Icon name="down" />
            {t('list.download')}
          </button>
          <button type="button" disabled={quality.withProblems === 0} onClick={() => save('faulty')}>
            <Icon name="down" />
            {t('list.downloadFaulty')}
          </button>
          <button type="button" onClick={() => list.patch({ stage: 'matching' })}>
            {t('list.rematch')}
          </button>
          <button type="button" onClick={() => list.set(EMPTY_LIST)}>
            {t('list.new')}
          </button>
        </div>
      </div>
      {isOther && (
        <div class="notice warn" role="alert">
          <p>{t('list.otherDeployment')}</p>
          <button type="button" onClick={() => void scoreList(model, catalogue)}>
            {t('list.again')}
          </button>
        </div>
      )}
      {state.isCancelled && results.done < results.size && (
        <div class="notice warn" role="alert">
          <p>
            {t('list.cancelled', { done: words.number(results.done), total: words.number(results.size) })}
          </p>
          <button type="button" onClick={() => void resumeScoring(model, catalogue)}>
            {t('list.goOn')}
          </button>
        </div>
      )}
      {state.failure !== undefined && <Failure failure={state.failure} />}
      <dl class="figures">
        <Figure name={t('list.rows')} value={words.number(quality.rows)} />
        <Figure name={t('list.scored')} value={words.number(quality.scored)} />
        {threshold !== undefined && (
          <Figure
            name={isYesNo ? t('result.yes') : t('list.high')}
            value={words.number(quality.high)}
            isHigh
          />
        )}
        <Figure name={t('list.withProblems')} value={words.number(quality.withProblems)} />
      </dl>
      <div class="overview">
        <section class="card" aria-labelledby="histogram-title">
          <h2 id="histogram-title">{t('histogram.title')}</h2>
          <Histogram
            results={results}
            threshold={threshold}
            isYesNo={isYesNo}
            range={filter.range}
            onRange={(range) => setFilter({ range })}
          />
        </section>
        <section class="card" aria-labelledby="quality-title">
          <h2 id="quality-title">{t('quality.title')}</h2>
          <QualityView quality={quality} catalogue={catalogue} filter={filter} onFilter={setFilter} />
        </section>
      </div>
      <FilterBar
        catalogue={catalogue}
        quality={quality}
        shown={rows.length}
        isYesNo={isYesNo}
        threshold={threshold}
      />
      <ResultTable rows={rows} model={model} catalogue={catalogue} threshold={threshold} />
      {state.openRow !== undefined && (
        <RowDetail
          key={`${state.openRow} ${version}`}
          row={state.openRow}
          model={model}
          catalogue={catalogue}
        />
      )}
    </>
  )
}

function Figure(props: { readonly name: string; readonly value: string; readonly isHigh?: boolean }): VNode {
  return (
    <div class={props.isHigh === true ? 'figure-box high' : 'figure-box'}>
      <dt>{props.name}</dt>
      <dd>{props.value}</dd>
    </div>
  )
}
