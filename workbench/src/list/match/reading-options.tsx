/** Questions about the cells of one column: its decimal sign, the form of its dates, the meaning of its values. */
import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import type { Field } from '../../shapes/fields.ts'
import type { Reading } from './convert-cell.ts'
import type { Sheet } from '../read/sheet.ts'
import { hasAmbiguous, hasCommas, valuesOf } from './suggest-reading.ts'

export interface ReadingOptionsProps {
  readonly sheet: Sheet
  readonly column: number
  readonly field: Field
  readonly reading: Reading
  readonly onChange: (parts: Partial<Reading>) => void
}

export function ReadingOptions(props: ReadingOptionsProps): VNode {
  const { sheet, column, field } = props
  if (sheet.kind === 'json' || sheet.kind === 'ndjson') return <></>
  const name = sheet.columns[column] ?? ''
  if (field.type === 'integer' || field.type === 'number') return <DecimalOption {...props} name={name} />
  if (field.type === 'date') return <DateOption {...props} name={name} />
  return <ValueOptions {...props} name={name} />
}

type NamedProps = ReadingOptionsProps & { readonly name: string }

function DecimalOption({ sheet, column, field, reading, onChange, name }: NamedProps): VNode {
  const { t } = useWords()
  const isAmbiguous = useMemo(() => hasAmbiguous(sheet, column, field), [sheet, column, field])
  const isAsked = useMemo(() => isAmbiguous || hasCommas(sheet, column), [sheet, column, isAmbiguous])
  if (!isAsked) return <></>
  return (
    <div class="reading">
      <select
        aria-label={t('reading.decimalOf', { column: name })}
        value={reading.decimal}
        onChange={(event) => onChange({ decimal: event.currentTarget.value as Reading['decimal'] })}
      >
        <option value="">{t('reading.decimal.open')}</option>
        <option value="comma">{t('reading.decimal.comma')}</option>
        <option value="point">{t('reading.decimal.point')}</option>
      </select>
      {isAmbiguous && reading.decimal === '' && <p class="caution-text">{t('reading.ambiguous')}</p>}
    </div>
  )
}

function DateOption({ reading, onChange, name }: NamedProps): VNode {
  const { t } = useWords()
  return (
    <div class="reading">
      <select
        aria-label={t('reading.datesOf', { column: name })}
        value={reading.dates}
        onChange={(event) => onChange({ dates: event.currentTarget.value as Reading['dates'] })}
      >
        <option value="">{t('reading.dates.plain')}</option>
        <option value="DD/MM/YYYY">{t('reading.dates.slashes')}</option>
        <option value="spreadsheet">{t('reading.dates.spreadsheet')}</option>
      </select>
    </div>
  )
}

/** Every value of a column of codes or of yes and no, with what it is taken for. */
function ValueOptions({ sheet, column, field, reading, onChange, name }: NamedProps): VNode {
  const words = useWords()
  const { t } = words
  const found = useMemo(() => valuesOf(sheet, column), [sheet, column])
  if (found === undefined) return <></>
  const choices: readonly (readonly [code: string, text: string])[] =
    field.type === 'boolean'
      ? [
          ['true', t('result.yes')],
          ['false', t('result.no')],
        ]
      : (field.values ?? []).map((value) => {
          const meaning = field.valueMeanings?.[String(value)]
          return [String(value), meaning === undefined ? String(value) : `${value} (${words.own(meaning)})`]
        })
  if (choices.length === 0) return <></>
  const isOpen = field.type === 'string' || found.some((text) => !isKnown(field, text))
  if (!isOpen) return <></>
  // Hombre or varón beside mujer: M is then a woman.
  const isSpanishSex =
    field.name === 'sex' && found.includes('M') && found.some((text) => /^[hv]/i.test(text))
  return (
    <>
      <ul class="reading values">
        {found.map((text) => (
          <li key={text}>
            <span class="given">{text}</span>
            <select
              aria-label={t('reading.valueOf', { value: text, column: name })}
              value={reading.values[text] ?? (isKnown(field, text) ? meantBy(field, text) : '')}
              onChange={(event) =>
                onChange({ values: { ...reading.values, [text]: event.currentTarget.value } })
              }
            >
              <option value="">{t('reading.value.open')}</option>
              {choices.map(([code, label]) => (
                <option key={code} value={code}>
                  {label}
                </option>
              ))}
            </select>
          </li>
        ))}
      </ul>
      {isSpanishSex && <p class="caution-text">{t('reading.mujer')}</p>}
    </>
  )
}

const YES = /^(true|yes|y|1|s[ií]?)$/i
const NO = /^(false|no?|0)$/i

function isKnown(field: Field, text: string): boolean {
  if (field.type === 'boolean') return YES.test(text) || NO.test(text)
  return (field.values ?? []).some((value) => String(value) === text)
}

function meantBy(field: Field, text: string): string {
  return field.type === 'boolean' ? String(YES.test(text)) : text
}
