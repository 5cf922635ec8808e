/** Undo, redo, and the list of changes. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useWords, type Words } from '../../i18n/words.ts'
import { saveFile } from '../../save-file.ts'
import { useShared } from '../../state.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useListener } from '../../ui/use-listener.ts'
import { changesFile } from '../export/export-changes.ts'
import { identifierOf, lineOf, list, type ListState } from '../list-state.ts'
import { cellText } from '../match/convert-cell.ts'
import type { Cell } from '../read/sheet.ts'
import type { Change, LogEntry } from './history-shape.ts'
import type { RowState } from './marks.ts'
import { MarkMenu } from './mark-form.tsx'
import { redo, undo } from './history.ts'

/** The dialog shows the latest changes; a download holds them all. */
const MOST_SHOWN = 200

export function HistoryTools({ rows }: { readonly rows: Uint32Array }): VNode {
  const words = useWords()
  const { t } = words
  const state = useShared(list)
  const [isOpen, setOpen] = useState(false)
  useListener(document, ['keydown'], onKeyDown)
  const { done, undone, log } = state.history
  const last = log.at(-1)
  return (
    <div class="history" role="group" aria-label={t('history.label')}>
      <MarkMenu rows={rows} />
      <Button
        class="small"
        disabled={done.length === 0}
        title="Ctrl+Z"
        onClick={undo}
        text={t('history.undo')}
      />
      <Button
        class="small"
        disabled={undone.length === 0}
        title="Ctrl+Shift+Z"
        onClick={redo}
        text={t('history.redo')}
      />
      <Button
        class="small"
        disabled={last === undefined}
        onClick={() => setOpen(true)}
        text={t('history.open', { n: words.number(log.length) })}
      />
      <p class={last === undefined ? 'visually-hidden' : 'quiet'} role="status">
        {last === undefined ? '' : `${t(`history.${last.kind}`)}: ${entryText(words, state, last)}`}
      </p>
      {/* How the table is used, until there is a change to tell of. */}
      <p class={last === undefined ? 'quiet' : 'visually-hidden'} id="grid-hint">
        {t('grid.hint')}
      </p>
      {isOpen && <ChangeList state={state} onClose={() => setOpen(false)} />}
    </div>
  )
}

/** A text field undoes its own typing, and a dialog keeps what is behind it as it is. */
function onKeyDown(event: KeyboardEvent): void {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return
  const { target } = event
  const isText = target instanceof Element && target.matches('input:not([type=checkbox]), textarea')
  if (isText || document.querySelector('dialog[open]') !== null) return
  const key = event.key.toLowerCase()
  if (key !== 'z' && key !== 'y') return
  event.preventDefault()
  if (key === 'y' || event.shiftKey) redo()
  else undo()
}

/** "H40: Age, empty → 81"; a change of many rows says how many. */
function entryText(words: Words, state: ListState, { change, kind }: LogEntry): string {
  const [first] = change.before
  const texts = new Set(change.before.map(({ cell }) => cellText(cell)))
  const from = texts.size === 1 ? shown(words, change, first?.cell) : words.t('history.various')
  const to = shown(words, change, change.to)
  const row = first?.row ?? 0
  const patient = identifierOf(state, row) || `${words.t('grid.line')} ${words.number(lineOf(state, row))}`
  const where = change.before.length === 1 ? patient : words.count('rows', change.before.length)
  const arrow = kind === 'undone' ? `${to} → ${from}` : `${from} → ${to}`
  const { part } = change
  const name = typeof part === 'number' ? (state.sheet?.columns[part] ?? '') : words.t(`grid.${part}`)
  return `${where}, ${name}: ${arrow}`
}

function shown(words: Words, { part }: Change, cell: Cell): string {
  const text = part === 'state' ? words.t(`state.${cell as RowState}`) : cellText(cell)
  return text === '' ? words.t('history.empty') : text
}

function ChangeList(props: { readonly state: ListState; readonly onClose: () => void }): VNode {
  const words = useWords()
  const { t } = words
  const { log } = props.state.history
  return (
    <Dialog title={t('history.title')} onClose={props.onClose}>
      <ol class="changes" reversed start={log.length} tabIndex={0}>
        {log
          .slice(-MOST_SHOWN)
          .reverse()
          .map((entry, index) => (
            <li key={log.length - index}>
              {entryText(words, props.state, entry)}
              <br />
              <span class="quiet">{`${t(`history.${entry.kind}`)}, ${words.seconds(entry.at)}`}</span>
            </li>
          ))}
      </ol>
      <div class="actions">
        <Button onClick={() => saveFile(...changesFile(words, props.state))} text={t('history.download')} />
      </div>
    </Dialog>
  )
}
