/** One row of a list: why it has its risk, what is wrong with it, and a way to open it as one patient. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ApiFailure, ask, callOf } from '../../api.ts'
import { subjectOf } from '../../i18n/field-names.ts'
import { useWords } from '../../i18n/words.ts'
import { Contributions } from '../../patient/result/contributions.tsx'
import { Gauge } from '../../patient/result/gauge.tsx'
import { Notices, RangeNote } from '../../patient/result/notices.tsx'
import { PopulationNote } from '../../patient/result/population-note.tsx'
import { samplingTexts, thresholdOf } from '../../patient/result/rests-on-words.ts'
import { ScaleList } from '../../patient/result/scale-list.tsx'
import { openPatient } from '../../patient/change-patient.ts'
import { scoreText } from '../../patient/result/score-text.ts'
import { fieldIn } from '../../patient/form/read-input.ts'
import { chooseDeployment, refuseIfUnknown, session } from '../../session.ts'
import type { Explained, PatientRecord } from '../../shapes/answers.ts'
import type { Field, FieldCatalogue } from '../../shapes/fields.ts'
import { meaningOfCode } from '../../shapes/sent-code.ts'
import { AlarmNote } from '../../ui/alarm-note.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { ChangedTerms } from '../../ui/changed-terms.tsx'
import { Failure, Loading } from '../../ui/status.tsx'
import { MarkForm } from '../history/mark-form.tsx'
import { identifierOf, lineOf, list, namedIdentifier, type ScoredBy } from '../list-state.ts'
import { recordOfRow, rowText, sentColumns } from '../score/row-text.ts'
import { scoreUnderNewTerms } from '../score/score-list.ts'

export function RowDetail({ row, scoredBy }: Readonly<{ row: number; scoredBy: ScoredBy }>): VNode {
  const { t, number } = useWords()
  const [answer, setAnswer] = useState<Explained | ApiFailure | undefined>(undefined)
  const rejected = list.get().sheet?.rejected.get(row)
  const isRejected = rejected !== undefined
  useEffect(() => {
    if (!isRejected) void explainRow(row, scoredBy).then(setAnswer)
  }, [row])
  const close = (): void => list.patch({ openRow: undefined })
  const identifier = identifierOf(list.get(), row)
  const line = number(lineOf(list.get(), row))
  const title = identifier === '' ? t('row.title', { row: line }) : identifier
  return (
    <Dialog title={title} onClose={close}>
      <MarkForm row={row} />
      {rejected !== undefined && (
        <>
          <Problems row={row} catalogue={scoredBy.catalogue} />
          <p class="original">{rejected.cells.join(' | ')}</p>
        </>
      )}
      {answer === undefined && !isRejected && <Loading text={t('app.loading')} />}
      {answer instanceof ApiFailure &&
        (answer.isOfChange ? (
          <ChangedTerms action={t('changed.all')} onLoad={() => void scoreUnderNewTerms('all')} />
        ) : (
          <Failure failure={answer} />
        ))}
      {answer !== undefined && !(answer instanceof ApiFailure) && (
        <Answer answer={answer} row={row} scoredBy={scoredBy} />
      )}
      {!isRejected && (
        <div class="actions">
          <button type="button" onClick={() => openAsPatient(row, scoredBy)}>
            {t('row.open')}
          </button>
        </div>
      )}
    </Dialog>
  )
}

function Problems({ row, catalogue }: { readonly row: number; readonly catalogue: FieldCatalogue }): VNode {
  const { language } = useWords()
  return (
    <>
      {list
        .get()
        .results.problemsOf(row)
        .map((item) => (
          <ProblemNote
            key={item.ExtendError}
            item={item}
            field={fieldOf(catalogue, item.Field)}
            subject={subjectOf(language, catalogue, item.Field)}
          />
        ))}
    </>
  )
}

function Answer(props: {
  readonly answer: Explained
  readonly row: number
  readonly scoredBy: ScoredBy
}): VNode {
  const words = useWords()
  const { t, risk } = words
  const { model, catalogue } = props.scoredBy
  const { answer } = props
  const { explanation } = answer
  const threshold = thresholdOf(model)
  const score = explanation === null ? undefined : scoreText(words, model, explanation)
  return (
    <>
      {explanation === null ? (
        <p class="empty-title">{t('result.none')}</p>
      ) : (
        <>
          <AlarmNote deployment={model.deployment.name} answered={list.get().results.alarmOf(props.row)} />
          <p class="risk">
            <span class="risk-figure">{risk(explanation.probability, threshold)}</span>
            {typeof answer.risk === 'string' && (
              <span class="risk-note">{t(answer.risk === 'Yes' ? 'result.yes' : 'result.no')}</span>
            )}
          </p>
          {score !== undefined && <p class="score">{score}</p>}
          <Gauge risk={explanation.probability} threshold={threshold} before={undefined} />
          {samplingTexts(words, explanation).map((text) => (
            <p key={text} class="quiet sampling">
              {text}
            </p>
          ))}
        </>
      )}
      <RangeNote catalogue={catalogue} answer={answer} model={model} />
      <Notices catalogue={catalogue} answer={answer} />
      <ScaleList catalogue={catalogue} scales={answer.scales} />
      {explanation !== null && (
        <>
          <h3>{t('result.why')}</h3>
          <Contributions model={model} catalogue={catalogue} explanation={explanation} />
          <PopulationNote model={model} />
        </>
      )}
      <Problems row={props.row} catalogue={catalogue} />
    </>
  )
}

/** A field in the unit of its column, which the reader corrects cells in. */
function fieldOf({ fields }: FieldCatalogue, name: string): Field | undefined {
  const { matches, readings } = list.get()
  const field = fields.find((each) => each.name === name)
  return field === undefined ? undefined : fieldIn(field, readings[matches.indexOf(name)]?.unit)
}

async function explainRow(
  row: number,
  { deployment, model, catalogue }: ScoredBy,
): Promise<Explained | ApiFailure | undefined> {
  const { sheet, results } = list.get()
  const current = session.get()
  if (sheet === undefined || current === undefined) return undefined
  const text = `[${rowText(sheet, row, sentColumns(list.get(), catalogue.fields))}]`
  // An explanation under other terms would not be that of the risk in the list.
  const digest = results.digestOf(row) ?? model.deployment.digest
  const call = { method: 'POST', text, digest } as const
  try {
    const [answer] = await ask<readonly Explained[]>(
      current.key,
      callOf(deployment.basePath, '/explain'),
      call,
    )
    return answer
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    return refuseIfUnknown(error) ? undefined : error
  }
}

/** The values of a row as the form shows them, without the number that the page gave the record. */
function patientOf(row: number, { fields }: FieldCatalogue): PatientRecord {
  const { sheet } = list.get()
  if (sheet === undefined) return {}
  const shown = Object.entries(recordOfRow(sheet, row, sentColumns(list.get(), fields)))
    .filter(([name]) => name !== 'idx')
    .flatMap(([name, value]) => {
      const field = fields.find((each) => each.name === name)
      const meaning = field && typeof value === 'string' ? meaningOfCode(field, value) : undefined
      return meaning === null ? [] : [[name, meaning ?? value]]
    })
  return Object.fromEntries(shown) as PatientRecord
}

/** Opens the row in the form, with the deployment that scored it. */
function openAsPatient(row: number, { deployment, catalogue }: ScoredBy): void {
  void chooseDeployment(deployment.name)
  openPatient(patientOf(row, catalogue), catalogue.fields, namedIdentifier(list.get(), row))
  list.patch({ openRow: undefined })
  location.hash = '#/patient'
}
