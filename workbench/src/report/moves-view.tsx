/** What a recalibration changed: old and new figures side by side, and who moves from No to Yes and back. */
import type { VNode } from 'preact'
import { useWords, type Words } from '../i18n/words.ts'
import type { Figures, Moves, Recalibration } from '../shapes/report.ts'
import { Table, type TableRow } from '../ui/table.tsx'
import { fixedText, shareText } from './figure-text.ts'

export function MovesView(props: { readonly change: Recalibration; readonly figures: Figures }): VNode {
  const { change, figures } = props
  const { before, reclassification } = change
  const words = useWords()
  const { t } = words
  const row = (head: string, value: (of: Figures) => string): TableRow => ({
    key: head,
    head,
    cells: [value(before), value(figures)],
  })
  return (
    <section aria-labelledby="moves-title">
      <h3 id="moves-title">{t('report.change')}</h3>
      <p>
        {t('report.changedFrom', { from: change.from })} {t(`report.method.${change.method}`)}
      </p>
      <Table
        caption={t('report.change')}
        columns={[t('report.figure'), t('report.before'), t('report.after')]}
        rows={[
          row(t('model.cStatistic'), (of) => fixedText(words, of.cStatistic.value, 3)),
          row(t('report.predicted'), (of) => shareText(words, of.calibration.meanPredicted)),
          row(t('report.observed'), (of) => shareText(words, of.calibration.observed)),
          row(t('report.slope'), (of) => fixedText(words, of.calibration.slope.value, 2)),
        ]}
      />
      {reclassification !== undefined && (
        <>
          <p>
            {t('report.movesHint', {
              before: words.percent(reclassification.thresholdBefore),
              after: words.percent(reclassification.thresholdAfter),
            })}
          </p>
          <Table
            caption={t('report.moves')}
            columns={[
              t('report.group'),
              t('list.rows'),
              t('report.stayNo'),
              t('report.toYes'),
              t('report.toNo'),
              t('report.stayYes'),
            ]}
            rows={[
              movesRow(words, t('report.withKey'), reclassification.events),
              movesRow(words, t('report.withoutKey'), reclassification.others),
            ]}
          />
        </>
      )}
    </section>
  )
}

function movesRow(words: Words, head: string, moves: Moves): TableRow {
  const { stayNo, stayYes, toNo, toYes } = moves
  const all = stayNo + stayYes + toNo + toYes
  return { key: head, head, cells: [all, stayNo, toYes, toNo, stayYes].map((count) => words.number(count)) }
}
