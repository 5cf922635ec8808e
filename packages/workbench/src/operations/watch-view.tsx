/** What the service has noticed: alarms of units and drift, and how the shadow of the deployment differs from the model that answers. */
import type { VNode } from 'preact'
import { useWords } from '../i18n/words.ts'
import { session } from '../session.ts'
import { Failure } from '../ui/status.tsx'
import { Table, tableRow } from '../ui/table.tsx'
import { useAnswer } from '../use-answer.ts'
import { alarmText } from './alarm-text.ts'
import { listAlarms, readShadow } from './admin-calls.ts'

const OF_FIELDS = ['app.deployment', 'watch.field', 'audit.key', 'watch.finding', 'watch.since'] as const
const OF_OUTCOMES = ['app.deployment', 'watch.group', 'watch.finding', 'watch.since'] as const
const MOVES = ['shadow.threshold', 'shadow.up', 'shadow.down', 'shadow.same'] as const

export function WatchView(): VNode {
  const words = useWords()
  const { t, time } = words
  const { answer, failure, again } = useAnswer(listAlarms)
  const deployment = session.get()?.deployment
  // What outcomes say is about a group of patients and no field, and no key is behind it.
  const ofOutcomes = answer?.filter(({ kind }) => kind === 'calibration') ?? []
  const ofFields = answer?.filter(({ kind }) => kind !== 'calibration') ?? []
  const fieldRows = ofFields.map((each) =>
    tableRow(each.deployment, each.field, each.keyId, alarmText(words, each), time(each.since)),
  )
  const outcomeRows = ofOutcomes.map((each) =>
    tableRow(each.deployment, each.field || t('watch.everybody'), alarmText(words, each), time(each.since)),
  )
  return (
    <section class="card" aria-labelledby="watch-title">
      <h2 id="watch-title">{t('watch.title')}</h2>
      {failure !== undefined && <Failure failure={failure} onAgain={again} />}
      {answer?.length === 0 && <p class="quiet">{t('watch.none')}</p>}
      {outcomeRows.length > 0 && (
        <Table
          caption={t('watch.ofOutcomes')}
          hasTitle
          columns={OF_OUTCOMES.map((each) => t(each))}
          texts={[1, 2, 3]}
          rows={outcomeRows}
        />
      )}
      {fieldRows.length > 0 && (
        <Table
          caption={t('watch.ofFields')}
          hasTitle
          columns={OF_FIELDS.map((each) => t(each))}
          texts={[1, 2, 3, 4]}
          rows={fieldRows}
        />
      )}
      {deployment?.shadow !== undefined && <ShadowView key={deployment.name} path={deployment.basePath} />}
    </section>
  )
}

function ShadowView({ path }: { readonly path: string }): VNode {
  const { t, number, percent } = useWords()
  const { answer } = useAnswer(() => readShadow(path))
  if (answer === undefined) return <></>
  const { model, shadow, both, onlyAnswer, onlyShadow, neither } = answer
  const all = both + onlyAnswer + onlyShadow + neither
  /** A count, and what part of the records it is of: the records that were scored, or of those that both scored. */
  const share = (count: number, of: number): string =>
    of === 0 ? number(count) : `${number(count)} (${percent(count / of, 1)})`
  const scored = {
    both: share(both, all),
    onlyAnswer: share(onlyAnswer, all),
    onlyShadow: share(onlyShadow, all),
    neither: share(neither, all),
  }
  const points = (risk: number | null): string => (risk === null ? '' : number(risk * 100))
  const moves = answer.thresholds.map(({ threshold, below, up, down, above }) =>
    tableRow(points(threshold), share(up, both), share(down, both), share(below + above, both)),
  )
  const columns = [t('shadow.points'), t('usage.records')]
  const spans = answer.differences.map(({ from, to, records }) =>
    tableRow(`${points(from)} … ${points(to)}`, share(records, both)),
  )
  return (
    <>
      <h3>{t('shadow.title', { model, shadow })}</h3>
      <p>{t('shadow.scored', scored)}</p>
      <div class="beside">
        <Table caption={t('shadow.moves')} hasTitle columns={MOVES.map((each) => t(each))} rows={moves} />
        <Table caption={t('shadow.differences')} hasTitle columns={columns} rows={spans} />
      </div>
    </>
  )
}
