/** Why a row has its risk: what contributed, what is wrong with it, and the way to look at it as one patient. */
import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiFailure, ask, callOf } from '../api.ts'
import { subjectOf } from '../i18n/field-names.ts'
import { useWords } from '../i18n/words.ts'
import { Contributions } from '../patient/contributions.tsx'
import { Gauge } from '../patient/gauge.tsx'
import { openPatient } from '../patient/change-patient.ts'
import { refuseIfUnknown, session } from '../session.ts'
import type { Explained, PatientRecord } from '../shapes/answers.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import type { Model } from '../shapes/model.ts'
import { ProblemNote } from '../ui/problem-note.tsx'
import { Failure, Loading } from '../ui/status.tsx'
import { identifierOf, list } from './list-state.ts'
import { recordOfRow, rowText, sentColumns } from './row-text.ts'

export interface RowDetailProps {
  readonly row: number
  readonly model: Model
  readonly catalogue: FieldCatalogue
}

export function RowDetail({ row, model, catalogue }: RowDetailProps): VNode {
  const { t, number } = useWords()
  const [answer, setAnswer] = useState<Explained | ApiFailure | undefined>(undefined)
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
    void explainRow(row, catalogue).then(setAnswer)
  }, [row])
  const close = (): void => list.patch({ openRow: undefined })
  const identifier = identifierOf(list.get(), row)
  const title = identifier === '' ? t('row.title', { row: number(row + 1) }) : identifier
  return (
    <dialog class="detail" ref={dialog} aria-labelledby="detail-title" onClose={close}>
      <div class="detail-head">
        <h2 id="detail-title">{title}</h2>
        <button type="button" onClick={() => dialog.current?.close()}>
          {t('close')}
        </button>
      </div>
      {answer === undefined && <Loading text={t('app.loading')} />}
      {answer instanceof ApiFailure && <Failure failure={answer} />}
      {answer !== undefined && !(answer instanceof ApiFailure) && (
        <Answer answer={answer} model={model} catalogue={catalogue} />
      )}
      <div class="actions">
        <button type="button" onClick={() => openAsPatient(row, catalogue)}>
          {t('row.open')}
        </button>
      </div>
    </dialog>
  )
}

function Answer(props: {
  readonly answer: Explained
  readonly model: Model
  readonly catalogue: FieldCatalogue
}): VNode {
  const { t, risk, language } = useWords()
  const { answer, model, catalogue } = props
  const { explanation } = answer
  const threshold = model.deployment.threshold ?? model.threshold?.risk
  return (
    <>
      {explanation === null ? (
        <p class="empty-title">{t('result.none')}</p>
      ) : (
        <>
          <p class="risk">
            <span class="risk-figure">{risk(explanation.probability)}</span>
            {typeof answer.risk === 'string' && (
              <span class="risk-note">{t(answer.risk === 'Yes' ? 'result.yes' : 'result.no')}</span>
            )}
          </p>
          <Gauge risk={explanation.probability} threshold={threshold} before={undefined} />
          <h3>{t('result.why')}</h3>
          <Contributions explanation={explanation} />
        </>
      )}
      {(answer.error_message ?? []).map((item) => (
        <ProblemNote
          key={item.ExtendError}
          item={item}
          field={catalogue.fields.find(({ name }) => name === item.Field)}
          subject={subjectOf(language, catalogue, item.Field)}
        />
      ))}
    </>
  )
}

async function explainRow(
  row: number,
  catalogue: FieldCatalogue,
): Promise<Explained | ApiFailure | undefined> {
  const { sheet, matches } = list.get()
  const current = session.get()
  if (sheet === undefined || current?.deployment === undefined) return undefined
  const text = `[${rowText(sheet, row, sentColumns(matches, catalogue.fields))}]`
  try {
    const path = callOf(current.deployment.basePath, '/explain')
    const [answer] = await ask<readonly Explained[]>(current.key, path, { method: 'POST', text })
    return answer
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    return refuseIfUnknown(error) ? undefined : error
  }
}

function openAsPatient(row: number, catalogue: FieldCatalogue): void {
  const { sheet, matches } = list.get()
  if (sheet === undefined) return
  const record = Object.entries(recordOfRow(sheet, row, sentColumns(matches, catalogue.fields)))
  openPatient(Object.fromEntries(record.filter(([name]) => name !== 'idx')) as PatientRecord)
  list.patch({ openRow: undefined })
  location.hash = '#/patient'
}
