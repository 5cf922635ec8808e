/** How the model did on labelled data, where its folder has a report: the whole report, in the reader's language. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { type ApiFailure, ask, askText, callOf } from '../api.ts'
import type { Words } from '../i18n/words.ts'
import { saveFile } from '../save-file.ts'
import { session } from '../session.ts'
import type { Model } from '../shapes/model.ts'
import type { Report } from '../shapes/report.ts'
import { Icon } from '../ui/icon.tsx'
import { OnDemand } from '../ui/on-demand.tsx'
import { Failure } from '../ui/status.tsx'
import { toFailure } from '../use-answer.ts'
import { ReportContent } from './report-content.tsx'
import { useReportWords } from './report-words.ts'

/** Its key is the name of the deployment, so another deployment gets a view of its own. */
export function ReportView({ model }: { readonly model: Model }): VNode {
  const { t } = useReportWords()
  return (
    <section class="card report" aria-labelledby="report-title">
      <h2 id="report-title">{t('report.title')}</h2>
      <OnDemand load={askReport} draw={(report) => <Content report={report} model={model} />} />
    </section>
  )
}

function Content({ report, model }: { readonly report: Report; readonly model: Model }): VNode {
  const words = useReportWords()
  const { t } = words
  const [failure, setFailure] = useState<ApiFailure | undefined>(undefined)
  const save = (): void => {
    setFailure(undefined)
    saveReport(model).catch((error: unknown) => setFailure(toFailure(error)))
  }
  return (
    <>
      <div class="section-head">
        <p>
          {t(`report.kind.${report.kind}`, { date: dayOf(words, report.made) })}{' '}
          <span class="quiet" lang="en">
            {report.data.file}
          </span>
        </p>
        <button type="button" class="small" onClick={save}>
          <Icon name="down" />
          {t('report.download')}
        </button>
      </div>
      {failure !== undefined && <Failure failure={failure} />}
      <ReportContent report={report} threshold={model.deployment.threshold ?? report.model.threshold} />
    </>
  )
}

async function askReport(): Promise<Report> {
  const { key, path } = whereFrom('/model/report')
  return ask<Report>(key, path)
}

/** The whole report as one file. It is fetched with the key, so a plain link does not work. */
async function saveReport(model: Model): Promise<void> {
  const { key, path } = whereFrom('/model/report.html')
  saveFile(`${model.id}-${model.version}-report.html`, await askText(key, path), 'text/html')
}

function whereFrom(name: '/model/report' | '/model/report.html'): { key: string; path: string } {
  const current = session.get()
  return { key: current?.key ?? '', path: callOf(current?.deployment?.basePath ?? '/', name) }
}

/** A day without an hour is the same day everywhere. */
function dayOf(words: Pick<Words, 'day'>, iso: string): string {
  return words.day(iso.split('-').reverse().join('-')) ?? iso
}
