/**
 * Keyboard shortcuts and their list. A shortcut is a plain letter, so that it takes nothing from the browser or a screen
 * reader; none acts while something is typed or a dialog is open, and all of them can be switched off.
 */
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { MessageKey } from './i18n/translate.ts'
import { useWords } from './i18n/words.ts'
import { session } from './session.ts'
import { createState, useShared } from './state.ts'
import { keptText } from './storage.ts'
import { Check } from './ui/choice.tsx'
import { Dialog } from './ui/dialog.tsx'

const kept = keptText('device', 'patient-risk-shortcuts')
const LEADER = 'g'

const shortcuts = createState({ isOn: kept.read() !== 'off', isListed: false })

/**
 * Keys, what they do, and where they lead: a view, or the first of these places, which is pressed where that is what the key is for.
 * After `g` comes another key, without a time limit.
 */
const SHORTCUTS: readonly (readonly [keys: string, text: MessageKey, place: string, isPressed?: true])[] = [
  ['g p', 'nav.patient', '#/patient'],
  ['g l', 'nav.list', '#/list'],
  ['g m', 'nav.model', '#/model'],
  ['g o', 'nav.operations', '#/operations'],
  ['i', 'shortcuts.input', 'main .field input, #paste, .grid [data-cell][tabindex="0"]'],
  ['s', 'shortcuts.search', 'main input[type=search]'],
  ['r', 'shortcuts.result', '#result-title'],
  ['w', 'shortcuts.curve', '.risk-curve > summary'],
  ['n', 'work.next', '.row-detail .next-row', true],
  ['p', 'work.previous', '.row-detail .previous-row', true],
  ['?', 'shortcuts.title', ''],
]

function usableShortcuts(): typeof SHORTCUTS {
  const isAdmin = session.get()?.summary.admin === true
  return SHORTCUTS.filter(([, text]) => text !== 'nav.operations' || isAdmin)
}

export function listShortcuts(): void {
  shortcuts.patch({ isListed: true })
}

/** Listens for shortcuts, and shows their list. The page has one of these. */
export function Shortcuts(): VNode {
  const { isListed } = useShared(shortcuts)
  useEffect(() => {
    let before = ''
    const follow = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.key === 'Shift')
        return
      const keys = before + event.key
      before = ''
      if (!shortcuts.get().isOn || session.get() === undefined || isBusy(event.target)) return
      if (keys === LEADER) before = `${LEADER} `
      const found = usableShortcuts().find(([each]) => each === keys)
      if (found === undefined) return
      const [, , place, isPressed] = found
      // What is in a dialog can be pressed; what is behind it stays as it is.
      const dialog = document.querySelector('dialog[open]')
      if (dialog !== null && (isPressed !== true || dialog.querySelector(place) === null)) return
      event.preventDefault()
      if (isPressed === true) document.querySelector<HTMLElement>(place)?.click()
      else goTo(place)
    }
    document.addEventListener('keydown', follow)
    return () => document.removeEventListener('keydown', follow)
  }, [])
  return isListed ? <ShortcutList /> : <></>
}

function ShortcutList(): VNode {
  const { t } = useWords()
  const { isOn } = useShared(shortcuts)
  return (
    <Dialog title={t('shortcuts.title')} onClose={() => shortcuts.patch({ isListed: false })}>
      <dl class={isOn ? 'keys-list' : 'keys-list off'}>
        {usableShortcuts().map(([keys, text]) => (
          <div key={keys}>
            <dt>{t(text)}</dt>
            <dd>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <Check label={t('shortcuts.on')} isOn={isOn} onChange={switchTo} />
      <p class="quiet">{t('shortcuts.note')}</p>
    </Dialog>
  )
}

/** Whether a key belongs to a field in which it is typed. */
function isBusy(target: EventTarget | null): boolean {
  const typed = 'input:not([type=radio], [type=checkbox], [type=range]), select, textarea, [contenteditable]'
  return target instanceof Element && target.matches(typed)
}

function goTo(place: string): void {
  if (place === '') listShortcuts()
  else if (place.startsWith('#/')) location.hash = place
  else {
    const found = document.querySelector<HTMLElement>(place)
    found?.focus({ preventScroll: true })
    found?.scrollIntoView({ block: 'center' })
  }
}

/** Kept on this device: whoever cannot use shortcuts, because they speak to the computer, must not meet them again every day. */
function switchTo(isOn: boolean): void {
  shortcuts.patch({ isOn })
  if (isOn) kept.remove()
  else kept.write('off')
}
