/** Use and problems over a chosen time, an hour a column, and the use of each key. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useWords } from '../i18n/words.ts'
import { Button } from '../ui/button.tsx'
import { OnDemand } from '../ui/on-demand.tsx'
import { Select } from '../ui/select.tsx'
import { Table } from '../ui/table.tsx'
import { anchorAt } from '../ui/ticks.ts'
import { listKeys, readUsage, type Usage } from './admin-calls.ts'
import { useAnswer } from '../use-answer.ts'

const WIDTH = 600
const HEIGHT = 104
const FLOOR = 80

const HOURS = ['24', '72', '168', '720'] as const

export function UsageView(): VNode {
  const { t } = useWords()
  const [hours, setHours] = useState<(typeof HOURS)[number]>('24')
  return (
    <section class="card" aria-labelledby="usage-title">
      <div class="section-head">
        <h2 id="usage-title">{t('usage.title')}</h2>
        <label>
          <span class="visually-hidden">{t('usage.time')}</span>
          <Select
            value={hours}
            onChange={setHours}
            options={HOURS.map((each) => [each, t(`usage.hours.${each}`)])}
          />
        </label>
      </div>
      <UsageOf key={hours} hours={Number(hours)} />
    </section>
  )
}

function UsageOf({ hours }: { readonly hours: number }): VNode {
  const { t } = useWords()
  const draw = (usage: Usage, again: () => void): VNode => (
    <>
      <UsageFigures usage={usage} />
      <UsageByKey usage={usage} />
      <div class="actions">
        <Button class="small" onClick={again} text={t('operations.refresh')} />
      </div>
    </>
  )
  return <OnDemand load={() => readUsage(hours)} draw={draw} />
}

/** Use of each key. A key may serve programs and the page, so the page's own calls are counted apart. */
function UsageByKey({ usage }: { readonly usage: Usage }): VNode {
  const { t, number } = useWords()
  const { answer: keys } = useAnswer(listKeys)
  if (usage.keys.length === 0) return <></>
  return (
    <Table
      caption={t('usage.byKey')}
      columns={[t('audit.key'), t('usage.requests'), t('usage.page'), t('usage.refused'), t('usage.records')]}
      rows={usage.keys.map(({ keyId, requests, page, refused, records }) => ({
        head: keys?.find(({ id }) => id === keyId)?.name ?? keyId,
        cells: [number(requests), number(page), number(refused), number(records)],
      }))}
    />
  )
}

function UsageFigures({ usage }: { readonly usage: Usage }): VNode {
  const words = useWords()
  const { t } = words
  const sum = (of: (hour: Usage['hours'][number]) => number): number =>
    usage.hours.reduce((total, hour) => total + of(hour), 0)
  const problemsOf = (hour: Usage['hours'][number]): number =>
    Object.values(hour.problems).reduce((total, count) => total + count, 0)
  return (
    <>
      <dl class="small-figures">
        <Small name={t('usage.requests')} value={words.number(sum(({ requests }) => requests))} />
        <Small name={t('usage.refused')} value={words.number(sum(({ refused }) => refused))} />
        <Small name={t('usage.records')} value={words.number(sum(({ records }) => records))} />
        <Small name={t('usage.problems')} value={words.number(sum(problemsOf))} />
      </dl>
      <h3>{t('usage.records')}</h3>
      <Columns usage={usage} of={({ records }) => records} name={t('usage.records')} />
      <h3>{t('usage.problems')}</h3>
      <Columns usage={usage} of={problemsOf} name={t('usage.problems')} isBad />
      {!usage.complete && <p class="quiet">{t('usage.partial')}</p>}
    </>
  )
}

function Columns(props: {
  readonly usage: Usage
  readonly name: string
  readonly isBad?: boolean
  readonly of: (hour: Usage['hours'][number]) => number
}): VNode {
  const words = useWords()
  const { hours } = props.usage
  const values = hours.map(props.of)
  const most = Math.max(1, ...values)
  const step = WIDTH / hours.length
  // Columns of a week or a month are too narrow for a gap.
  const gap = step > 8 ? 2 : 0
  const label = words.t('usage.label', { name: props.name, most: words.number(most) })
  return (
    <svg class="chart usage" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {values.map((value, index) => {
        const height = value === 0 ? 0 : Math.max(2, (value / most) * (FLOOR - 18))
        return (
          <g key={index}>
            <title>{`${words.time(hours[index]?.at ?? '')}: ${words.number(value)}`}</title>
            <rect
              class={props.isBad === true ? 'column high' : 'column'}
              x={index * step + gap}
              y={FLOOR - height}
              width={step - 2 * gap}
              height={height}
              rx="1.5"
            />
          </g>
        )
      })}
      <line class="axis" x1="0" x2={WIDTH} y1={FLOOR} y2={FLOOR} />
      <text class="tick" x="0" y="12">
        {words.number(most)}
      </text>
      {hours.map((hour, index) =>
        index % (hours.length / 4) === 0 || index === hours.length - 1 ? (
          <text
            key={hour.at}
            class="tick"
            x={(index + 0.5) * step}
            y={FLOOR + 18}
            text-anchor={anchorAt(index, hours.length - 1)}
          >
            {hours.length > 24 ? words.shortDay(hour.at) : words.hour(hour.at)}
          </text>
        ) : null,
      )}
    </svg>
  )
}

function Small({ name, value }: { readonly name: string; readonly value: string }): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
