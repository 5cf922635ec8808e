/** The frame of the page: sign-in or the chosen view, with the bar above it. */
import type { FunctionComponent, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ApiFailure } from './api.ts'
import { useAlarmWatch } from './calibration-alarm.ts'
import { connection, noteLost } from './connection.ts'
import { useWords } from './i18n/words.ts'
import { list } from './list/list-state.ts'
import { wantFirstField } from './patient/first-field.ts'
import { focusHeading } from './ui/focus-heading.ts'
import { PatientView } from './patient/patient-view.tsx'
import { offlineFacts } from './service.ts'
import { deploymentData, loadDeploymentData, openOffline, resume, session, type Loaded } from './session.ts'
import { guardLeaving } from './guard-leaving.ts'
import { IdleLock } from './idle-lock.tsx'
import { CopyLink, LinkNote, followLink, viewFor } from './link.tsx'
import { OfflineNote } from './offline/offline-note.tsx'
import { Shortcuts, listShortcuts } from './shortcuts.tsx'
import { SignIn } from './sign-in.tsx'
import { useShared } from './state.ts'
import { TopBar } from './top-bar.tsx'
import { Button } from './ui/button.tsx'
import { Confirm } from './ui/confirm.tsx'
import { OnDemand } from './ui/on-demand.tsx'
import { Empty, Failure, Loading } from './ui/status.tsx'
import { useListener } from './ui/use-listener.ts'
import { useHash, type ViewName } from './view-name.ts'

export function App(): VNode {
  const words = useWords()
  const { t } = words
  const current = useShared(session)
  const { isLost } = useShared(connection)
  const isOffline = offlineFacts() !== undefined
  const [isResuming, setResuming] = useState(true)
  const view = viewFor(useHash(), current)
  useListener(window, ['beforeunload'], guardLeaving)
  useListener(window, ['hashchange'], followLink)
  useEffect(followLink, [current === undefined])
  useEffect(() => {
    const open = isOffline ? openOffline : resume
    open()
      .catch((error: unknown) => {
        if (error instanceof ApiFailure && error.status === 0) noteLost()
      })
      .finally(() => setResuming(false))
  }, [])
  useEffect(() => {
    document.title = current === undefined ? t('app.title') : `${t(`nav.${view}`)} · ${t('app.title')}`
  }, [view, words, current === undefined])
  useFocusOnArrival(view, current !== undefined)
  useAlarmWatch(`${view} ${current?.key ?? ''}`)
  return (
    <>
      <a class="skip" href="#content" onClick={jumpToContent}>
        {t('app.skip')}
      </a>
      <TopBar view={view} />
      <Confirm />
      <Shortcuts />
      {/* Without a key nobody could unlock it. */}
      {current !== undefined && !isOffline && <IdleLock />}
      {isOffline && <OfflineNote />}
      {isLost && (
        <p class="banner" role="alert">
          {t('app.lost')}
        </p>
      )}
      <main id="content" tabIndex={-1}>
        {current === undefined && isResuming && <Loading text={t('app.loading')} />}
        {current === undefined && !isResuming && <SignIn />}
        {current !== undefined && (
          <>
            <LinkNote />
            <View view={view} />
          </>
        )}
      </main>
      {current !== undefined && (
        <footer class="foot">
          {!isOffline && <CopyLink />}
          <Button class="small" onClick={listShortcuts} text={t('shortcuts.title')} />
        </footer>
      )}
    </>
  )
}

function View({ view }: { readonly view: ViewName }): VNode {
  const { t } = useWords()
  const known = useShared(deploymentData)
  const { stage } = useShared(list)
  if (view === 'operations')
    return <OnDemand key="operations" load={loadOperations} draw={(Operations) => <Operations />} />
  if (view === 'right') return <OnDemand key="right" load={loadRight} draw={(Right) => <Right />} />
  if (view === 'outcomes') return <OnDemand key="outcomes" load={loadOutcomes} draw={(Send) => <Send />} />
  // A scored list belongs to the deployment that scored it, so it does not wait for another one.
  if (view === 'list' && (stage === 'results' || stage === 'scoring')) {
    return <OnDemandList chosen={known.kind === 'ready' ? known : undefined} />
  }
  switch (known.kind) {
    case 'none':
      return (
        <Empty title={t('app.noDeployment')}>
          <p>{t('app.noDeploymentHint')}</p>
        </Empty>
      )
    case 'loading':
      return <Loading text={t('app.loading')} />
    case 'failed':
      return <Failure failure={known.failure} onAgain={() => void loadDeploymentData()} />
    case 'ready':
      if (view === 'list') return <OnDemandList chosen={known} />
      if (view !== 'model') return <PatientView model={known.model} catalogue={known.catalogue} />
      return (
        <OnDemand
          key="model"
          load={loadModelView}
          draw={(Model) => <Model model={known.model} catalogue={known.catalogue} />}
        />
      )
  }
}

const loadList = async (): Promise<FunctionComponent<{ readonly chosen: Loaded | undefined }>> =>
  (await import('./list/list-view.tsx')).ListView
const loadOperations = async (): Promise<FunctionComponent> =>
  (await import('./operations/operations-view.tsx')).OperationsView
const loadRight = async (): Promise<FunctionComponent> =>
  (await import('./still-right/still-right-view.tsx')).StillRightView
const loadOutcomes = async (): Promise<FunctionComponent> =>
  (await import('./outcomes/outcomes-view.tsx')).OutcomesView
const loadModelView = async (): Promise<FunctionComponent<Loaded>> =>
  (await import('./model/model-view.tsx')).ModelView

function OnDemandList({ chosen }: { readonly chosen: Loaded | undefined }): VNode {
  return <OnDemand key="list" load={loadList} draw={(List) => <List chosen={chosen} />} />
}

/** A screen reader announces the heading of the new view. */
function useFocusOnArrival(view: ViewName, isSignedIn: boolean): void {
  const [first] = useState({ isFirst: true, wasSignedIn: isSignedIn })
  useEffect(() => {
    if (first.isFirst) {
      first.isFirst = false
      return undefined
    }
    const stop = focusHeading()
    window.scrollTo(0, 0)
    if (isSignedIn && !first.wasSignedIn) wantFirstField()
    first.wasSignedIn = isSignedIn
    return stop
  }, [view, isSignedIn])
}

/** The address keeps the name of the view, so the focus is moved here instead of by a link. */
function jumpToContent(event: Event): void {
  event.preventDefault()
  document.getElementById('content')?.focus()
}
