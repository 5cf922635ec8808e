/** The audit, row by row: filtered by key, deployment, time, outcome and kind of call, and exported. It holds nothing of a patient. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useWords, type Words } from '../i18n/words.ts'
import { csvText } from '../list/export/write-csv.ts'
import { saveFile } from '../save-file.ts'
import { Button } from '../ui/button.tsx'
import { Empty, Failure, Loading } from '../ui/status.tsx'
import { toFailure, useAnswer } from '../use-answer.ts'
import { listKeys, readAudit, type AuditFacts, type AuditFilter, type KeyInfo } from './admin-calls.ts'
import { AuditFilters } from './audit-filters.tsx'

const PAGE_ROWS = 25
const EXPORT_ROWS = 500
const MOST_EXPORTED = 10_000

export function AuditView(): VNode {
  const { t } = useWords()
  const [filter, setFilter] = useState<AuditFilter>({ calls: 'scoring' })
  const [pages, setPages] = useState<readonly (number | undefined)[]>([undefined])
  const { answer: keys } = useAnswer(listKeys)
  const before = pages.at(-1)
  return (
    <section class="card" aria-labelledby="audit-title">
      <h2 id="audit-title">{t('audit.title')}</h2>
      <AuditFilters
        filter={filter}
        keys={keys ?? []}
        onChange={(parts) => {
          setFilter({ ...filter, ...parts })
          setPages([undefined])
        }}
      />
      <AuditPageView
        // Another page or another filter is another question.
        key={`${JSON.stringify(filter)} ${String(before)}`}
        filter={filter}
        keys={keys ?? []}
        before={before}
        isFirst={pages.length === 1}
        onOlder={(next) => setPages([...pages, next])}
        onNewer={() => setPages(pages.slice(0, -1))}
      />
    </section>
  )
}

function AuditPageView(props: {
  readonly filter: AuditFilter
  readonly keys: readonly KeyInfo[]
  readonly before: number | undefined
  readonly isFirst: boolean
  readonly onOlder: (before: number) => void
  readonly onNewer: () => void
}): VNode {
  const words = useWords()
  const { t } = words
  const { answer, failure, again } = useAnswer(() => readAudit(props.filter, PAGE_ROWS, props.before))
  const [fault, setFault] = useState(failure)
  const next = answer?.next ?? undefined
  const save = (): void => {
    exportRows(words, props.filter, props.keys).catch((error: unknown) => setFault(toFailure(error)))
  }
  return (
    <>
      <div class="actions">
        <Button class="small" disabled={props.isFirst} onClick={props.onNewer} text={t('audit.newer')} />
        <Button
          class="small"
          disabled={next === undefined}
          onClick={() => next !== undefined && props.onOlder(next)}
          text={t('audit.older')}
        />
        <Button class="small" onClick={again} text={t('operations.refresh')} />
        <Button class="small" disabled={answer?.rows.length === 0} onClick={save} text={t('audit.export')} />
      </div>
      {failure !== undefined && <Failure failure={failure} onAgain={again} />}
      {fault !== undefined && <Failure failure={fault} />}
      {answer === undefined && failure === undefined && <Loading text={t('app.loading')} />}
      {answer?.rows.length === 0 && <Empty title={t('audit.empty')} />}
      {answer !== undefined && answer.rows.length > 0 && <AuditTable rows={answer.rows} keys={props.keys} />}
    </>
  )
}

function AuditTable(props: {
  readonly rows: readonly AuditFacts[]
  readonly keys: readonly KeyInfo[]
}): VNode {
  const words = useWords()
  const { t } = words
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-labelledby="audit-title">
      <table class="plain-table stacked audit" role="table">
        <thead>
          <tr>
            <th scope="col">{t('audit.at')}</th>
            <th scope="col">{t('audit.call')}</th>
            <th scope="col">{t('audit.key')}</th>
            <th scope="col">{t('app.deployment')}</th>
            <th scope="col">{t('audit.status')}</th>
            <th scope="col" class="figure">
              {t('usage.records')}
            </th>
            <th scope="col" class="figure">
              {t('usage.problems')}
            </th>
            <th scope="col" class="figure">
              ms
            </th>
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={row.seq} role="row">
              <th scope="row" role="rowheader" class="when">
                {words.seconds(row.at)}
              </th>
              <td role="cell" data-name={t('audit.call')}>
                {row.call} {row.via === 'page' && <span class="tag">{t('audit.own')}</span>}
              </td>
              <td role="cell" data-name={t('audit.key')}>
                {keyName(props.keys, row.keyId) ?? row.keyId ?? '–'}
              </td>
              <td role="cell" data-name={t('app.deployment')}>
                {row.deployment ?? '–'}
              </td>
              <td role="cell" data-name={t('audit.status')}>
                <span class={(row.status ?? 0) >= 400 ? 'tag bad' : 'tag'}>{row.status ?? '–'}</span>{' '}
                <span class="quiet">{row.code ?? ''}</span>
              </td>
              <td role="cell" class="figure" data-name={t('usage.records')}>
                {row.records === undefined ? '–' : words.number(row.records)}
              </td>
              <td role="cell" class="figure" data-name={t('usage.problems')}>
                {row.problems === undefined ? '–' : words.number(problemCount(row))}
              </td>
              <td role="cell" class="figure" data-name="ms">
                {row.durationMs === undefined ? '–' : words.number(row.durationMs, 1)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function keyName(keys: readonly KeyInfo[], id: string | null): string | undefined {
  return keys.find((key) => key.id === id)?.name
}

function problemCount({ problems }: AuditFacts): number {
  return Object.values(problems ?? {}).reduce((sum, count) => sum + count, 0)
}

const EXPORTED = [
  'seq',
  'at',
  'call',
  'key',
  'keyId',
  'deployment',
  'model',
  'status',
  'code',
  'records',
  'scored',
  'problems',
  'durationMs',
  'via',
] as const

/** Every row that the filter lets through, newest first, as CSV. */
async function exportRows(words: Words, filter: AuditFilter, keys: readonly KeyInfo[]): Promise<void> {
  const rows: string[][] = [[...EXPORTED]]
  let before: number | undefined
  do {
    const page = await readAudit(filter, EXPORT_ROWS, before)
    for (const row of page.rows) {
      const { problems, ...plain } = row
      const facts: Readonly<Record<string, string | number | null | undefined>> = {
        ...plain,
        key: keyName(keys, row.keyId) ?? '',
        problems: problems === undefined ? '' : problemCount(row),
      }
      rows.push(EXPORTED.map((name) => String(facts[name] ?? '')))
    }
    before = page.next ?? undefined
  } while (before !== undefined && rows.length < MOST_EXPORTED)
  saveFile(
    `${words.t('audit.file')}-${new Date().toISOString().slice(0, 10)}.csv`,
    csvText(rows, ','),
    'text/csv',
  )
}
