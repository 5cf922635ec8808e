/**
 * Which view is shown. The address after the # names it; a link also names a deployment and a scale. It holds nothing else:
 * no key and no patient.
 */
import { useState } from 'preact/hooks'
import { useListener } from './ui/use-listener.ts'

export type ViewName = 'patient' | 'list' | 'model' | 'right' | 'outcomes' | 'operations'

export const VIEWS: readonly ViewName[] = ['patient', 'list', 'model', 'right', 'outcomes', 'operations']

/** What an address names. The parts are as they were written: they may name nothing that exists. */
export interface Place {
  readonly deployment: string
  readonly view: string
  readonly scale: string
  /** Whether there is more than a link may hold. */
  readonly hasRest: boolean
}

/** `#/patient` is a view of the deployment that is open; `#/readmission/patient/barthel` is a link. */
export function placeOf(hash: string): Place {
  const parts = hash.replace(/^#\/?/, '').split('/')
  const [first = '', view = '', scale = '', ...rest] = parts
  return parts.length === 1 && isView(first)
    ? { deployment: '', view: first, scale: '', hasRest: false }
    : { deployment: first, view, scale, hasRest: rest.length > 0 }
}

export function isView(name: string): name is ViewName {
  return VIEWS.some((view) => view === name)
}

export function useHash(): string {
  const [hash, setHash] = useState(location.hash)
  useListener(window, ['hashchange'], () => setHash(location.hash))
  return hash
}
