/** What else the service doubts about this deployment: drift of the inputs, and feeds that may mean something else. */
import type { VNode } from 'preact'
import type { Components } from '../../generated/schema.ts'
import { ask } from '../api.ts'
import { alarmText } from '../operations/alarm-text.ts'
import { session } from '../session.ts'
import type { DeploymentSummary } from '../shapes/answers.ts'
import { OnDemand } from '../ui/on-demand.tsx'
import { Table, tableRow } from '../ui/table.tsx'
import { useRightWords } from './still-right-words.ts'

type Alarm = Components['schemas']['Alarm']

export function DoubtsSection({ deployment }: { readonly deployment: DeploymentSummary }): VNode {
  const words = useRightWords()
  const { say, t, time } = words
  const load = (): Promise<readonly Alarm[]> => ask(session.get()?.key ?? '', '/admin/alarms')
  const draw = (alarms: readonly Alarm[]): VNode => {
    const own = alarms.filter((each) => each.deployment === deployment.name && each.kind !== 'calibration')
    if (own.length === 0) return <p class="quiet">{say('right.noDoubts')}</p>
    const rows = own.map((each) => tableRow(each.field, each.keyId, alarmText(words, each), time(each.since)))
    const columns = [t('watch.field'), t('audit.key'), t('watch.finding'), t('watch.since')]
    return <Table caption={say('right.doubts')} columns={columns} texts={[1, 2, 3]} rows={rows} />
  }
  return (
    <section class="card" aria-labelledby="doubts-title">
      <h2 id="doubts-title">{say('right.doubts')}</h2>
      <OnDemand load={load} draw={draw} />
    </section>
  )
}
