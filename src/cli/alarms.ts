/** `patient-risk alarms`: lists the alarms of units, drift and calibration, and records what an operator found out about them. */
import { makeDeployments } from '../catalog/deployment.ts'
import { calendarOf, lastComplete } from '../clock.ts'
import type { Alarm, Store } from '../store/store.ts'
import { loadOrRefusal, unknownName } from './catalog/load-catalog.ts'
import { type Command, Refusal, UsageError, parseArguments, printOutput, textTable } from './command.ts'
import { recordCommand, withStore } from './with-store.ts'

const HEAD = ['DEPLOYMENT', 'KEY', 'FIELD', 'ALARM', 'BASIS', 'LIKELY', 'AGAINST', 'STATE', 'SINCE']

export const alarmsList: Command = {
  help: `Usage: patient-risk alarms list [--json]

Lists the alarms that were raised, confirmed or acknowledged: values of a feed that are probably in another unit than
the one received (unit), inputs or risks that have moved away from the model's data (drift), and risks that do not fit
the outcomes (calibration; with the group, or none for all patients, the digest of the deployment, the month by which
it was raised, and the last month that is no longer counted).`,
  run(args) {
    const { values } = parseArguments(args, { flags: ['json'] })
    return withStore(async ({ store }) => {
      const all = await store.readAlarms()
      const rows = all.map(({ deployment, keyId, field, kind, basis, likely, reference, state, at }) => {
        return [deployment, keyId, field, kind, basis, likely, reference, state, new Date(at).toISOString()]
      })
      const text = rows.length === 0 ? 'There are no alarms.\n' : textTable(HEAD, rows)
      return printOutput(text, values.json && all)
    })
  },
}

export const alarmsConfirm: Command = {
  help: `Usage: patient-risk alarms confirm --deployment NAME --key ID --field NAME --unit UNIT

Records that a feed, the key with this id, sends a field in this unit. It must be the one that the deployment receives.
For feeds whose values look otherwise, as on a ward of patients with anaemia: from then on values are compared only
with the feed's own, beginning with the next 300. Works before an alarm too. A running service knows it within seconds.`,
  run(args) {
    const { values } = parseArguments(args, { texts: ['deployment', 'key', 'field', 'unit'] })
    const { deployment, key: keyId, field, unit: basis } = values
    if (deployment === undefined || keyId === undefined || field === undefined || basis === undefined)
      throw new UsageError('--deployment, --key, --field and --unit are required.')
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
      return settle(store, 'alarms confirm', { ...alarm, state: 'confirmed', at: Date.now() })
    }, config)
  },
}

export const alarmsAcknowledge: Command = {
  help: `Usage: patient-risk alarms acknowledge --deployment NAME [--field NAME [--key ID]] [--group NAME]

Ends an alarm whose cause was found and removed, as by a sender that went back to its unit. Its test begins again
from nothing. With --field and --key it is the alarm of a feed's unit, with --field alone that of the deployment's
drift. Without --field it is the alarm of calibration, of all patients or of a --group; outcomes count again from
the month on that is not complete yet.`,
  run(args) {
    const { values } = parseArguments(args, { texts: ['deployment', 'key', 'field', 'group'] })
    const { deployment, field, key = '', group = '' } = values
    if (deployment === undefined) throw new UsageError('--deployment is required.')
    if (field === undefined ? key !== '' : group !== '')
      throw new UsageError('--key goes with --field, and --group does not.')
    return withStore(async ({ store }, { deployments, timeZone }) => {
      const isMeant = (each: Alarm): boolean =>
        each.deployment === deployment &&
        (each.kind === 'calibration') === (field === undefined) &&
        each.keyId === key &&
        each.field === (field ?? group) &&
        each.state === 'raised'
      const alarm = (await store.readAlarms()).find(isMeant)
      if (alarm === undefined) throw new Refusal('There is no such alarm. See patient-risk alarms list.')
      const { horizonDays } = deployments.find(({ name }) => name === deployment)?.outcomes ?? {}
      const now = Date.now()
      const last = lastComplete(calendarOf(timeZone)(now), horizonDays)
      const reference = field === undefined ? last : alarm.reference
      return settle(store, 'alarms acknowledge', { ...alarm, reference, state: 'acknowledged', at: now })
    })
  },
}

/** Recorded in the audit first: no alarm ends without a trace. */
async function settle(store: Store, call: string, alarm: Alarm): Promise<number> {
  const { deployment, keyId, field, basis, state } = alarm
  await recordCommand(store, call, [deployment, keyId, field, basis].filter((each) => each !== '').join(' '))
  await store.writeAlarm(alarm)
  const subject = field === '' || alarm.kind === 'calibration' ? `calibration ${field}`.trim() : field
  return printOutput(`${subject} of ${deployment}: ${state}.\n`)
}
