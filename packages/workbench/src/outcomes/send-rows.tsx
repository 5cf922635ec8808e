/** Sends the rows of a file, and shows what became of each. What got no answer can be sent again: nothing is counted twice. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { ApiFailure } from '../api.ts'
import { textOfCell } from '../list/list-state.ts'
import { csvText } from '../list/export/write-csv.ts'
import type { Sheet } from '../list/read/sheet.ts'
import { saveFile } from '../save-file.ts'
import { watchEnd } from '../session.ts'
import type { DeploymentSummary } from '../shapes/answers.ts'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/status.tsx'
import { Table, tableRow } from '../ui/table.tsx'
import { toFailure } from '../use-answer.ts'
import { useOutcomeWords, type OutcomeKey, type OutcomeWords } from './outcome-words.ts'
import type { Columns, ReadRow } from './read-outcomes.ts'
import { PART_ROWS, keyOfPart, sendPart, type OutcomeAnswer } from './send-outcomes.ts'

interface SendRowsProps {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly sheet: Sheet
  readonly columns: Columns
  readonly read: readonly ReadRow[]
  readonly deployment: DeploymentSummary
  readonly onOther: () => void
}

type Answers = ReadonlyMap<number, OutcomeAnswer>

const MOST_SHOWN = 200

export function SendRows(props: SendRowsProps): VNode {
  const words = useOutcomeWords()
  const { say, number, t } = words
  const { name, bytes, sheet, columns, read, deployment } = props
  const [answers, setAnswers] = useState<Answers>(new Map())
  const [failure, setFailure] = useState<ApiFailure | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const elements = read.flatMap((each) => ('element' in each ? [each.element] : []))
  const send = async (): Promise<void> => {
    setBusy(true)
    setFailure(undefined)
    const hasEnded = watchEnd()
    const all = new Map(answers)
    try {
      // Parts keep their places in every try, so that the service knows each of them again.
      for (let from = 0; from < elements.length && !hasEnded(); from += PART_ROWS) {
        const part = elements.slice(from, from + PART_ROWS)
        if (part.every(({ idx }) => all.has(idx))) continue
        const answered = await sendPart(
          deployment,
          part,
          await keyOfPart(bytes, columns, deployment.name, from),
        )
        part.forEach(({ idx }, place) => {
          const answer = answered[place]
          if (answer !== undefined) all.set(idx, answer)
        })
        setAnswers(new Map(all))
      }
    } catch (error) {
      setFailure(toFailure(error))
    }
    setBusy(false)
  }
  const counted = [...answers.values()].filter((each) => each.counted).length
  const isDone = answers.size === elements.length && elements.length > 0
  const refused = answers.size - counted
  const figures = {
    counted: number(counted),
    refused: number(refused),
    unsent: number(read.length - answers.size),
  }
  const isLost = ({ row }: ReadRow): boolean => answers.get(row + 1)?.counted !== true
  const lost = read.filter(isLost)
  const download = (): void => {
    const head = [...sheet.columns, say('outcomes.result')]
    const rows = lost.map((each) => [
      ...(sheet.rejected.get(each.row)?.cells ??
        sheet.columns.map((_name, at) => textOfCell(sheet, each.row, at))),
      resultText(words, each, answers),
    ])
    const base = name.replace(/\.[a-z]+$/i, '')
    saveFile(`${base}-${say('outcomes.fileName')}.csv`, csvText([head, ...rows], sheet.delimiter), 'text/csv')
  }
  // What needs attention comes first.
  const shown = [...lost, ...read.filter((each) => !isLost(each))].slice(0, MOST_SHOWN)
  const isBegun = answers.size > 0
  return (
    <section class="card" aria-labelledby="rows-title">
      <h2 id="rows-title">{say('outcomes.table')}</h2>
      <p role="status">
        {isBegun
          ? say('outcomes.done', figures)
          : say('outcomes.ready', { sent: number(elements.length), rows: number(read.length) })}
      </p>
      {failure !== undefined && <Failure failure={failure} />}
      <div class="actions">
        {!isDone && (
          <Button
            class="primary"
            disabled={isBusy || elements.length === 0}
            onClick={() => void send()}
            text={buttonText(words, isBusy, isBegun || failure !== undefined, elements.length)}
          />
        )}
        {isBegun && lost.length > 0 && <Button onClick={download} text={say('outcomes.download')} />}
        <Button onClick={props.onOther} disabled={isBusy} text={say('outcomes.other')} />
      </div>
      <p class="quiet">{say('outcomes.noTwice')}</p>
      <Table
        caption={say('outcomes.table')}
        columns={[say('outcomes.line'), say('part.identifier'), say('part.outcome'), say('outcomes.result')]}
        texts={[1, 2, 3]}
        rows={shown.map((each) =>
          tableRow(
            number(sheet.lines[each.row] ?? each.row + 1),
            columns.identifier === undefined ? '' : textOfCell(sheet, each.row, columns.identifier),
            'element' in each ? say(`kind.${each.element.outcome}`) : '–',
            resultText(words, each, answers),
          ),
        )}
      />
      {read.length > MOST_SHOWN && <p class="quiet">{say('outcomes.more', { n: number(MOST_SHOWN) })}</p>}
      {isBusy && <p class="quiet">{t('app.loading')}</p>}
    </section>
  )
}

function buttonText({ say, number }: OutcomeWords, isBusy: boolean, isAgain: boolean, size: number): string {
  if (isBusy) return say('outcomes.sending')
  return isAgain ? say('outcomes.again') : say('outcomes.send', { n: number(size) })
}

const REFUSED = ['outcome', 'was', 'risk', 'digest', 'scored', 'group'] as const

function resultText({ say }: OutcomeWords, each: ReadRow, answers: Answers): string {
  if ('fault' in each) return say(`fault.${each.fault}`)
  const answer = answers.get(each.element.idx)
  if (answer === undefined) return say('outcomes.waiting')
  if (answer.counted) return say('outcomes.counted')
  const texts = (answer.error_message ?? []).map((item): OutcomeKey => {
    const known = REFUSED.find((name) => name === item.Field)
    return known === undefined ? 'refused.other' : `refused.${known}`
  })
  return [...new Set(texts)].map((key) => say(key)).join('; ') || say('refused.other')
}
