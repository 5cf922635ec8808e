/** How the model did on labelled data, where a report lies beside it: the pictures of the report, in the reader's language. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { type ApiFailure, ask, askText, callOf } from '../api.ts'
import { lookUp } from '../i18n/translate.ts'
import { useWords, type Words } from '../i18n/words.ts'
import { saveFile } from '../save-file.ts'
import { session } from '../session.ts'
import type { Model } from '../shapes/model.ts'
import type { Report } from '../shapes/report.ts'
import { Icon } from '../ui/icon.tsx'
import { Failure, Loading } from '../ui/status.tsx'
import { toFailure, useAnswer } from '../use-answer.ts'
import { CalibrationView } from './calibration-view.tsx'
import { MovesView } from './moves-view.tsx'
import { ReportTiles } from './report-tiles.tsx'
import { SubgroupView } from './subgroup-view.tsx'
import { ThresholdView } from './threshold-view.tsx'

/** Drawn anew for another deployment: its key is the deployment's name. */
export function ReportView({ model }: { readonly model: Model }): VNode {
  const { t } = useWords()
  const { answer, failure, again } = useAnswer(() => askReport())
  return (
    <section class="card report" aria-labelledby="report-title">
      <h2 id="report-title">{t('report.title')}</h2>
      {failure !== undefined && <Failure failure={failure} onAgain={again} />}
      {answer === undefined && failure === undefined && <Loading text={t('app.loading')} />}
      {answer !== undefined && <Content report={answer} model={model} />}
    </section>
  )
}

function Content({ report, model }: { readonly report: Report; readonly model: Model }): VNode {
  const words = useWords()
  const { t } = words
  const { data, figures, recalibration } = report
  const threshold = model.deployment.threshold ?? report.model.threshold
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
            {data.file}
          </span>
        </p>
        <button type="button" class="small" onClick={save}>
          <Icon name="down" />
          {t('report.download')}
        </button>
      </div>
      {failure !== undefined && <Failure failure={failure} />}
      <ReportTiles report={report} />
      <p class="quiet">
        {t('report.data', { read: words.number(data.read), used: words.number(data.used) })}
        {data.assumed !== undefined &&
          ` ${t('report.assumed')} ${data.assumed
            .map(
              ({ input, rows }) =>
                `${lookUp(words.language, `field.${input}`) ?? input} (${words.number(rows)})`,
            )
            .join(', ')}.`}
        {data.leftOut.length > 0 && (
          <>
            {' '}
            {t('report.leftOut')}{' '}
            <span lang="en">
              {data.leftOut.map(({ reason, rows }) => `${reason} (${words.number(rows)})`).join(', ')}.
            </span>
          </>
        )}
      </p>
      {recalibration !== undefined && <MovesView change={recalibration} figures={figures} />}
      <CalibrationView report={report} />
      <ThresholdView report={report} threshold={threshold} />
      {report.subgroups.length > 0 && <SubgroupView report={report} />}
    </>
  )
}

async function askReport(): Promise<Report> {
  const { key, path } = whereFrom('/model/report')
  return ask<Report>(key, path)
}

/** The whole report as one file. It is fetched with the key, so that a plain link would not do. */
async function saveReport(model: Model): Promise<void> {
  const { key, path } = whereFrom('/model/report.html')
  saveFile(`${model.id}-${model.version}-report.html`, await askText(key, path), 'text/html')
}

function whereFrom(name: '/model/report' | '/model/report.html'): { key: string; path: string } {
  const current = session.get()
  return { key: current?.key ?? '', path: callOf(current?.deployment?.basePath ?? '/', name) }
}

/** A day without an hour is the same day everywhere. */
function dayOf(words: Words, iso: string): string {
  return words.day(iso.split('-').reverse().join('-')) ?? iso
}
