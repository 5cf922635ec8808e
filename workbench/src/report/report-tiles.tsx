/** The figures that a reader wants first, each with what it should be. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import type { Report } from '../shapes/report.ts'
import { fixedText, intervalText, shareText, spanOf } from './figure-text.ts'

export function ReportTiles({ report }: { readonly report: Report }): VNode {
  const words = useWords()
  const { t } = words
  const { rows, events, cStatistic, calibration, brier } = report.figures
  const { slope, ratio, observed, meanPredicted } = calibration
  const { optimism, intervals } = report
  const isOfThis = optimism !== undefined && (optimism.of !== 'refit' || optimism.ownData === true)
  const corrected = isOfThis ? optimism.cStatistic.corrected : undefined
  const cSpan = intervalText(words, spanOf(cStatistic, intervals?.cStatistic), 3)
  const range = (text: string): string => t('report.interval95', { range: text })
  const tiles: readonly (readonly [string, string, string])[] = [
    [
      t('report.used'),
      words.number(rows),
      t('report.usedNote', { events: words.number(events), share: shareText(words, events / rows) }),
    ],
    [
      t('model.cStatistic'),
      fixedText(words, cStatistic.value, 3),
      corrected === undefined
        ? range(cSpan)
        : `${range(cSpan)}; ${t('report.corrected', { value: fixedText(words, corrected, 3) })}`,
    ],
    [
      t('report.slope'),
      fixedText(words, slope.value, 2),
      `${range(intervalText(words, spanOf(slope, intervals?.slope), 2))}; ${t('report.ideal1')}`,
    ],
    [
      t('report.ratio'),
      fixedText(words, ratio, 2),
      t('report.ratioNote', {
        observed: shareText(words, observed),
        predicted: shareText(words, meanPredicted),
      }),
    ],
    [
      t('model.brier'),
      fixedText(words, brier.value, 4),
      t('report.scaled', { share: shareText(words, brier.scaled) }),
    ],
  ]
  return (
    <dl class="figures report-figures">
      {tiles.map(([name, value, note]) => (
        <div key={name} class="figure-box">
          <dt>{name}</dt>
          <dd>{value}</dd>
          <dd class="figure-note">{note}</dd>
        </div>
      ))}
    </dl>
  )
}
