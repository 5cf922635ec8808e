/** Locks the page after a time without any activity, so that an unattended screen does not show patients. A warning comes first. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useWords } from './i18n/words.ts'
import { lockSession, session } from './session.ts'

const DEFAULT_MINUTES = 15
const WARNING_MS = 60_000
const LOOK_MS = 1_000
const ACTIVITY = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const

export function IdleLock(): VNode {
  const { t } = useWords()
  const [leftS, setLeftS] = useState<number | undefined>(undefined)
  useEffect(() => {
    let last = Date.now()
    const note = (): void => {
      last = Date.now()
    }
    // Compared with the clock, so that a laptop that was asleep locks when it wakes.
    const look = (): void => {
      const minutes = session.get()?.summary.idleLockMinutes ?? DEFAULT_MINUTES
      const left = last + minutes * 60_000 - Date.now()
      if (left <= 0) lockSession('idle')
      else setLeftS(left <= Math.min(WARNING_MS, minutes * 30_000) ? Math.ceil(left / 1_000) : undefined)
    }
    for (const name of ACTIVITY) window.addEventListener(name, note, { passive: true })
    document.addEventListener('visibilitychange', look)
    const timer = setInterval(look, LOOK_MS)
    return () => {
      for (const name of ACTIVITY) window.removeEventListener(name, note)
      document.removeEventListener('visibilitychange', look)
      clearInterval(timer)
    }
  }, [])
  if (leftS === undefined) return <></>
  return (
    <p class="banner" role="alert">
      {t('idle.warning')}
    </p>
  )
}
