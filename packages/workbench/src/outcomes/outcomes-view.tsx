/** Sends what happened to scored patients from a list: a file, the meaning of its columns, and the result of each row. */
import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { readSheet } from '../list/read/read-sheet.ts'
import { SheetFault, type Sheet } from '../list/read/sheet.ts'
import { SheetFaultNote } from '../list/read/sheet-fault-note.tsx'
import { onSessionEnd, session, watchEnd } from '../session.ts'
import { createState, useShared } from '../state.ts'
import { Choice } from '../ui/choice.tsx'
import { Select } from '../ui/select.tsx'
import { NEEDED, PARTS, readOutcomes, suggestColumns, type Columns, type Part } from './read-outcomes.ts'
import { SendRows } from './send-rows.tsx'
import { kindsInLanguages, useOutcomeWords } from './outcome-words.ts'

interface OpenFile {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly sheet: Sheet
  readonly columns: Columns
}

/** The file that is open. It is not shown to the next person. */
const opened = createState<OpenFile | undefined>(undefined)
onSessionEnd(() => opened.set(undefined))

export function OutcomesView(): VNode {
  const { say, t } = useOutcomeWords()
  const current = useShared(session)
  const file = useShared(opened)
  const deployments = current?.summary.outcomes ?? []
  const [name, setName] = useState('')
  // The bar at the top chooses it, where the key may use deployments itself.
  const ofBar = deployments.find((each) => each.name === current?.deployment?.name)
  const deployment = ofBar ?? deployments.find((each) => each.name === name) ?? deployments[0]
  return (
    <div class="operations send-outcomes">
      <div class="view-head">
        <div>
          <h1 tabIndex={-1}>{say('outcomes.title')}</h1>
          <p class="lead">{say('outcomes.lead')}</p>
        </div>
        {ofBar === undefined && deployments.length > 1 && (
          <label class="of-deployment">
            <span>{t('app.deployment')}</span>
            <Select
              value={deployment?.name ?? ''}
              onChange={setName}
              options={deployments.map((each) => [each.name, each.name])}
            />
          </label>
        )}
      </div>
      {file === undefined && <TakeFile />}
      {file !== undefined && deployment !== undefined && (
        <OfFile key={deployment.name} file={file} deployment={deployment} />
      )}
    </div>
  )
}

function TakeFile(): VNode {
  const { say } = useOutcomeWords()
  const [fault, setFault] = useState<SheetFault | undefined>(undefined)
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return
    const hasEnded = watchEnd()
    const { name } = file
    try {
      const bytes = new Uint8Array(await file.arrayBuffer())
      const sheet = await readSheet({ name, bytes })
      const columns = suggestColumns(sheet.columns)
      if (!hasEnded()) opened.set({ name, bytes, sheet, columns })
    } catch (error) {
      if (!(error instanceof SheetFault)) throw error
      setFault(error)
    }
  }
  return (
    <section class="card" aria-label={say('outcomes.file')}>
      <p>{say('outcomes.what')}</p>
      <p>{say('outcomes.words')}</p>
      <p>{say('outcomes.columns')}</p>
      <div class="actions">
        <label class="button primary">
          {say('outcomes.file')}
          <input
            type="file"
            class="visually-hidden"
            accept=".csv,.tsv,.txt,.xlsx,.json,.ndjson,.jsonl"
            onChange={(event) => void take(event.currentTarget.files?.[0])}
          />
        </label>
      </div>
      <p class="quiet">{say('outcomes.kinds')}</p>
      {fault !== undefined && <SheetFaultNote fault={fault} />}
    </section>
  )
}

type OfFileProps = Readonly<{ file: OpenFile; deployment: Parameters<typeof SendRows>[0]['deployment'] }>

function OfFile({ file, deployment }: OfFileProps): VNode {
  const { say } = useOutcomeWords()
  const { sheet, columns } = file
  const read = useMemo(() => readOutcomes(sheet, columns, kindsInLanguages()), [sheet, columns])
  const lacking = NEEDED.filter((part) => columns[part] === undefined)
  const choose = (part: Part, column: string): void => {
    const others = Object.fromEntries(Object.entries(columns).filter(([name]) => name !== part)) as Columns
    opened.set({ ...file, columns: column === '' ? others : { ...others, [part]: Number(column) } })
  }
  const options = [
    ['', say('outcomes.notUsed')] as const,
    ...sheet.columns.map((name, column) => [String(column), name] as const),
  ]
  return (
    <>
      <section class="card" aria-labelledby="match-title">
        <h2 id="match-title">{say('outcomes.match')}</h2>
        <p class="quiet">{file.name}</p>
        <div class="outcome-columns">
          {PARTS.map((part) => (
            <Choice
              key={part}
              label={say(`part.${part}`)}
              value={columns[part] === undefined ? '' : String(columns[part])}
              options={options}
              onChoose={(column) => choose(part, column)}
            />
          ))}
        </div>
        {lacking.length > 0 && (
          <p class="notice warn">
            {say('outcomes.lacking', { parts: lacking.map((part) => say(`part.${part}`)).join(', ') })}
          </p>
        )}
      </section>
      {lacking.length === 0 && (
        <SendRows
          key={JSON.stringify(columns)}
          {...file}
          read={read}
          deployment={deployment}
          onOther={() => opened.set(undefined)}
        />
      )}
    </>
  )
}
