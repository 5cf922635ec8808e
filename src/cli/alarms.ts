/** `patient-risk alarms`: lists the alarms of units and drift, and records what an operator found out about them. */
import { makeDeployments } from '../catalog/deployment.ts'
import type { Alarm, Store } from '../store/store.ts'
import { loadOrRefusal, unknownName } from './catalog/load-catalog.ts'
import { type Command, Refusal, UsageError, parseArguments, printOutput, textTable } from './command.ts'
import { recordCommand, withStore } from './with-store.ts'

const HEAD = ['DEPLOYMENT', 'KEY', 'FIELD', 'ALARM', 'BASIS', 'LIKELY', 'AGAINST', 'STATE', 'SINCE']

export const alarmsList: Command = {
  help: `Usage: patient-risk alarms list [--json]

Lists the alarms that were raised, confirmed or acknowledged: values of a feed that are probably in another unit than
the one received (unit), and inputs or risks that have moved away from the model's data (drift).`,
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

Records that a feed sends a field in this unit, which must be the one that the deployment receives, also where its
values look otherwise, as on a ward of patients with anaemia. From then on its values are compared only with the
feed's own, beginning with the next 300. Works before an alarm too. A running service knows it within five seconds.

Options:
  --deployment NAME  the deployment
  --key ID           the key of the feed, as in "keys list"
  --field NAME       the field, such as haemoglobin
  --unit UNIT        the unit that the sender has confirmed`,
  run(args) {
    const options = parseArguments(args, { texts: ['deployment', 'key', 'field', 'unit'] }).values
    const {
      deployment,
      key: keyId,
      field,
      unit: basis,
    } = required(options, 'deployment', 'key', 'field', 'unit')
    const { config, catalog } = loadOrRefusal()
    const entry = config.deployments.find(({ name }) => name === deployment)
    if (entry === undefined)
      throw unknownName(
        'deployment',
        deployment,
        config.deployments.map(({ name }) => name),
      )
    const own = catalog.units.get(field)?.unit
    if (own === undefined) throw unknownName('field with several units', field, catalog.units.keys())
    const received = makeDeployments(catalog, [entry]).deployments[0]?.units[field] ?? own
    if (received !== basis)
      throw new Refusal(
        `${deployment} receives ${field} in ${received}. Declare ${basis} in its "units" instead.`,
      )
    return withStore(async ({ store }) => {
      if ((await store.findKey(keyId)) === undefined) throw new Refusal(`There is no key ${keyId}.`)
      const about = (await find(store, 'unit', deployment, keyId, field)) ?? { likely: '', reference: '' }
      return settle(store, { ...about, kind: 'unit', deployment, keyId, field, basis }, 'confirmed')
    }, config)
  },
}

export const alarmsAcknowledge: Command = {
  help: `Usage: patient-risk alarms acknowledge --deployment NAME --field NAME [--key ID]

Ends an alarm whose cause was found and removed, as by a sender that went back to its unit. Its test begins again
from nothing. With --key the alarm of a feed's unit, without it the alarm of the deployment's drift.`,
  run(args) {
    const options = parseArguments(args, { texts: ['deployment', 'key', 'field'] }).values
    const { deployment, field } = required(options, 'deployment', 'field')
    const { key = '' } = options
    return withStore(async ({ store }) => {
      const before = await find(store, key === '' ? 'drift' : 'unit', deployment, key, field)
      if (before?.state !== 'raised')
        throw new Refusal('There is no such alarm. See patient-risk alarms list.')
      return settle(store, before, 'acknowledged')
    })
  },
}

function required<Name extends string>(
  values: Readonly<Partial<Record<Name, string>>>,
  ...names: readonly Name[]
): Readonly<Record<Name, string>> {
  for (const name of names) if (values[name] === undefined) throw new UsageError(`--${name} is required.`)
  return values as Readonly<Record<Name, string>>
}

async function find(
  store: Store,
  ...[kind, deployment, keyId, field]: readonly [Alarm['kind'], string, string, string]
): Promise<Alarm | undefined> {
  return (await store.readAlarms()).find(
    (each) =>
      each.kind === kind && each.deployment === deployment && each.keyId === keyId && each.field === field,
  )
}

/** Recorded in the audit first: no alarm ends without a trace. */
async function settle(
  store: Store,
  alarm: Omit<Alarm, 'state' | 'at'>,
  state: 'acknowledged' | 'confirmed',
): Promise<number> {
  const { deployment, keyId, field, basis } = alarm
  const call = `alarms ${state === 'confirmed' ? 'confirm' : 'acknowledge'}`
  await recordCommand(store, call, [deployment, keyId, field, basis].filter((each) => each !== '').join(' '))
  await store.writeAlarm({ ...alarm, state, at: Date.now() })
  return printOutput(`${field} of ${deployment}: ${state}.\n`)
}
