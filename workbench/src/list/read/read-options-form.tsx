/** How a file is read: the line of its header, its separator, its encoding. A change reads it again. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import { useShared } from '../../state.ts'
import { list } from '../list-state.ts'
import { openSource } from './open-source.ts'
import { DELIMITERS } from './read-csv.ts'
import type { ReadOptions } from './read-sheet.ts'
import type { Delimiter, Encoding, SheetFault } from './sheet.ts'
import { SheetFaultNote } from './sheet-fault-note.tsx'

const ENCODINGS: readonly Encoding[] = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252']

export function ReadOptionsForm(props: {
  readonly catalogue: FieldCatalogue
  readonly isOpen?: boolean
}): VNode {
  const { t } = useWords()
  const { source, sheet } = useShared(list)
  const [fault, setFault] = useState<SheetFault | undefined>(undefined)
  const [options, setOptions] = useState<ReadOptions>({})
  if (source === undefined || sheet?.kind === 'json' || sheet?.kind === 'ndjson') return <></>
  const change = (parts: ReadOptions): void => {
    const next = { ...options, ...parts }
    setOptions(next)
    void openSource(source, props.catalogue, next).then(setFault)
  }
  return (
    <details class="read-options" open={props.isOpen}>
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
        {sheet?.kind !== 'xlsx' && (
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
      {fault !== undefined && <SheetFaultNote fault={fault} />}
    </details>
  )
}
