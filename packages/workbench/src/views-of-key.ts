/** Which views a key may open. A key for outcomes is of somebody who answers for the risks, and not for scoring patients. */
import type { Session } from './session.ts'
import type { ViewName } from './view-name.ts'

const SCORING: readonly ViewName[] = ['patient', 'list', 'model']
const WATCHING: readonly ViewName[] = ['right', 'outcomes']

export function viewsOf({ summary }: Session): readonly ViewName[] {
  const watching = summary.outcomes.length === 0 ? [] : WATCHING
  if (summary.admin) return [...SCORING, ...watching, 'operations']
  return watching.length === 0 ? SCORING : [...watching, 'model']
}

/** The view that is opened where the address names none. A key for management alone has no patient to show. */
export function firstView(current: Session): ViewName {
  if (current.deployment === undefined && current.summary.admin) return 'operations'
  return viewsOf(current)[0] ?? 'patient'
}
