/** What was answered lately, row by row of the audit. It names keys and counts, and nothing of a patient. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useWords } from '../i18n/words.ts'
import { Empty, Failure, Loading } from '../ui/status.tsx'
import { readAudit } from './admin-calls.ts'
import { useAnswer } from '../use-answer.ts'

export function AuditView(): VNode {
  const [pages, setPages] = useState<readonly (number | undefined)[]>([undefined])
  const before = pages.at(-1)
  return (
    <AuditPageView
      // Another page is another question.
      key={String(before)}
      before={before}
      isFirst={pages.length === 1}
      onOlder={(next) => setPages([...pages, next])}
      onNewer={() => setPages(pages.slice(0, -1))}
    />
  )
}

function AuditPageView(props: {
  readonly before: number | undefined
  readonly isFirst: boolean
  readonly onOlder: (before: number) => void
  readonly onNewer: () => void
}): VNode {
  const words = useWords()
  const { t } = words
  const { answer, failure, again } = useAnswer(() => readAudit(props.before))
  const next = answer?.next ?? undefined
  return (
    <section class="card" aria-labelledby="audit-title">
      <div class="section-head">
        <h2 id="audit-title">{t('audit.title')}</h2>
        <div class="actions">
          <button type="button" class="small" disabled={props.isFirst} onClick={props.onNewer}>
            {t('audit.newer')}
          </button>
          <button
            type="button"
            class="small"
            disabled={next === undefined}
            onClick={() => next !== undefined && props.onOlder(next)}
          >
            {t('audit.older')}
          </button>
          <button type="button" class="small" onClick={again}>
            {t('operations.refresh')}
          </button>
        </div>
      </div>
      {failure !== undefined && <Failure failure={failure} onAgain={again} />}
      {answer === undefined && failure === undefined && <Loading text={t('app.loading')} />}
      {answer?.rows.length === 0 && <Empty title={t('audit.empty')} />}
      {answer !== undefined && answer.rows.length > 0 && (
        <div class="scroll-x" tabIndex={0} role="group" aria-labelledby="audit-title">
          <table class="plain-table">
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
              {answer.rows.map((row) => (
                <tr key={row.seq}>
                  <th scope="row">{words.time(row.at)}</th>
                  <td>{row.call}</td>
                  <td>{row.keyId ?? '–'}</td>
                  <td>{row.deployment ?? '–'}</td>
                  <td>
                    <span class={(row.status ?? 0) >= 400 ? 'tag bad' : 'tag'}>{row.status ?? '–'}</span>{' '}
                    <span class="quiet">{row.code ?? ''}</span>
                  </td>
                  <td class="figure">{row.records === undefined ? '–' : words.number(row.records)}</td>
                  <td class="figure">{countText(row.problems, words.number)}</td>
                  <td class="figure">
                    {row.durationMs === undefined ? '–' : words.number(row.durationMs, 1)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function countText(
  problems: Readonly<Record<string, number>> | undefined,
  show: (value: number) => string,
): string {
  if (problems === undefined) return '–'
  return show(Object.values(problems).reduce((sum, count) => sum + count, 0))
}
