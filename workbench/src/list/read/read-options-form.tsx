/** How a file is read: its sheet, the line of its header, its separator, its encoding. A change reads it again. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import { useShared } from '../../state.ts'
import { list } from '../list-state.ts'
import { openSource } from './open-source.ts'
import { DELIMITERS } from './read-csv.ts'
import type { Source } from './read-sheet.ts'
import type { Delimiter, Encoding, ReadOptions, Sheet, SheetFault } from './sheet.ts'
import { SheetFaultNote } from './sheet-fault-note.tsx'

const ENCODINGS: readonly Encoding[] = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252']

interface Failed {
  readonly source: Source
  readonly sheet: Sheet | undefined
  readonly options: ReadOptions
  readonly fault: SheetFault
}

export function ReadOptionsForm(props: {
  readonly catalogue: FieldCatalogue
  /** Why it could not be read so far, where the page has no list yet. */
  readonly fault?: SheetFault
  readonly onFault?: (fault: SheetFault | undefined) => void
}): VNode {
  const { t } = useWords()
  const { source, sheet } = useShared(list)
  const [last, setLast] = useState<Failed | undefined>(undefined)
  // What failed belongs to the file and the list that were there.
  const failed = last?.source === source && last?.sheet === sheet ? last : undefined
  const options = failed?.options ?? sheet?.options ?? {}
  const fault = props.fault ?? failed?.fault
  const workbook = sheet?.workbook ?? fault?.workbook
  if (source === undefined || sheet?.kind === 'json' || sheet?.kind === 'ndjson') return <></>
  const change = (parts: ReadOptions): void => {
    const next = { ...options, ...parts }
    void openSource(source, props.catalogue, next).then((found) => {
      setLast(found === undefined ? undefined : { source, sheet, options: next, fault: found })
      props.onFault?.(found)
    })
  }
  // Another sheet has its header in a line of its own.
  const changeSheet = (name: string): void => change({ sheet: name, headerLine: undefined })
  return (
    <>
      {workbook !== undefined && workbook.sheets.length > 1 && (
        <label class="sheet-choice">
          <span>{t('read.sheet')}</span>
          <select value={workbook.sheet} onChange={(event) => changeSheet(event.currentTarget.value)}>
            {workbook.sheets.map(({ name, isHidden }) => (
              <option key={name} value={name}>
                {isHidden ? t('read.hiddenSheet', { name }) : name}
              </option>
            ))}
          </select>
        </label>
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
              <label>
                <span>{t('read.delimiter')}</span>
                <select
                  value={options.delimiter ?? sheet?.delimiter ?? ','}
                  onChange={(event) => change({ delimiter: event.currentTarget.value as Delimiter })}
                >
                  {DELIMITERS.map((each) => (
                    <option key={each} value={each}>
                      {each === '\t' ? t('read.tab') : each}
                    </option>
                  ))}
                </select>
              </label>
              <label>
                <span>{t('read.encoding')}</span>
                <select
                  value={options.encoding ?? sheet?.encoding ?? 'utf-8'}
                  onChange={(event) => change({ encoding: event.currentTarget.value as Encoding })}
                >
                  {ENCODINGS.map((each) => (
                    <option key={each} value={each}>
                      {each}
                    </option>
                  ))}
                </select>
              </label>
            </>
          )}
        </div>
        {failed !== undefined && props.fault === undefined && <SheetFaultNote fault={failed.fault} />}
      </details>
    </>
  )
}
