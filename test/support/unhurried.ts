/** For tests that are not about time limits: on a busy machine a call or a turn of the event loop may take some seconds. */
import { DEFAULT_SERVER_SETTINGS, type ServerSettings } from '@patient-risk/catalog/config'

/** Options of a store. */
export const UNHURRIED = { limitFactor: 60 }

const LATE_AFTER_MS = 60_000

/** A process that waits for its turn would refuse requests as late. A test of that gives a delay of its own. */
export function unhurried(settings: ServerSettings): ServerSettings {
  const { load } = settings
  const isDefault = load.eventLoopDelayMs === DEFAULT_SERVER_SETTINGS.load.eventLoopDelayMs
  return isDefault ? { ...settings, load: { ...load, eventLoopDelayMs: LATE_AFTER_MS } } : settings
}
