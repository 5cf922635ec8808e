/** How the risks of a deployment did, from the outcomes that were sent back: alarms, calibration, months and groups. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Components } from '../../generated/schema.ts'
import { ask, callOf } from '../api.ts'
import { CalibrationChart } from '../report/charts/calibration-chart.tsx'
import { useReportWords } from '../report/report-words.ts'
import { session } from '../session.ts'
import { useShared } from '../state.ts'
import { Button } from '../ui/button.tsx'
import { confirmFirst } from '../ui/confirm.tsx'
import { OnDemand } from '../ui/on-demand.tsx'
import { Select } from '../ui/select.tsx'
import { Table, tableRow } from '../ui/table.tsx'

type Performance = Components['schemas']['Performance']
type Figures = Components['schemas']['PerformanceFigures']
type Part = Partial<Performance['months'][number] & Performance['groups'][number]>

const SHARES = ['observed', 'sensitivity', 'specificity', 'positiveValue', 'negativeValue'] as const
const SCORES = ['inTheLarge', 'slope', 'cStatistic'] as const
const OF_MONTHS = ['scored', 'coverage', 'state'] as const
const OF_PARTS = ['outcomes', 'events', 'predicted', 'observed', 'interval'] as const

export function PerformanceView(): VNode {
  const { t } = useReportWords()
  const deployments = useShared(session)?.summary.deployments ?? []
  const [name, setName] = useState(deployments[0]?.name ?? '')
  const options = deployments.map((each) => [each.name, each.name] as const)
  const path = `${callOf(deployments.find((each) => each.name === name)?.basePath ?? '/', '')}/performance`
  const call = <T,>(address: string, method: 'GET' | 'POST' = 'GET'): Promise<T> =>
    ask(session.get()?.key ?? '', path + address, { method })
  const acknowledge = (group: string | null, again: () => void): void => {
    const query = group === null ? '' : `?group=${encodeURIComponent(group)}`
    // What is still open is shown afterwards, whatever became of the call.
    const onGo = (): void => void call(`/acknowledge${query}`, 'POST').then(again, again)
    confirmFirst({ title: 'alarm.acknowledge', text: 'alarm.hint', go: 'alarm.acknowledge', onGo })
  }
  const draw = (answer: Performance, again: () => void): VNode => (
    <>
      <Alarms alarm={answer.alarm} onAcknowledge={(group) => acknowledge(group, again)} />
      {answer.whole === null ? <p>{t('performance.few')}</p> : <Whole figures={answer.whole} />}
      {answer.months.length > 0 && <Parts kind="months" parts={answer.months} />}
      {answer.groups.length > 0 && <Parts kind="groups" parts={answer.groups} />}
    </>
  )
  return (
    <section class="card" aria-labelledby="performance-title">
      <div class="section-head">
        <h2 id="performance-title">{t('performance.title')}</h2>
        <label>
          <span class="visually-hidden">{t('performance.deployment')}</span>
          <Select value={name} onChange={setName} options={options} />
        </label>
      </div>
      <OnDemand key={name} load={() => call<Performance>('')} draw={draw} />
    </section>
  )
}

type AlarmsProps = Readonly<{ alarm: Performance['alarm']; onAcknowledge: (group: string | null) => void }>

function Alarms({ alarm: { limit, evidence, open }, onAcknowledge }: AlarmsProps): VNode {
  const { t, number } = useReportWords()
  const said = { evidence: number(Math.round(evidence ?? 0)), limit: number(limit ?? 0) }
  if (open.length === 0)
    return <p>{t(limit === null ? 'performance.unwatched' : 'performance.calm', said)}</p>
  const drawn = open.map(({ group, month }) => (
    <p key={group} class="notice warn">
      {t('performance.alarm', { who: group ?? t('performance.whole'), month })}{' '}
      <Button class="small" onClick={() => onAcknowledge(group)} text={t('alarm.acknowledge')} />
    </p>
  ))
  return <>{drawn}</>
}

function Whole({ figures: { observed, risks, atThreshold: at } }: { readonly figures: Figures }): VNode {
  const { t, figure, share, range, shareRange } = useReportWords()
  const shares = { observed, ...at }
  const rows = SHARES.flatMap((name) => {
    const found = shares[name] ?? undefined
    return found
      ? [tableRow(t(`performance.${name}`), share(found.value), shareRange(found.from, found.to))]
      : []
  })
  const scores = SCORES.flatMap((name) => {
    const found = risks?.[name]
    return found ? [tableRow(t(`performance.${name}`), figure(found.value, 3), range(found, 3))] : []
  })
  const brier = risks ? [tableRow(t('report.brier'), figure(risks.brier, 4), '')] : []
  const calibration = { meanPredicted: risks?.meanPredicted ?? 0, observed: observed.value ?? 0 }
  const { found = 0, missed = 0, falseAlarms = 0, spared = 0 } = at ?? {}
  const counts = { found, missed, falseAlarms, spared, threshold: share(at?.threshold ?? null) }
  const head = ['', t('report.estimate'), t('report.interval')]
  return (
    <div class="beside">
      {risks?.groups && <CalibrationChart figures={{ groups: risks.groups, calibration }} />}
      <div>
        <Table caption={t('performance.figures')} columns={head} rows={[...rows, ...scores, ...brier]} />
        {risks && <p>{t('performance.bound', { bound: figure(risks.cStatistic.bound, 4) })}</p>}
        {at && <p>{t('performance.table', counts)}</p>}
      </div>
    </div>
  )
}

/** Months with their coverage, or groups: predicted against observed where a part is large enough to be shown. */
function Parts({ kind, parts }: Readonly<{ kind: 'months' | 'groups'; parts: readonly Part[] }>): VNode {
  const { t, number, share, shareRange } = useReportWords()
  const state = ({ complete, judged }: Part): string => {
    if (judged) return t('performance.judged')
    return t(complete ? 'performance.notJudged' : 'performance.incomplete')
  }
  const columns = [...(kind === 'months' ? OF_MONTHS : []), ...OF_PARTS].map((name) =>
    t(`performance.${name}`),
  )
  const rows = parts.map((part) => {
    const { month, group, scored = 0, coverage = null, figures } = part
    const own = kind === 'months' ? [number(scored), share(coverage, 0), state(part)] : []
    const head = month ?? group ?? t('performance.noGroup')
    if (!figures) return tableRow(head, ...own, t('performance.hidden'), '', '', '', '')
    const { outcomes, events, observed, risks } = figures
    const predicted = share(risks?.meanPredicted ?? null)
    const seen = [predicted, share(observed.value), shareRange(observed.from, observed.to)]
    return tableRow(head, ...own, number(outcomes), number(events), ...seen)
  })
  return <Table caption={t(`performance.${kind}`)} hasTitle columns={['', ...columns]} rows={rows} />
}
