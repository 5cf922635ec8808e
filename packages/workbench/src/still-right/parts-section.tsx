/** Months, the same months of other years beside each other, and groups. */
import type { VNode } from 'preact'
import { Table, tableRow } from '../ui/table.tsx'
import { useRightWords } from './still-right-words.ts'
import type { Performance } from './verdict-words.ts'

type Answer = Readonly<{ answer: Performance }>
const OF_PARTS = ['outcomes', 'events', 'predicted', 'observed', 'interval'] as const

export function MonthsSection({ answer }: Answer): VNode {
  const { say, t, number, share, month: monthOf } = useRightWords()
  const cells = useFigureCells()
  const state = ({ complete, judged }: Performance['months'][number]): string => {
    if (judged) return t('performance.judged')
    return complete ? say('right.notJudged') : t('performance.incomplete')
  }
  const rows = answer.months.map((each) =>
    tableRow(
      monthOf(each.month),
      number(each.scored),
      share(each.coverage, 0),
      number(each.unknown),
      state(each),
      ...cells(each.figures),
    ),
  )
  const columns = [
    say('right.month'),
    t('performance.scored'),
    t('performance.coverage'),
    say('right.unknown'),
    t('performance.state'),
    ...OF_PARTS.map((name) => t(`performance.${name}`)),
  ]
  if (rows.length === 0) return <></>
  return (
    <section class="card" aria-labelledby="months-title">
      <h2 id="months-title">{say('right.months')}</h2>
      <Table caption={say('right.months')} columns={columns} texts={[4]} rows={rows} />
      <Seasons answer={answer} />
    </section>
  )
}

/** A row for each month of the calendar, a column for each year. */
function Seasons({ answer }: Answer): VNode {
  const { say, number, language } = useRightWords()
  const { seasons } = answer
  const years = [
    ...new Set(seasons.flatMap((each) => each.years.map(({ month }) => month.slice(0, 4)))),
  ].sort()
  if (seasons.length === 0) return <></>
  const name = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' })
  const cell = (year: Performance['seasons'][number]['years'][number] | undefined): string => {
    if (year === undefined) return ''
    const parts = { events: number(year.events), outcomes: number(year.outcomes) }
    return year.expected === null
      ? say('right.seasonCell2', parts)
      : say('right.seasonCell', { ...parts, expected: number(year.expected, 1) })
  }
  const rows = seasons.map((season) =>
    tableRow(
      name.format(new Date(Date.UTC(2026, season.month - 1, 15))),
      ...years.map((year) => cell(season.years.find(({ month }) => month.startsWith(year)))),
    ),
  )
  return (
    <>
      <h3>{say('right.seasons')}</h3>
      <p class="quiet">{say('right.season1')}</p>
      <Table caption={say('right.seasons')} columns={[say('right.month'), ...years]} rows={rows} />
    </>
  )
}

export function GroupsSection({ answer }: Answer): VNode {
  const { say, t } = useRightWords()
  const cells = useFigureCells()
  if (answer.groups.length === 0) return <></>
  const alarmed = new Set(answer.alarm.open.map(({ group }) => group ?? ''))
  const alarmOf = ({ group, judged }: Performance['groups'][number]): string => {
    if (group !== null && alarmed.has(group)) return say('right.openAlarm')
    return say(judged ? 'right.groupJudged' : 'right.groupNotJudged')
  }
  const rows = answer.groups.map((each) =>
    tableRow(each.group ?? t('performance.noGroup'), alarmOf(each), ...cells(each.figures)),
  )
  const columns = ['', say('right.groupAlarm'), ...OF_PARTS.map((name) => t(`performance.${name}`))]
  return (
    <section class="card" aria-labelledby="groups-title">
      <h2 id="groups-title">{t('performance.groups')}</h2>
      <Table caption={t('performance.groups')} columns={columns} texts={[1]} rows={rows} />
    </section>
  )
}

/** Predicted against observed where a part is large enough to be shown. */
function useFigureCells(): (figures: Performance['months'][number]['figures']) => readonly string[] {
  const { t, number, share, shareRange } = useRightWords()
  return (figures) => {
    if (figures === null) return [t('performance.hidden'), '', '', '', '']
    const { outcomes, events, observed, risks } = figures
    return [
      number(outcomes),
      number(events),
      share(risks?.meanPredicted ?? null),
      share(observed.value),
      shareRange(observed.from, observed.to),
    ]
  }
}
