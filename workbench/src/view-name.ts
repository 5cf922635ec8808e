/** Which view is shown. The address after the # names it, and holds nothing else: no key and no patient. */
import { useEffect, useState } from 'preact/hooks'
import type { Session } from './session.ts'

export type ViewName = 'patient' | 'list' | 'model' | 'operations'

export const VIEWS: readonly ViewName[] = ['patient', 'list', 'model', 'operations']

export function useHash(): string {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const follow = (): void => setHash(location.hash)
    window.addEventListener('hashchange', follow)
    return () => window.removeEventListener('hashchange', follow)
  }, [])
  return hash
}

export function viewFor(hash: string, session: Session | undefined): ViewName {
  const named = VIEWS.find((view) => hash === `#/${view}`)
  if (named === 'operations' && session !== undefined && !session.summary.admin) return 'patient'
  if (named !== undefined) return named
  // A key for management alone has no patient to show.
  return session?.deployment === undefined && session?.summary.admin === true ? 'operations' : 'patient'
}
