/** The frame of the page: who is signed in, where one is, and the view itself. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ApiFailure } from './api.ts'
import { connection, noteLost } from './connection.ts'
import { useWords } from './i18n/words.ts'
import { ListView } from './list/list-view.tsx'
import { ModelView } from './model/model-view.tsx'
import { OperationsView } from './operations/operations-view.tsx'
import { PatientView } from './patient/patient-view.tsx'
import { knowledge, loadKnowledge, resume, session } from './session.ts'
import { SignIn } from './sign-in.tsx'
import { useShared } from './state.ts'
import { TopBar } from './top-bar.tsx'
import { Empty, Failure, Loading } from './ui/status.tsx'
import { placeOf, useHash, type Place } from './place.ts'

export function App(): VNode {
  const words = useWords()
  const { t } = words
  const current = useShared(session)
  const { isLost } = useShared(connection)
  const [isResuming, setResuming] = useState(true)
  const place = placeOf(useHash(), current)
  useEffect(() => {
    resume()
      .catch((error: unknown) => {
        if (error instanceof ApiFailure && error.status === 0) noteLost()
      })
      .finally(() => setResuming(false))
  }, [])
  useEffect(() => {
    document.title = current === undefined ? t('app.title') : `${t(`nav.${place}`)} · ${t('app.title')}`
  }, [place, words, current === undefined])
  useFocusOnArrival(place, current !== undefined)
  return (
    <>
      <a class="skip" href="#content" onClick={jumpToContent}>
        {t('app.skip')}
      </a>
      <TopBar place={place} />
      {isLost && (
        <p class="banner" role="alert">
          {t('app.lost')}
        </p>
      )}
      <main id="content" tabIndex={-1}>
        {current === undefined ? (
          isResuming ? (
            <Loading text={t('app.loading')} />
          ) : (
            <SignIn />
          )
        ) : (
          <View place={place} />
        )}
      </main>
    </>
  )
}

function View({ place }: { readonly place: Place }): VNode {
  const { t } = useWords()
  const known = useShared(knowledge)
  if (place === 'operations') return <OperationsView />
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
      return <Failure failure={known.failure} onAgain={() => void loadKnowledge()} />
    case 'ready':
      return place === 'list' ? (
        <ListView model={known.model} catalogue={known.catalogue} />
      ) : place === 'model' ? (
        <ModelView model={known.model} catalogue={known.catalogue} />
      ) : (
        <PatientView model={known.model} catalogue={known.catalogue} />
      )
  }
}

/** Someone who cannot see the page change hears the heading of the new view. */
function useFocusOnArrival(place: Place, isSignedIn: boolean): void {
  const [first] = useState({ isFirst: true })
  useEffect(() => {
    if (first.isFirst) {
      first.isFirst = false
      return
    }
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
    window.scrollTo(0, 0)
  }, [place, isSignedIn])
}

/** The address keeps naming the view, so the jump is made here and not by the address. */
function jumpToContent(event: Event): void {
  event.preventDefault()
  document.getElementById('content')?.focus()
}
