/** Links that open a view of a deployment, and a scale in it. They hold names of the service only, and nothing that was typed. */
import type { VNode } from 'preact'
import { useWords } from './i18n/words.ts'
import { chooseDeployment, onSessionEnd, session, type Session } from './session.ts'
import { createState, useShared } from './state.ts'
import { Button } from './ui/button.tsx'
import { CopyButton } from './ui/copy-button.tsx'
import { isView, placeOf, type ViewName } from './view-name.ts'
import { firstView, viewsOf } from './views-of-key.ts'

type LinkPart = 'deployment' | 'view' | 'scale' | 'rest'

interface Followed {
  /** The scale that is to be opened, until it is. */
  readonly scale: string
  /** Parts of the link that name nothing that this key may open. */
  readonly ignored: readonly LinkPart[]
}

const NOTHING: Followed = { scale: '', ignored: [] }

export const followed = createState<Followed>(NOTHING)
onSessionEnd(() => followed.set(NOTHING))

/** The view that an address names, where this session may open it. */
export function viewFor(hash: string, current: Session | undefined): ViewName {
  const { view } = placeOf(hash)
  if (current === undefined) return isView(view) ? view : 'patient'
  return isView(view) && viewsOf(current).includes(view) ? view : firstView(current)
}

/** Opens what the address names. Before anyone has signed in, the link waits in the address. */
export function followLink(): void {
  const current = session.get()
  const { deployment, view, scale, hasRest } = placeOf(location.hash)
  if (current === undefined || deployment + scale === '') return
  const { deployments } = current.summary
  const isKnown = deployments.some(({ name }) => name === deployment)
  const isOpen = view === '' || (isView(view) && viewsOf(current).includes(view))
  const shown = viewFor(location.hash, current)
  const mayHoldScale = shown === 'patient'
  const ignored: readonly (LinkPart | false)[] = [
    !isKnown && 'deployment',
    !isOpen && 'view',
    scale !== '' && !mayHoldScale && 'scale',
    hasRest && 'rest',
  ]
  followed.set({ scale: mayHoldScale ? scale : '', ignored: ignored.filter((part) => part !== false) })
  if (isKnown) void chooseDeployment(deployment)
  // Another deployment may be chosen later, so the address keeps only what stays true.
  history.replaceState(null, '', `#/${shown}`)
}

/** Opens the scale of a link and moves the focus to it. */
export function openLinkedScale(known: readonly string[]): void {
  const { scale, ignored } = followed.get()
  if (scale === '') return
  if (!known.includes(scale)) {
    followed.set({ scale: '', ignored: [...ignored, 'scale'] })
    return
  }
  followed.patch({ scale: '' })
  requestAnimationFrame(() => {
    const card = document.querySelector<HTMLDetailsElement>(`[data-scale="${CSS.escape(scale)}"] details`)
    if (card === null) return
    card.open = true
    card.querySelector('summary')?.focus({ preventScroll: true })
    card.scrollIntoView({ block: 'start' })
  })
}

/** Says which parts of a link were ignored. It does not repeat them: anyone can write a link. */
export function LinkNote(): VNode {
  const { t } = useWords()
  const { ignored } = useShared(followed)
  if (ignored.length === 0) return <></>
  return (
    <div class="notice warn link-note" role="alert">
      <p>{t('link.ignored', { parts: ignored.map((part) => t(`link.${part}`)).join('; ') })}</p>
      <Button class="small" onClick={() => followed.patch({ ignored: [] })} text={t('close')} />
    </div>
  )
}

/** Copies a link to the view that is open, or to a scale in it. */
export function CopyLink({ scale }: { readonly scale?: string }): VNode {
  const { t } = useWords()
  const text = (): string => {
    const current = session.get()
    const view = viewFor(location.hash, current)
    const names = [view === 'operations' ? undefined : current?.deployment?.name, view, scale]
    return `${location.origin}${location.pathname}#/${names.filter((name) => name !== undefined).join('/')}`
  }
  const label = t(scale === undefined ? 'link.copy' : 'link.copyScale')
  return <CopyButton icon="link" label={label} done={t('link.copied')} text={text} />
}
