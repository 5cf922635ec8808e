/** Which column means what: the suggestion beside samples of the data, changed by the reader, then scored. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { fullLabelOf } from '../i18n/field-names.ts'
import { useWords } from '../i18n/words.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import type { Model } from '../shapes/model.ts'
import { useShared } from '../state.ts'
import { EMPTY_LIST, list, textOfCell } from './list-state.ts'
import { IDENTIFIER, NOT_USED, forgetMatches, rememberMatches, rememberedMatches } from './match-columns.ts'
import { MatchOptions, allowedText } from './match-options.tsx'
import type { Sheet } from './sheet.ts'
import { scoreList } from './score-list.ts'

const SAMPLES = 4

export function MatchView(props: { readonly model: Model; readonly catalogue: FieldCatalogue }): VNode {
  const { model, catalogue } = props
  const words = useWords()
  const { t, language } = words
  const { sheet, matches } = useShared(list)
  const [isRemembered, setRemembered] = useState(Object.keys(rememberedMatches()).length > 0)
  if (sheet === undefined) return <></>
  const missing = model.inputs.filter(
    (field) => field.use === 'required' && field.scale === undefined && !matches.includes(field.name),
  )
  const choose = (column: number, match: string): void => {
    // One field comes from one column: choosing it again takes it away from the other.
    const next = matches.map((each, index) => (index === column ? match : each === match ? NOT_USED : each))
    list.patch({ matches: next })
  }
  const start = (): void => {
    if (isRemembered) rememberMatches(sheet.columns, matches)
    else forgetMatches()
    void scoreList(model, catalogue)
  }
  return (
    <section class="card" aria-labelledby="match-title">
      <h2 id="match-title">{t('match.title')}</h2>
      <p class="quiet">
        {sheet.name} · {words.count('rows', sheet.rows.length)} ·{' '}
        {words.count('columns', sheet.columns.length)}
      </p>
      <p>{t('match.lead')}</p>
      {sheet.ragged > 0 && (
        <p class="notice warn">{t('match.ragged', { rows: words.count('rows', sheet.ragged) })}</p>
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
              const field = catalogue.fields.find(({ name }) => name === matches[index])
              return (
                <tr key={index} role="row">
                  <th scope="row" role="rowheader">
                    {column}
                  </th>
                  <td class="samples" role="cell">
                    {samplesOf(sheet, index)}
                  </td>
                  <td role="cell">
                    <select
                      aria-label={t('match.meaningOf', { column })}
                      value={matches[index] ?? NOT_USED}
                      onChange={(event) => choose(index, event.currentTarget.value)}
                    >
                      <MatchOptions model={model} catalogue={catalogue} language={language} />
                    </select>
                  </td>
                  <td class="quiet" role="cell">
                    {field === undefined ? '' : allowedText(words, field)}
                    {matches[index] === IDENTIFIER && t('match.identifierNote')}
                    {(matches[index] ?? '') === NOT_USED && t('match.unusedNote')}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {missing.length > 0 && (
        <p class="notice warn" role="status">
          {t('match.missing')}{' '}
          <strong>{missing.map((field) => fullLabelOf(language, field, undefined).text).join(', ')}</strong>.
        </p>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={isRemembered}
          onChange={(event) => setRemembered(event.currentTarget.checked)}
        />
        <span>{t('match.remember')}</span>
      </label>
      <div class="actions">
        <button type="button" class="primary" onClick={start}>
          {t('match.score', { rows: words.count('rows', sheet.rows.length) })}
        </button>
        <button type="button" onClick={() => list.set(EMPTY_LIST)}>
          {t('match.other')}
        </button>
      </div>
    </section>
  )
}

function samplesOf(sheet: Sheet, column: number): string {
  const seen: string[] = []
  for (let row = 0; row < sheet.rows.length && row < 200 && seen.length < SAMPLES; row++) {
    const text = textOfCell(sheet, row, column).trim()
    if (text !== '' && !seen.includes(text)) seen.push(text.length > 24 ? `${text.slice(0, 24)}…` : text)
  }
  return seen.join(' · ')
}
