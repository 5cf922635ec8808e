/** What a recalibration changed and why, old and new figures side by side, and who moves from No to Yes and back. */
import type { VNode } from 'preact'
import type { Figures, Moves, Recalibration, Report } from '../shapes/report.ts'
import { Table, tableRow, type TableRow } from '../ui/table.tsx'
import { useReportWords, type ReportWords } from './report-words.ts'
import { Section } from './section.tsx'

export function ChangeSection({ report }: { readonly report: Report }): VNode | null {
  const { t, figure, share } = useReportWords()
  const { recalibration, figures, optimism } = report
  if (recalibration === undefined) return null
  const { before, method, chosenBy, from, intercept, slope, test, weights } = recalibration
  const row = (head: string, value: (of: Figures) => string): TableRow =>
    tableRow(head, value(before), value(figures))
  const numbers = { intercept: figure(intercept, 4), slope: figure(slope ?? null, 4) }
  return (
    <Section id="change" title={t('report.change')}>
      <p>
        {t('report.changedFrom', { from })} {t(`report.method.${method}`)},{' '}
        {t(`report.chosen.${chosenBy}`, { level: share(test.level, 0) })}{' '}
        {method !== 'none' && t(slope === undefined ? 'report.numbers' : 'report.numbersSlope', numbers)}
      </p>
      {weights !== undefined && (
        <Table
          caption={t('report.weights')}
          hasTitle
          columns={[t('report.term'), t('report.weight'), t('report.error')]}
          rows={weights.map(({ term, weight, error }) => tableRow(term, figure(weight, 3), figure(error, 3)))}
        />
      )}
      <Table
        caption={t('report.oldAndNew')}
        hasTitle
        columns={['', t('report.before'), t('report.after')]}
        rows={[
          row(t('model.cStatistic'), (of) => figure(of.cStatistic.value, 4)),
          row(t('report.brier'), (of) => figure(of.brier.value, 5)),
          row(t('report.meanPredicted'), (of) => share(of.calibration.meanPredicted, 2)),
          row(t('report.observed'), (of) => share(of.calibration.observed, 2)),
          row(t('report.calibrationInTheLarge'), (of) => figure(of.calibration.inTheLarge.value, 3)),
          row(t('report.slope'), (of) => figure(of.calibration.slope.value, 3)),
        ]}
      />
      <ClosedTest test={test} />
      <PowerTable power={recalibration.power ?? []} />
      <MovesTable moves={recalibration.reclassification} />
      {optimism === undefined && <p class="quiet">{t('report.flattered')}</p>}
    </Section>
  )
}

function ClosedTest({ test }: { readonly test: Recalibration['test'] }): VNode {
  const { t, number, figure, pValue } = useReportWords()
  const { level, full, comparisons, terms } = test
  return (
    <>
      <Table
        caption={t('report.isEnough', { method: t(`report.method.${full}`) })}
        hasTitle
        columns={['', t('report.statistic'), t('report.degrees'), 'p', t('report.verdict')]}
        rows={comparisons.map((each) =>
          tableRow(
            t('report.against', { method: t(`report.method.${each.against}`) }),
            figure(each.statistic, 2),
            number(each.degrees),
            pValue(each.pValue),
            t(each.pValue < level ? 'report.notEnough' : 'report.enough'),
          ),
        )}
      />
      {terms !== undefined && terms.pValue < level && (
        <p class="notice warn">
          {t('report.termsDiffer', { p: terms.pValue < 0.001 ? pValue(0) : `= ${pValue(terms.pValue)}` })}
        </p>
      )}
    </>
  )
}

function PowerTable({ power }: { readonly power: NonNullable<Recalibration['power']> }): VNode | null {
  const { t, number, figure, share } = useReportWords()
  if (power.length === 0) return null
  return (
    <Table
      caption={t('report.power')}
      hasTitle
      columns={[t('report.truth'), t('report.found'), t('report.eventsFor80')]}
      rows={power.map(({ change, by, power: found, events }) =>
        tableRow(
          t(`report.truth.${change}`, { by: figure(by, 1) }),
          share(found),
          events === undefined ? '–' : number(events),
        ),
      )}
    />
  )
}

function MovesTable(props: { readonly moves: Recalibration['reclassification'] | undefined }): VNode | null {
  const words = useReportWords()
  const { t, share } = words
  if (props.moves === undefined) return null
  const { thresholdBefore, thresholdAfter, events, others } = props.moves
  return (
    <>
      <p>{t('report.movesHint', { before: share(thresholdBefore), after: share(thresholdAfter) })}</p>
      <Table
        caption={t('report.moves')}
        columns={[
          t('report.group'),
          t('report.rows'),
          t('report.stayNo'),
          t('report.toYes'),
          t('report.toNo'),
          t('report.stayYes'),
        ]}
        rows={[movesRow(words, t('report.withKey'), events), movesRow(words, t('report.withoutKey'), others)]}
      />
    </>
  )
}

function movesRow({ number, share }: ReportWords, head: string, moves: Moves): TableRow {
  const { stayNo, stayYes, toNo, toYes } = moves
  const all = stayNo + stayYes + toNo + toYes
  const withShare = (count: number): string => `${number(count)} (${share(count / Math.max(1, all))})`
  return tableRow(head, number(all), number(stayNo), withShare(toYes), withShare(toNo), number(stayYes))
}
