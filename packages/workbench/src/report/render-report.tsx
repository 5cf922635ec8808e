/**
 * Writes a report as one page of HTML that needs nothing else: no script, no font, no address. The build makes one file
 * of it, which `patient-risk learn` loads.
 */
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { parseJson } from 'patient-risk-engine/read'
import { DocumentWords, makeWords } from '../i18n/words.ts'
import type { FollowUpReport } from '../shapes/follow-up.ts'
import type { Monitoring } from '../shapes/monitoring.ts'
import type { Report } from '../shapes/report.ts'
import { FollowUpContent } from './follow-up-content.tsx'
import { MonitorContent } from './monitor-content.tsx'
import { ReportContent } from './report-content.tsx'
import { useReportWords } from './report-words.ts'

/** The style sheet, which the build puts here. */
declare const REPORT_STYLE: string

const WORDS = makeWords('en', 'en-GB')

export function renderReport(given: object): string {
  const report = asSent(given) as Report
  const { id, version, title, threshold } = report.model
  return documentOf({
    kind: report.kind,
    title,
    about: `${id}@${version} · ${report.made} · ${report.data.file}`,
    content: <ReportContent report={report} threshold={threshold} />,
  })
}

export function renderMonitoring(given: object): string {
  return documentOf({
    kind: 'monitoring',
    content: <MonitorContent monitoring={asSent(given) as Monitoring} />,
  })
}

export function renderFollowUp(given: object): string {
  const report = asSent(given) as FollowUpReport
  const { id, version, title } = report.model
  return documentOf({
    kind: report.kind,
    title,
    about: `${id}@${version} · ${report.made} · ${report.data.file}`,
    content: <FollowUpContent report={report} />,
  })
}

/** As the service would send it: a figure that cannot be worked out is null. So the page shows what the JSON file says. */
function asSent(given: object): unknown {
  return parseJson(JSON.stringify(given))
}

interface DocumentProps {
  readonly kind: Report['kind'] | FollowUpReport['kind'] | 'monitoring'
  readonly title?: string
  readonly about?: string
  readonly content: VNode
}

function documentOf(props: DocumentProps): string {
  const page = (
    <DocumentWords.Provider value={WORDS}>
      <Document {...props} />
    </DocumentWords.Provider>
  )
  return `<!doctype html>\n${renderToString(page)}\n`
}

function Document({ kind, title, about, content }: DocumentProps): VNode {
  const { t } = useReportWords()
  const kindText = t(`report.document.${kind}`)
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{about === undefined ? kindText : `${kindText}: ${about}`}</title>
        <style dangerouslySetInnerHTML={{ __html: REPORT_STYLE }} />
      </head>
      <body>
        <header>
          {title !== undefined && <p class="kind">{kindText}</p>}
          <h1>{title ?? kindText}</h1>
          {about !== undefined && <p class="quiet">{about}</p>}
        </header>
        <main class="report">{content}</main>
        <footer>{t('report.footer')}</footer>
      </body>
    </html>
  )
}
