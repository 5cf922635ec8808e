/** Predicted against observed, drawn with its uncertainty and as a table, and the figures of all outcomes. */
import type { VNode } from 'preact'
import { CalibrationChart } from '../report/charts/calibration-chart.tsx'
import { Table, tableRow } from '../ui/table.tsx'
import { useRightWords } from './still-right-words.ts'
import type { Performance } from './verdict-words.ts'

const SHARES = ['observed', 'sensitivity', 'specificity', 'positiveValue', 'negativeValue'] as const
const SCORES = ['inTheLarge', 'slope', 'cStatistic'] as const

export function CalibrationSection({ answer }: { readonly answer: Performance }): VNode {
  const { say, t } = useRightWords()
  const { whole } = answer
  return (
    <section class="card" aria-labelledby="calibration-title">
      <h2 id="calibration-title">{say('right.calibration')}</h2>
      {whole === null ? (
        <p>{t('performance.few')}</p>
      ) : (
        <>
          <Drawn risks={whole.risks} observed={whole.observed.value ?? 0} />
          <Unknown answer={answer} />
          <FiguresTable whole={whole} />
          <Deaths answer={answer} />
        </>
      )}
    </section>
  )
}

/** Up to here, what is not known hardly moves a point. */
const FEW_UNKNOWN = 0.05

/** Outcomes that came are no fair sample of those that did not. */
function Unknown({ answer }: { readonly answer: Performance }): VNode {
  const { say, percent } = useRightWords()
  const { scored, outcomes, unknown } = answer.coverage
  const notKnown = scored - (outcomes - unknown)
  if (notKnown <= FEW_UNKNOWN * scored) return <></>
  return <p class="notice warn">{say('right.chartUnknown', { unknown: percent(notKnown / scored, 0) })}</p>
}

type Whole = NonNullable<Performance['whole']>

function Drawn({ risks, observed }: Readonly<{ risks: Whole['risks']; observed: number }>): VNode {
  const { say, t, share, shareRange, number } = useRightWords()
  const groups = risks?.groups ?? null
  if (risks === null || groups === null) return <></>
  const rows = groups.map((each) =>
    tableRow(share(each.predicted), share(each.observed), shareRange(each.from, each.to), number(each.rows)),
  )
  const columns = [
    t('performance.predicted'),
    t('performance.observed'),
    t('performance.interval'),
    say('right.patients'),
  ]
  return (
    <figure class="calibration">
      <CalibrationChart figures={{ groups, calibration: { meanPredicted: risks.meanPredicted, observed } }} />
      <figcaption class="quiet">{say('right.chartHint')}</figcaption>
      <details>
        <summary>{say('right.asTable')}</summary>
        <Table caption={say('right.calibration')} columns={columns} rows={rows} />
      </details>
    </figure>
  )
}

function FiguresTable({ whole }: { readonly whole: Whole }): VNode {
  const { t, figure, share, range, shareRange } = useRightWords()
  const { observed, risks, atThreshold: at } = whole
  const shares = { observed, ...at }
  const ofShares = SHARES.flatMap((name) => {
    const found = shares[name] ?? undefined
    return found === undefined
      ? []
      : [tableRow(t(`performance.${name}`), share(found.value), shareRange(found.from, found.to))]
  })
  const ofRisks = SCORES.flatMap((name) => {
    const found = risks?.[name] ?? undefined
    return found === undefined
      ? []
      : [tableRow(t(`performance.${name}`), figure(found.value, 3), range(found, 3))]
  })
  const brier = risks === null ? [] : [tableRow(t('report.brier'), figure(risks.brier, 4), '')]
  const head = ['', t('report.estimate'), t('report.interval')]
  const { found = 0, missed = 0, falseAlarms = 0, spared = 0 } = at ?? {}
  const counts = { found, missed, falseAlarms, spared, threshold: share(at?.threshold ?? null) }
  return (
    <div>
      <Table caption={t('performance.figures')} columns={head} rows={[...ofShares, ...ofRisks, ...brier]} />
      {risks !== null && (
        <p class="quiet">{t('performance.bound', { bound: figure(risks.cStatistic.bound, 4) })}</p>
      )}
      {at !== null && <p>{t('performance.table', counts)}</p>}
    </div>
  )
}

/** What a death before the event counts as; both ways where the card of the model does not say. */
function Deaths({ answer }: { readonly answer: Performance }): VNode {
  const { say, share } = useRightWords()
  const { coverage, deathCountsAs, wholeIfDeathsCount: other } = answer
  if (coverage.diedFirst === 0) return <></>
  const figures = {
    observed: share(other?.observed.value ?? null),
    predicted: share(other?.risks?.meanPredicted ?? null),
  }
  return (
    <p class="quiet">
      {say('right.deaths', { as: say(`deaths.${deathCountsAs}`) })}{' '}
      {other !== null && say('right.ifDeaths', figures)}
    </p>
  )
}
