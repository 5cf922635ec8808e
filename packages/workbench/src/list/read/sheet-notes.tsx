/** What people see of a file in a spreadsheet program and a list does not show: hidden sheets and rows, merged cells, titles. */
import type { VNode } from 'preact'
import { useWords } from '../../i18n/words.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import { Check } from '../../ui/choice.tsx'
import { rereadFirst } from '../leave-list.ts'
import { list } from '../list-state.ts'
import { openSource } from './open-source.ts'
import type { Sheet } from './sheet.ts'

const NAMED = 5

export function SheetNotes({ sheet, catalogue }: { sheet: Sheet; catalogue: FieldCatalogue }): VNode {
  const words = useWords()
  const { t } = words
  const { workbook, options = {}, headerLine } = sheet
  const named = (all: readonly (string | number)[]): string =>
    `${all.slice(0, NAMED).join(', ')}${all.length > NAMED ? ', …' : ''}`
  const hidden = workbook?.hiddenLines.filter((line) => line > headerLine) ?? []
  const unread = workbook?.sheets.filter(({ name, isHidden }) => isHidden && name !== workbook.sheet) ?? []
  // A title is often merged over all columns, which changes nothing below it.
  const merged = workbook?.merged.filter((area) => Number(/\d+$/.exec(area)?.[0]) >= headerLine) ?? []
  const leaveOut = (isWithoutHidden: boolean): void => {
    const { source } = list.get()
    if (source === undefined) return
    rereadFirst(() => void openSource(source, catalogue, { ...options, isWithoutHidden }))
  }
  const hasTitles = options.headerLine === undefined && headerLine > 1
  return (
    <>
      {(unread.length > 0 || hasTitles) && (
        <p class="notice">
          {unread.length > 0 &&
            `${t('read.hiddenSheets', { names: named(unread.map(({ name }) => name)) })} `}
          {hasTitles && t('read.titles', { line: words.number(headerLine) })}
        </p>
      )}
      {hidden.length > 0 && (
        <div class="notice warn">
          <p>
            {t('read.hiddenRows', { rows: words.count('hiddenRows', hidden.length), lines: named(hidden) })}
          </p>
          <Check
            label={t('read.withoutHidden')}
            isOn={options.isWithoutHidden === true}
            onChange={leaveOut}
          />
        </div>
      )}
      {merged.length > 0 && <p class="notice warn">{t('read.merged', { areas: named(merged) })}</p>}
    </>
  )
}
