/** The shadow model by outcome: a verdict, and both models' figures with their uncertainty. */
import type { VNode } from 'preact'
import type { Components } from '../../generated/schema.ts'
import { ask, callOf } from '../api.ts'
import { session } from '../session.ts'
import type { DeploymentSummary } from '../shapes/answers.ts'
import { OnDemand } from '../ui/on-demand.tsx'
import { Table, tableRow } from '../ui/table.tsx'
import { useRightWords } from './still-right-words.ts'

type Report = Components['schemas']['ShadowReport']
type Outcomes = NonNullable<Report['outcomes']>

export function ShadowSection({ deployment }: { readonly deployment: DeploymentSummary }): VNode {
  const { say } = useRightWords()
  const { shadow, basePath } = deployment
  const load = (): Promise<Report> => ask(session.get()?.key ?? '', callOf(basePath, '/shadow'))
  return (
    <section class="card" aria-labelledby="shadow-title">
      <h2 id="shadow-title">{say('right.shadow')}</h2>
      {shadow === undefined ? (
        <p class="quiet">{say('right.shadowNone')}</p>
      ) : (
        <OnDemand
          load={load}
          draw={(report) =>
            report.outcomes === null ? (
              <p class="quiet">{say('right.shadowFew')}</p>
            ) : (
              <Compared report={report} outcomes={report.outcomes} />
            )
          }
        />
      )}
    </section>
  )
}

function Compared({ report, outcomes }: Readonly<{ report: Report; outcomes: Outcomes }>): VNode {
  const { say, t, share, shareRange, figure, range, number, month } = useRightWords()
  const { model, shadow } = report
  const { comparison, threshold, first, last, events } = outcomes
  const rowOf = (name: string, { value, from, to }: Outcomes['comparison']['netBenefit']) =>
    tableRow(name, share(value), shareRange(from, to))
  const compared = [
    rowOf(say('shadow.events'), comparison.events),
    rowOf(say('shadow.others'), comparison.others),
    tableRow(
      say('shadow.netBenefit', { threshold: share(threshold) }),
      figure(comparison.netBenefit.value, 4),
      range(comparison.netBenefit, 4),
    ),
  ]
  const both = [
    [model, outcomes.answer],
    [shadow, outcomes.shadow],
  ] as const
  const figures = both.map(([name, { observed, risks }]) =>
    tableRow(
      name,
      share(risks?.meanPredicted ?? null),
      share(observed.value),
      figure(risks?.inTheLarge?.value ?? null, 3),
      figure(risks?.slope?.value ?? null, 3),
      figure(risks?.cStatistic.value ?? null, 3),
    ),
  )
  const counted = {
    outcomes: number(outcomes.outcomes),
    events: number(events),
    first: month(first),
    last: month(last),
  }
  const title = say('shadow.compare', { model, shadow })
  const columns = [
    '',
    say('shadow.predicted'),
    say('shadow.observed'),
    t('performance.inTheLarge'),
    t('performance.slope'),
    t('performance.cStatistic'),
  ]
  return (
    <>
      <p class="verdict-said">{say(`shadow.${comparison.verdict}`)}</p>
      <p class="quiet">{say('shadow.counted', counted)}</p>
      <Table
        caption={title}
        hasTitle
        columns={['', t('report.estimate'), t('report.interval')]}
        rows={compared}
      />
      <Table caption={say('right.calibration')} hasTitle columns={columns} rows={figures} />
    </>
  )
}
