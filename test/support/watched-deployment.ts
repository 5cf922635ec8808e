/** The usual deployments and one whose outcomes are watched, and its alarm of calibration as the store holds it. */
import { DEFAULT_FILE, type DeploymentSettings } from '@patient-risk/catalog/config'
import type { Served } from './serve.ts'

export const WATCHED: DeploymentSettings = {
  name: 'watched',
  basePath: '/watched',
  model: 'readmission30',
  output: 'number',
  outcomes: { horizonDays: 30, eta: 1 },
}

export const WITH_WATCHED: readonly DeploymentSettings[] = [...DEFAULT_FILE.deployments, WATCHED]

export const ALARM_MONTH = '2026-01'

/** Opens or ends the alarm in the store, and lets the service read it at once, which it does by itself within five seconds. */
export async function setAlarm(
  served: Served,
  state: 'raised' | 'acknowledged',
  deployment = WATCHED.name,
): Promise<void> {
  const subject = { kind: 'calibration', deployment, keyId: '', field: '' } as const
  await served.store.writeAlarm({ ...subject, basis: 'x', likely: ALARM_MONTH, reference: '', state, at: 1 })
  const manager = await served.makeKey({ scopes: ['*', 'admin'] })
  await served.get('/admin/alarms', { authorization: `Bearer ${manager}` })
}
