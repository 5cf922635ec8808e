/** `patient-risk alarms`: lists the alarms of feeds, units, drift and calibration, and records what an operator found out about them. */
import { makeDeployments } from '@patient-risk/catalog'
import { ACKNOWLEDGE_REASONS, type Alarm, knownAfter, lastComplete } from '@patient-risk/monitor'
import { calendarOf } from '@patient-risk/runtime'
import type { Store } from '@patient-risk/server/store'
import { loadOrRefusal, unknownName } from './catalog/load-catalog.ts'
import { Refusal, UsageError, command, printOutput, textTable } from './command.ts'
import { recordCommand, withStore } from './with-store.ts'

const HEAD = ['DEPLOYMENT', 'KEY', 'FIELD', 'ALARM', 'BASIS', 'LIKELY', 'AGAINST', 'STATE', 'SINCE']

export const alarmsList = command({ flags: ['json'] }, ({ json }) =>
  withStore(async ({ store }) => {
    const all = await store.readAlarms()
    const rows = all.map(({ deployment, keyId, field, kind, basis, likely, reference, state, at }) => {
      return [deployment, keyId, field, kind, basis, likely, reference, state, new Date(at).toISOString()]
    })
    const text = rows.length === 0 ? 'There are no alarms.\n' : textTable(HEAD, rows)
    return printOutput(text, json && all)
  }),
)

const CONFIRMED = ['deployment', 'key', 'field', 'unit'] as const
const CONFIRM_NEEDS = ['deployment', 'key', 'field'] as const

export const alarmsConfirm = command(
  { texts: CONFIRMED, required: CONFIRM_NEEDS },
  ({ deployment, key: keyId, field, unit: basis }) => {
    if (basis === undefined) return confirmFeed(deployment, keyId, field)
    const { config, catalog } = loadOrRefusal()
    const entry = config.deployments.find(({ name }) => name === deployment)
    const names = config.deployments.map(({ name }) => name)
    if (entry === undefined) throw unknownName('deployment', deployment, names)
    const own = catalog.units.get(field)?.unit
    if (own === undefined) throw unknownName('field with several units', field, catalog.units.keys())
    const received = makeDeployments(catalog, [entry]).deployments[0]?.units[field] ?? own
    if (received !== basis)
      throw new Refusal(
        `${deployment} receives ${field} in ${received}. Declare ${basis} in its "units" instead.`,
      )
    return withStore(async ({ store }) => {
      if ((await store.findKey(keyId)) === undefined) throw new Refusal(`There is no key ${keyId}.`)
      const alarm = { kind: 'unit', deployment, keyId, field, basis, likely: '', reference: '' } as const
      const at = Date.now()
      for (const each of await raisedAbout(store, { deployment, keyId, field }))
        if (each.kind === 'feed') await store.writeAlarm({ ...each, state: 'confirmed', at })
      return settle(store, 'alarms confirm', { ...alarm, state: 'confirmed', at })
    }, config)
  },
)

/** What the feed sends in a field was looked at and is right: it is not doubted again. */
function confirmFeed(deployment: string, keyId: string, field: string): Promise<number> {
  return withStore(async ({ store }) => {
    const raised = await raisedAbout(store, { deployment, keyId, field })
    const alarm = raised.find(({ kind }) => kind === 'feed')
    if (alarm === undefined) throw new Refusal('There is no such alarm. See patient-risk alarms list.')
    if (raised.some(({ kind }) => kind === 'unit'))
      throw new Refusal(`The unit of ${field} is in doubt: confirm it with --unit.`)
    return settle(store, 'alarms confirm', { ...alarm, state: 'confirmed', at: Date.now() })
  })
}

/** The open alarms about one field of one feed: two tests may have found the same. */
async function raisedAbout(
  store: Store,
  { deployment, keyId, field }: Pick<Alarm, 'deployment' | 'keyId' | 'field'>,
): Promise<readonly Alarm[]> {
  return (await store.readAlarms()).filter(
    (each) =>
      each.deployment === deployment &&
      each.keyId === keyId &&
      each.field === field &&
      each.state === 'raised' &&
      each.kind !== 'calibration',
  )
}

export const alarmsAcknowledge = command(
  { texts: ['deployment', 'key', 'field', 'group', 'reason'], required: ['deployment'] },
  ({ deployment, field, key = '', group = '', reason }) => {
    if (reason !== undefined && !ACKNOWLEDGE_REASONS.some((each) => each === reason))
      throw new UsageError(`--reason takes one of: ${ACKNOWLEDGE_REASONS.join(', ')}.`)
    if (field === undefined ? key !== '' : group !== '')
      throw new UsageError('--key goes with --field, and --group does not.')
    return withStore(async ({ store }, { deployments, timeZone }) => {
      const isMeant = (each: Alarm): boolean =>
        each.deployment === deployment &&
        (each.kind === 'calibration') === (field === undefined) &&
        each.keyId === key &&
        each.field === (field ?? group) &&
        each.state === 'raised'
      const meant = (await store.readAlarms()).filter(isMeant)
      // Of two alarms about one field, that of the feed goes below with the other one.
      const alarm = meant.find(({ kind }) => kind !== 'feed') ?? meant[0]
      if (alarm === undefined) throw new Refusal('There is no such alarm. See patient-risk alarms list.')
      const { outcomes } = deployments.find(({ name }) => name === deployment) ?? {}
      const now = Date.now()
      for (const each of await raisedAbout(store, { deployment, keyId: key, field: field ?? '' }))
        if (each.kind === 'feed') await store.writeAlarm({ ...each, state: 'acknowledged', at: now })
      const last = lastComplete(calendarOf(timeZone)(now), knownAfter(outcomes))
      const reference = field === undefined ? last : alarm.reference
      const settled = { ...alarm, reference, state: 'acknowledged', at: now } as const
      return settle(store, 'alarms acknowledge', settled, reason)
    })
  },
)

/** Recorded in the audit first: no alarm ends without a trace. */
async function settle(store: Store, call: string, alarm: Alarm, reason?: string): Promise<number> {
  const { deployment, keyId, field, basis, state } = alarm
  const subject = [deployment, keyId, field, basis].filter((each) => each !== '').join(' ')
  await recordCommand(store, call, reason === undefined ? subject : `${subject}, reason: ${reason}`)
  await store.writeAlarm(alarm)
  const about = field === '' || alarm.kind === 'calibration' ? `calibration ${field}`.trim() : field
  return printOutput(`${about} of ${deployment}: ${state}.\n`)
}
