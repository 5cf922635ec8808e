/** The session: its key, what the key may use, and the chosen deployment. The key stays in memory; the tab keeps it only on request. */
import { ApiFailure, ask, callOf } from './api.ts'
import { forgetEnglish } from './i18n/mark-english.ts'
import { loadLanguage } from './i18n/translate.ts'
import { keptLanguage } from './i18n/kept-language.ts'
import { preferences, type Preferences } from './preferences.ts'
import { runAll } from './run-all.ts'
import type { DeploymentSummary, KeySummary } from './shapes/answers.ts'
import type { FieldCatalogue } from './shapes/fields.ts'
import type { Model } from './shapes/model.ts'
import { createState } from './state.ts'
import { keptText } from './storage.ts'
import { placeOf } from './view-name.ts'

export interface Session {
  readonly key: string
  readonly summary: KeySummary
  readonly deployment: DeploymentSummary | undefined
  readonly isKept: boolean
}

/** A deployment as the page knows it: its model and its fields. */
export interface Loaded {
  readonly model: Model
  readonly catalogue: FieldCatalogue
}

/** What is known of the chosen deployment. */
export type DeploymentData =
  | { readonly kind: 'none' }
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  | ({ readonly kind: 'ready' } & Loaded)

export const session = createState<Session | undefined>(undefined)
export const deploymentData = createState<DeploymentData>({ kind: 'none' })
/** A session that is locked: nothing is shown, and everything is kept for the person whose key it was. */
export interface Lock {
  readonly reason: 'refused' | 'idle' | 'asked'
  /** Undefined where nobody had signed in yet, so that nothing is kept. */
  readonly key: KeySummary['key'] | undefined
  readonly deployment: string | undefined
}
export const lock = createState<Lock | undefined>(undefined)

const cleanups: (() => void)[] = []
const stops: (() => void)[] = []

/** Registers what must be cleared when a session ends: everything that holds a patient, a list or a key. */
export function onSessionEnd(clear: () => void): void {
  cleanups.push(clear)
}

/** Registers what must stop when the session is locked, because it would go on without a key. */
export function onLock(stop: () => void): void {
  stops.push(stop)
}

onSessionEnd(forgetEnglish)

const keptSession = keptText('tab', 'patient-risk-session')

interface Kept extends Preferences {
  readonly key: string
  readonly deployment: string
}

export async function signIn(key: string, isKept: boolean, wanted?: string): Promise<void> {
  const summary = await ask<KeySummary>(key, '/deployments')
  const locked = lock.get()
  if (locked?.key !== undefined && !isSamePerson(locked, summary.key)) signOut()
  const named = (asked: string | undefined): DeploymentSummary | undefined =>
    summary.deployments.find(({ name }) => name === asked)
  // A locked list stays with its deployment, whatever the address names.
  const asked = lock.get()?.deployment ?? placeOf(location.hash).deployment
  const deployment = named(asked) ?? named(wanted) ?? summary.deployments[0]
  lock.set(undefined)
  session.set({ key, summary, deployment, isKept })
  keep()
  await loadDeploymentData()
}

/** A key that replaces another one has its name. It counts only where the other one is refused. */
function isSamePerson({ reason, key }: Lock, { id, name }: KeySummary['key']): boolean {
  return key?.id === id || (reason === 'refused' && key?.name === name)
}

/** Covers the page and forgets the key. What is on the page stays in memory. The screen comes first: nothing may keep a patient on it. */
export function lockSession(reason: Lock['reason']): void {
  const current = session.get()
  runAll([
    () => lock.set({ reason, key: current?.summary.key, deployment: current?.deployment?.name }),
    () => session.set(undefined),
    ...stops,
    () => keptSession.remove(),
  ])
}

let ends = 0

/** Taken before a wait, says after it whether the session has ended meanwhile. A lock is no end. */
export function watchEnd(): () => boolean {
  const before = ends
  return () => ends !== before
}

/** Ends the session and clears everything that it held, so that the next user of this screen finds nothing. The screen comes first. */
export function signOut(): void {
  ends++
  runAll([
    () => lock.set(undefined),
    () => session.set(undefined),
    () => deploymentData.set({ kind: 'none' }),
    ...cleanups,
    () => keptSession.remove(),
    () => keptLanguage.remove(),
    () => history.replaceState(null, '', location.pathname),
  ])
}

export async function chooseDeployment(name: string): Promise<void> {
  const current = session.get()
  const deployment = current?.summary.deployments.find((each) => each.name === name)
  if (current === undefined || deployment === undefined || deployment === current.deployment) return
  session.set({ ...current, deployment })
  keep()
  await loadDeploymentData()
}

/** Loads the chosen deployment again after it has changed: what it answers, its model and its fields. */
export async function reloadDeployment(): Promise<void> {
  const current = session.get()
  if (current === undefined) return
  deploymentData.set({ kind: 'loading' })
  try {
    const summary = await ask<KeySummary>(current.key, '/deployments')
    const name = current.deployment?.name
    session.set({ ...current, summary, deployment: summary.deployments.find((each) => each.name === name) })
    await loadDeploymentData()
  } catch (error) {
    noteFailure(error)
  }
}

export async function loadDeploymentData(): Promise<void> {
  const current = session.get()
  if (current?.deployment === undefined) {
    deploymentData.set({ kind: 'none' })
    return
  }
  const { key, deployment } = current
  const load = async (): Promise<Loaded> => {
    const [model, catalogue] = await Promise.all([
      ask<Model>(key, callOf(deployment.basePath, '/model')),
      ask<FieldCatalogue>(key, callOf(deployment.basePath, '/fields'), { isKept: true }),
    ])
    return { model, catalogue }
  }
  deploymentData.set({ kind: 'loading' })
  try {
    const first = await load()
    // The deployment may have changed between the two calls.
    const isOne = first.model.deployment.digest === first.catalogue.digest
    const { model, catalogue } = isOne ? first : await load()
    // Another deployment may have been chosen while this one was on its way.
    if (session.get()?.deployment === deployment) deploymentData.set({ kind: 'ready', model, catalogue })
  } catch (error) {
    noteFailure(error)
  }
}

function noteFailure(error: unknown): void {
  if (!(error instanceof ApiFailure)) throw error
  if (!refuseIfUnknown(error)) deploymentData.set({ kind: 'failed', failure: error })
}

/** A key that has expired or was revoked locks its session. Returns whether the failure was that. */
export function refuseIfUnknown(error: unknown): boolean {
  if (!(error instanceof ApiFailure) || error.status !== 401) return false
  // A late answer to a former key must not lock out the next person.
  if (error.isOf(session.get()?.key)) lockSession('refused')
  return true
}

/** Opens a page that answers itself: there is no key. */
export async function openOffline(): Promise<void> {
  await signIn('', false)
}

/** Resumes the session that this tab was asked to keep. */
export async function resume(): Promise<void> {
  const text = keptSession.read()
  if (text === undefined) return
  const kept = JSON.parse(text) as Kept
  // A language that cannot be had, because nobody offers it any more, keeps nobody from going on.
  const language = await loadLanguage(kept.language).then(
    () => kept.language,
    () => preferences.get().language,
  )
  preferences.set({ language, theme: kept.theme })
  try {
    await signIn(kept.key, true, kept.deployment)
  } catch (error) {
    if (!refuseIfUnknown(error)) throw error
    lockSession('refused')
  }
}

function keep(): void {
  const current = session.get()
  if (current?.isKept !== true) return
  const kept: Kept = { key: current.key, deployment: current.deployment?.name ?? '', ...preferences.get() }
  keptSession.write(JSON.stringify(kept))
}

preferences.subscribe(keep)
