/** All states that the deployment has had, former ones too. Each can be shown. */
import type { VNode } from 'preact'
import { Button } from '../ui/button.tsx'
import { Table, tableRow } from '../ui/table.tsx'
import { useRightWords } from './still-right-words.ts'
import type { Performance } from './verdict-words.ts'

interface StatesProps {
  readonly answer: Performance
  readonly onShow: (digest: string) => void
}

export function StatesSection({ answer, onShow }: StatesProps): VNode {
  const { say, t, number, month } = useRightWords()
  const when = (text: string | null): string => (text === null ? '–' : month(text))
  const rows = answer.states.map(
    ({ digest, model, isPresent, first, last, scored, outcomes, hasOpenAlarm }) => {
      const isShown = digest === answer.digest
      const notes = [
        ...(isPresent ? [say('right.stateNow')] : []),
        ...(hasOpenAlarm ? [say('right.openAlarm')] : []),
        ...(isShown ? [say('right.stateShown')] : []),
      ].join(', ')
      const label = `${say('right.show')}: ${model}, ${when(first)}`
      return tableRow(
        model,
        when(first),
        when(last),
        number(scored),
        number(outcomes),
        notes,
        isShown ? (
          ''
        ) : (
          <Button class="small" aria-label={label} onClick={() => onShow(digest)} text={say('right.show')} />
        ),
      )
    },
  )
  const columns = [
    say('right.model'),
    say('right.from'),
    say('right.to'),
    t('performance.scored'),
    t('performance.outcomes'),
    '',
    '',
  ]
  return (
    <section class="card" aria-labelledby="states-title">
      <h2 id="states-title">{say('right.states')}</h2>
      <Table caption={say('right.states')} columns={columns} texts={[5]} rows={rows} />
    </section>
  )
}
