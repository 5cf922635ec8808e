/** What the columns mean: suggestions beside samples of the data, changed by the reader, then scored. */
import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { subjectOf } from '../../i18n/field-names.ts'
import { useWords } from '../../i18n/words.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import type { Model } from '../../shapes/model.ts'
import { useShared } from '../../state.ts'
import { PLAIN_READING, type Reading } from './convert-cell.ts'
import { fieldIn } from '../../patient/form/read-input.ts'
import { discardList } from '../leave-list.ts'
import { list, textOfCell } from '../list-state.ts'
import {
  IDENTIFIER,
  NOT_USED,
  forgetMatches,
  missingInputs,
  rememberMatches,
  rememberedMatches,
} from './match-columns.ts'
import { MatchSelect, allowedText } from './match-options.tsx'
import { ReadOptionsForm } from '../read/read-options-form.tsx'
import { SheetNotes } from '../read/sheet-notes.tsx'
import { ReadingOptions, measureParts } from './reading-options.tsx'
import type { Sheet } from '../read/sheet.ts'
import { scoreList } from '../score/score-list.ts'
import { statedMeasure } from './stated-measure.ts'
import { doubtfulValues, suggestReading } from './suggest-reading.ts'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/choice.tsx'

const SAMPLES = 4
const NAMED_REPEATS = 3

export function MatchView(props: { readonly model: Model; readonly catalogue: FieldCatalogue }): VNode {
  const { model, catalogue } = props
  const words = useWords()
  const { t, language } = words
  // Columns may mean items of instruments, which English names without further texts.
  const { sheet, matches, readings } = useShared(list)
  const [isRemembered, setRemembered] = useState(Object.keys(rememberedMatches()).length > 0)
  const identifier = matches.indexOf(IDENTIFIER)
  const repeated = useMemo(
    () => (sheet === undefined || identifier < 0 ? [] : repeatedTexts(sheet, identifier)),
    [sheet, identifier],
  )
  const doubts = useMemo(
    () =>
      (sheet?.columns ?? []).flatMap((name, column) => {
        const field = catalogue.fields.find((each) => each.name === matches[column])
        const reading = readings[column] ?? PLAIN_READING
        const values = sheet === undefined ? [] : doubtfulValues(sheet, column, field, reading)
        const stated = reading.measure === '' ? statedMeasure(name, field) : undefined
        return [
          ...values.map((value) => words.t('match.doubt', { column: name, value })),
          ...(field === undefined || stated === undefined
            ? []
            : [words.t('match.measure', { column: name, ...measureParts(words, field, stated) })]),
        ]
      }),
    [sheet, matches, readings, catalogue, words],
  )
  if (sheet === undefined) return <></>
  const missing = missingInputs(model, matches)
  const names = missing.map(({ name }) => subjectOf(language, catalogue, name).text)
  const scored = sheet.rows.length - sheet.rejected.size
  const ofDoubts = doubts.length > 0 ? 'match-doubts' : undefined
  const start = (): void => {
    if (isRemembered) rememberMatches(sheet.columns, matches)
    else forgetMatches()
    void scoreList(model, catalogue)
  }
  return (
    <section class="card matching" aria-labelledby="match-title">
      <h2 id="match-title" class="step-title" tabIndex={-1}>
        {t('match.title')}
      </h2>
      <p class="quiet">
        {sheet.name} · {words.count('rows', sheet.rows.length)} ·{' '}
        {words.count('columns', sheet.columns.length)}
      </p>
      <p>{t('match.lead')}</p>
      <ReadOptionsForm catalogue={catalogue} />
      <SheetNotes sheet={sheet} catalogue={catalogue} />
      {sheet.rejected.size > 0 && <Rejected sheet={sheet} />}
      {repeated.length > 0 && (
        <p class="notice warn">
          {t('match.repeated', {
            identifiers: words.count('identifiers', repeated.length),
            names: repeated.slice(0, NAMED_REPEATS).join(', '),
          })}
        </p>
      )}
      <div class="scroll-x" tabIndex={0} role="group" aria-labelledby="match-title">
        <table class="plain-table match" role="table">
          <thead>
            <tr>
              <th scope="col">{t('match.column')}</th>
              <th scope="col">{t('match.samples')}</th>
              <th scope="col">{t('match.means')}</th>
              <th scope="col">{t('match.allowed')}</th>
            </tr>
          </thead>
          <tbody>
            {sheet.columns.map((column, index) => {
              const match = matches[index] ?? NOT_USED
              const field = catalogue.fields.find(({ name }) => name === match)
              return (
                <tr key={index} role="row">
                  <th scope="row" role="rowheader">
                    {column}
                  </th>
                  <td class="samples" role="cell">
                    {samplesOf(sheet, index)}
                  </td>
                  <td role="cell">
                    <MatchSelect
                      model={model}
                      catalogue={catalogue}
                      column={column}
                      match={match}
                      onChoose={(next) => choose(catalogue, index, next)}
                    />
                    {field !== undefined && (
                      <ReadingOptions
                        sheet={sheet}
                        column={index}
                        field={field}
                        reading={readings[index] ?? PLAIN_READING}
                        onChange={(parts) => setReading(index, parts)}
                      />
                    )}
                  </td>
                  <td class="quiet" role="cell">
                    {field === undefined ? '' : allowedText(words, fieldIn(field, readings[index]?.unit))}
                    {match === IDENTIFIER && t('match.identifierNote')}
                    {match === NOT_USED && t('match.unusedNote')}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {missing.length > 0 && (
        <p class="notice warn" role="status" id="match-missing">
          {t('match.missing')} <strong>{names.join(', ')}</strong>.
        </p>
      )}
      {doubts.length > 0 && (
        <div class="notice warn" role="status" id="match-doubts">
          <p>{t('match.undecided')}</p>
          <ul>
            {doubts.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </div>
      )}
      <Check label={t('match.remember')} isOn={isRemembered} onChange={setRemembered} />
      <div class="actions">
        <Button
          class="primary"
          disabled={missing.length > 0 || doubts.length > 0 || scored === 0}
          aria-describedby={missing.length > 0 ? 'match-missing' : ofDoubts}
          onClick={start}
          text={t('match.score', { rows: words.count('rows', scored) })}
        />
        <Button onClick={discardList} text={t('match.other')} />
      </div>
    </section>
  )
}

/** Rows that are not scored, with their lines. */
function Rejected({ sheet }: { readonly sheet: Sheet }): VNode {
  const words = useWords()
  const { t } = words
  const needed = sheet.columns.length
  return (
    <details class="notice warn rejected">
      <summary>{t('match.rejected', { rows: words.count('rows', sheet.rejected.size) })}</summary>
      <ul>
        {[...sheet.rejected].slice(0, 50).map(([row, { cells }]) => (
          <li key={row}>
            {t('match.rejectedLine', {
              line: words.number(sheet.lines[row] ?? 0),
              cells: words.count('cells', cells.length),
              needed: words.number(needed),
            })}
          </li>
        ))}
      </ul>
    </details>
  )
}

/** One field comes from one column: choosing it again takes it away from the other. */
function choose(catalogue: FieldCatalogue, column: number, match: string): void {
  const { sheet, matches } = list.get()
  if (sheet === undefined) return
  const next = matches.map((each, index) => {
    if (index === column) return match
    return each === match ? NOT_USED : each
  })
  const field = catalogue.fields.find(({ name }) => name === match)
  list.patch({ matches: next })
  setReading(column, suggestReading(sheet, column, field))
}

function setReading(column: number, parts: Partial<Reading>): void {
  const { readings, matches } = list.get()
  list.patch({
    readings: matches.map((_match, index) => {
      const reading = readings[index] ?? PLAIN_READING
      return index === column ? { ...reading, ...parts } : reading
    }),
  })
}

function repeatedTexts(sheet: Sheet, column: number): readonly string[] {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (let row = 0; row < sheet.rows.length; row++) {
    const text = textOfCell(sheet, row, column)
    if (text !== '' && seen.has(text)) repeated.add(text)
    seen.add(text)
  }
  return [...repeated]
}

function samplesOf(sheet: Sheet, column: number): string {
  const seen: string[] = []
  for (let row = 0; row < sheet.rows.length && row < 200 && seen.length < SAMPLES; row++) {
    const text = textOfCell(sheet, row, column).trim()
    if (text !== '' && !seen.includes(text)) seen.push(text.length > 24 ? `${text.slice(0, 24)}…` : text)
  }
  return seen.join(' · ')
}
