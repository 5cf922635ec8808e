/** How a file is read: its sheet, the line of its header, its separator, its encoding. A change reads it again. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import { useShared } from '../../state.ts'
import { Choice } from '../../ui/choice.tsx'
import { rereadFirst } from '../leave-list.ts'
import { list } from '../list-state.ts'
import { openSource } from './open-source.ts'
import { DELIMITERS } from './read-csv.ts'
import type { Encoding, ReadOptions, Sheet, SheetFault } from './sheet.ts'
import { SheetFaultNote } from './sheet-fault-note.tsx'

const ENCODINGS: readonly Encoding[] = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252']

export function ReadOptionsForm(props: {
  readonly catalogue: FieldCatalogue
  /** Why it could not be read so far, where the page has no list yet. */
  readonly fault?: SheetFault
  readonly onFault?: (fault: SheetFault | undefined) => void
}): VNode {
  const { t } = useWords()
  const { source, sheet } = useShared(list)
  const [last, setLast] = useState<{ readonly sheet: Sheet | undefined; readonly fault?: SheetFault }>()
  // A fault belongs to the list that was there when it was found.
  const fault = props.fault ?? (last?.sheet === sheet ? last?.fault : undefined)
  const options = fault?.options ?? sheet?.options ?? {}
  const workbook = sheet?.workbook ?? fault?.workbook
  const isOtherFile = /^(xls|html)$/.test(fault?.reason ?? '') || (sheet?.kind ?? '').endsWith('json')
  if (source === undefined || isOtherFile) return <></>
  const change = (parts: ReadOptions): void => rereadFirst(() => reread(parts))
  const reread = (parts: ReadOptions): void => {
    void openSource(source, props.catalogue, { ...options, ...parts }).then((found) => {
      setLast(found === undefined ? undefined : { sheet, fault: found })
      props.onFault?.(found)
    })
  }
  return (
    <>
      {workbook !== undefined && workbook.sheets.length > 1 && (
        <Choice
          class="sheet-choice"
          label={t('read.sheet')}
          value={workbook.sheet}
          options={workbook.sheets.map(({ name, isHidden }) => [
            name,
            isHidden ? t('read.hiddenSheet', { name }) : name,
          ])}
          onChoose={(name) => change({ sheet: name, headerLine: undefined })}
        />
      )}
      <details class="read-options" open={props.fault !== undefined}>
        <summary>{t('read.title')}</summary>
        <div class="read-fields">
          <label>
            <span>{t('read.headerLine')}</span>
            <input
              type="number"
              min={1}
              value={options.headerLine ?? sheet?.headerLine ?? 1}
              onChange={(event) => change({ headerLine: Math.max(1, Number(event.currentTarget.value)) })}
            />
          </label>
          {sheet?.kind !== 'xlsx' && workbook === undefined && (
            <>
              <Choice
                label={t('read.delimiter')}
                value={options.delimiter ?? sheet?.delimiter ?? ','}
                options={DELIMITERS.map((each) => [each, each === '\t' ? t('read.tab') : each])}
                onChoose={(delimiter) => change({ delimiter })}
              />
              <Choice
                label={t('read.encoding')}
                value={options.encoding ?? sheet?.encoding ?? 'utf-8'}
                options={ENCODINGS.map((each) => [each, each])}
                onChoose={(encoding) => change({ encoding })}
              />
            </>
          )}
        </div>
        {fault !== undefined && props.fault === undefined && <SheetFaultNote fault={fault} />}
      </details>
    </>
  )
}
