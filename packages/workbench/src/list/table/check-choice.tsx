/** What is to be checked: rows with problems, notices, doubts, duplicates or missing values, or with one problem or notice. */
import type { VNode } from 'preact'
import { parseJson } from 'patient-risk-engine/read'
import { subjectOf } from '../../i18n/field-names.ts'
import { useWords } from '../../i18n/words.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import type { Quality } from '../summary/quality.ts'
import type { Check, Filter } from './filter-rows.ts'

export interface CheckChoiceProps {
  readonly catalogue: FieldCatalogue
  readonly quality: Quality
  readonly filter: Filter
  readonly onFilter: (parts: Partial<Filter>) => void
}

const CHECKS = ['problems', 'clean', 'missing', 'notices', 'doubts', 'duplicates'] as const
const NO_CHECK = { check: '', notice: '', field: '', kind: '' } as const

type Parts = Pick<Filter, 'check' | 'notice' | 'field' | 'kind'>

export function CheckChoice({ catalogue, quality, filter, onFilter }: CheckChoiceProps): VNode {
  const words = useWords()
  const { t, language } = words
  const option = (parts: Partial<Parts>, text: string, rows?: number): readonly [string, string] => [
    JSON.stringify({ ...NO_CHECK, ...parts }),
    rows === undefined ? text : `${text} (${words.number(rows)})`,
  ]
  const general = CHECKS.map((check: Check) => option({ check }, t(`check.${check}`), quality.checks[check]))
  const problems = quality.entries.map(({ field, kind, rows }) => {
    return option(
      { field, kind },
      `${subjectOf(language, catalogue, field).text}: ${t(`kind.${kind}`)}`,
      rows,
    )
  })
  const notices = quality.notices.map(({ code, rows }) =>
    option({ notice: code }, t(`noticed.${code}`), rows),
  )
  const { check, notice, field, kind } = filter
  const all = option({}, t('filter.all'))
  const groups = [
    [t('filter.problems'), problems],
    [t('result.notices'), notices],
  ] as const
  // Two entries of the overview can be chosen together; they are no entry of this choice.
  const value = JSON.stringify({ check, notice, field, kind })
  const isKnown = [all, ...general, ...problems, ...notices].some(([each]) => each === value)
  return (
    <label>
      <span>{t('check.label')}</span>
      <select value={value} onChange={(event) => onFilter(parseJson(event.currentTarget.value) as Parts)}>
        <Options options={isKnown ? [all, ...general] : [all, ...general, [value, t('check.several')]]} />
        {groups.map(
          ([label, options]) =>
            options.length > 0 && (
              <optgroup key={label} label={label}>
                <Options options={options} />
              </optgroup>
            ),
        )}
      </select>
    </label>
  )
}

function Options({ options }: { readonly options: readonly (readonly [string, string])[] }): VNode {
  return (
    <>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </>
  )
}
