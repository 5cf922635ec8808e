/** Questions about the cells of one column: its decimal sign, the form of its dates, the meaning of its values. */
import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { useWords, type Words } from '../../i18n/words.ts'
import type { Field } from '../../shapes/fields.ts'
import { isMeantByCode, meaningOfCode } from '../../shapes/sent-code.ts'
import { Select } from '../../ui/select.tsx'
import { convertCell, PLAIN_READING, saidOf, type Reading } from './convert-cell.ts'
import type { Sheet } from '../read/sheet.ts'
import { unitHint, type UnitHint } from './likely-unit.ts'
import { OWN, statedMeasure, type StatedMeasure } from './stated-measure.ts'
import { doubtfulValues, hasAmbiguous, hasCommas, valuesOf } from './suggest-reading.ts'

export interface ReadingOptionsProps {
  readonly sheet: Sheet
  readonly column: number
  readonly field: Field
  readonly reading: Reading
  readonly onChange: (parts: Partial<Reading>) => void
}

export function ReadingOptions(props: ReadingOptionsProps): VNode {
  const { sheet, column, field } = props
  const isTyped = sheet.kind === 'json' || sheet.kind === 'ndjson'
  const name = sheet.columns[column] ?? ''
  if (field.type === 'integer' || field.type === 'number') {
    return (
      <>
        {!isTyped && <DecimalOption {...props} name={name} />}
        {field.otherUnits !== undefined && <UnitOption {...props} name={name} />}
        <MeasureOption {...props} name={name} />
      </>
    )
  }
  // Values of JSON are sent as they are, but for one that means opposite things in two languages.
  if (isTyped && field.name !== 'sex') return <></>
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
      <Select
        aria-label={t('reading.decimalOf', { column: name })}
        value={reading.decimal}
        onChange={(decimal) => onChange({ decimal })}
        options={[
          ['', t('reading.decimal.open')],
          ['comma', t('reading.decimal.comma')],
          ['point', t('reading.decimal.point')],
        ]}
      />
      {isAmbiguous && reading.decimal === '' && <p class="caution-text">{t('reading.ambiguous')}</p>}
    </div>
  )
}

/** The unit of a column that can be in several, with a note where its median fits another unit better. */
function UnitOption({ sheet, column, field, reading, onChange, name }: NamedProps): VNode {
  const words = useWords()
  const hint = useMemo(() => unitHint(sheet, column, field, reading), [sheet, column, field, reading])
  return (
    <div class="reading">
      <Select
        aria-label={words.t('reading.unitOf', { column: name })}
        value={reading.unit === '' ? (field.unit ?? '') : reading.unit}
        onChange={(unit) => onChange({ unit })}
        options={[field.unit ?? '', ...Object.keys(field.otherUnits ?? {})].map((unit) => [
          unit,
          words.serviceText(unit),
        ])}
      />
      {hint !== undefined && <p class="caution-text">{unitHintText(words, hint)}</p>}
    </div>
  )
}

/** "The median of 120 values is 8.1, which fits mmol/L better than g/dL." */
export function unitHintText(words: Words, { values, median, received, likely }: UnitHint): string {
  return words.t('reading.unitHint', {
    values: words.number(values),
    median: words.number(median, 2),
    received: words.serviceText(received),
    likely: words.serviceText(likely),
  })
}

/** What the numbers are where the name of the column states another unit or period than the field has. */
function MeasureOption({ field, reading, onChange, name }: NamedProps): VNode {
  const words = useWords()
  const { t } = words
  const stated = statedMeasure(name, field)
  if (stated === undefined) return <></>
  const parts = measureParts(words, field, stated)
  return (
    <div class="reading">
      <p class="caution-text">{t(`measure.${stated.kind}`, parts)}</p>
      <Select
        aria-label={t('measure.of', { column: name })}
        value={reading.measure}
        onChange={(measure) => onChange({ measure })}
        options={[
          ['', t('reading.value.choose')],
          ...(stated.from === '' ? [] : [[stated.from, t('measure.convert', parts)] as const]),
          [OWN, t(`measure.own.${stated.kind}`, parts)],
        ]}
      />
    </div>
  )
}

/** What the name says and what the field has, in words: "5 years" and "12 months before the index stay". */
export function measureParts(
  words: Words,
  { unit = '', window = '' }: Field,
  { kind, said }: StatedMeasure,
): { readonly said: string; readonly own: string } {
  const own = words.serviceText(kind === 'unit' ? unit : window)
  return { own, said: typeof said === 'string' ? said : words.duration(said.count, said.unit) }
}

function DateOption({ sheet, reading, onChange, name }: NamedProps): VNode {
  const { t } = useWords()
  const numbers = sheet.workbook?.is1904 === true ? 'spreadsheet1904' : 'spreadsheet'
  return (
    <div class="reading">
      <Select
        aria-label={t('reading.datesOf', { column: name })}
        value={reading.dates}
        onChange={(dates) => onChange({ dates })}
        options={[
          ['', t('reading.dates.plain')],
          ['DD/MM/YYYY', t('reading.dates.slashes')],
          [numbers, t('reading.dates.spreadsheet')],
        ]}
      />
    </div>
  )
}

/** Every value of a column of codes or of yes and no, with what it is taken for. */
function ValueOptions({ sheet, column, field, reading, onChange, name }: NamedProps): VNode {
  const words = useWords()
  const { t } = words
  const doubtful = useMemo(() => doubtfulValues(sheet, column, field, PLAIN_READING), [sheet, column, field])
  const isTyped = sheet.kind === 'json' || sheet.kind === 'ndjson'
  const all = useMemo(() => valuesOf(sheet, column), [sheet, column])
  const found = isTyped ? doubtful : (all ?? doubtful)
  if (found.length === 0) return <></>
  const choices: readonly (readonly [code: string, text: string])[] =
    field.type === 'boolean'
      ? [
          ['true', t('result.yes')],
          ['false', t('result.no')],
        ]
      : (field.values ?? []).map((value) => {
          const meaning = field.valueMeanings?.[String(value)]
          return [
            String(value),
            meaning === undefined ? String(value) : `${value} (${words.serviceText(meaning)})`,
          ]
        })
  if (choices.length === 0) return <></>
  const isOpen = field.type === 'string' || found.some((text) => meantBy(field, text) === undefined)
  if (!isOpen) return <></>
  const presetOf = (text: string): string => (doubtful.includes(text) ? '' : (meantBy(field, text) ?? ''))
  return (
    <>
      <ul class="reading values">
        {found.map((text) => (
          <li key={text}>
            <span class="given">{text}</span>
            <Select
              aria-label={t('reading.valueOf', { value: text, column: name })}
              value={saidOf(reading, text) ?? presetOf(text)}
              onChange={(meant) => onChange({ values: withValue(reading, text, meant) })}
              options={[
                ['', t(doubtful.includes(text) ? 'reading.value.choose' : 'reading.value.open')],
                ...choices,
              ]}
            />
          </li>
        ))}
      </ul>
      {doubtful.length > 0 && <p class="caution-text">{t('reading.mujer')}</p>}
    </>
  )
}

/** A value that is taken as it is has no entry. */
function withValue({ values }: Reading, text: string, meant: string): Reading['values'] {
  const others = Object.entries(values).filter(([each]) => each !== text)
  return Object.fromEntries(meant === '' ? others : [...others, [text, meant]])
}

/** The value of the field that a cell means without a translation; undefined if the field does not have such a value. */
function meantBy(field: Field, text: string): string | undefined {
  const meaning = meaningOfCode(field, text)
  if (meaning !== undefined) return meaning === null ? undefined : String(meaning)
  if (isMeantByCode(field, text)) return undefined
  if (field.type !== 'boolean') return (field.values ?? []).map(String).find((value) => value === text)
  const converted = convertCell(field, text, PLAIN_READING)
  return 'value' in converted ? String(converted.value === true) : undefined
}
