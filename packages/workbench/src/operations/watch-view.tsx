/** What the service has noticed: alarms of units and drift, and how the shadow of the deployment differs from the model that answers. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import { session } from '../session.ts'
import { Failure } from '../ui/status.tsx'
import { Table, tableRow } from '../ui/table.tsx'
import { useAnswer } from '../use-answer.ts'
import { listAlarms, readShadow } from './admin-calls.ts'

const ALARM = ['app.deployment', 'watch.field', 'audit.key', 'watch.finding', 'watch.since'] as const
const MOVES = ['shadow.threshold', 'shadow.up', 'shadow.down', 'shadow.same'] as const

export function WatchView(): VNode {
  const { t, time } = useWords()
  const { answer, failure, again } = useAnswer(listAlarms)
  const deployment = session.get()?.deployment
  const rows = answer?.map(({ kind, deployment: name, field, keyId, basis, likely, since }) =>
    tableRow(name, field, keyId, t(`watch.${kind}`, { basis, likely }), time(since)),
  )
  const columns = ALARM.map((each) => t(each))
  return (
    <section class="card" aria-labelledby="watch-title">
      <h2 id="watch-title">{t('watch.title')}</h2>
      {failure !== undefined && <Failure failure={failure} onAgain={again} />}
      {rows?.length === 0 && <p class="quiet">{t('watch.none')}</p>}
      {rows?.[0] !== undefined && <Table caption={t('watch.title')} columns={columns} rows={rows} />}
      {deployment?.shadow !== undefined && <ShadowView key={deployment.name} path={deployment.basePath} />}
    </section>
  )
}

function ShadowView({ path }: { readonly path: string }): VNode {
  const { t, number } = useWords()
  const { answer } = useAnswer(() => readShadow(path))
  if (answer === undefined) return <></>
  const { model, shadow, both, onlyAnswer, onlyShadow, neither } = answer
  const points = (risk: number | null): string => (risk === null ? '' : number(risk * 100))
  const moves = answer.thresholds.map(({ threshold, below, up, down, above }) =>
    tableRow(points(threshold), number(up), number(down), number(below + above)),
  )
  const columns = [t('shadow.points'), t('usage.records')]
  const spans = answer.differences.map(({ from, to, records }) =>
    tableRow(`${points(from)} … ${points(to)}`, number(records)),
  )
  return (
    <>
      <h3>{t('shadow.title', { model, shadow })}</h3>
      <p>{t('shadow.scored', { both, onlyAnswer, onlyShadow, neither })}</p>
      <div class="beside">
        <Table caption={t('shadow.moves')} hasTitle columns={MOVES.map((each) => t(each))} rows={moves} />
        <Table caption={t('shadow.differences')} hasTitle columns={columns} rows={spans} />
      </div>
    </>
  )
}
