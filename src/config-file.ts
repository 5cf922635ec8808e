/** The check of a configuration file: all faults at once, each with a near name where one exists. */
import { isIP } from 'node:net'
import type Type from 'typebox'
import { Value } from 'typebox/value'
import { CONFIG_SCHEMA, type ConfigFile, DeploymentEntry, type DeploymentSettings } from './config-schema.ts'
import { hasShape } from './definition/check/check-shape.ts'
import type { FaultList } from './definition/fault.ts'
import { nearNames } from './definition/near-names.ts'

/** Paths of the service itself, which no deployment may cover. */
const TAKEN_PATHS = [
  '/health',
  '/docs',
  '/openapi.json',
  '/metrics',
  '/admin',
  '/deployments',
  '/workbench',
  '/cds-services',
]

export function checkConfigFile(value: unknown, faults: FaultList): ConfigFile | undefined {
  suggestNames(CONFIG_SCHEMA as ObjectSchema, value, '', faults)
  hasShape(CONFIG_SCHEMA, value, faults)
  const file = wellShapedParts(value)
  if (file.timeZone !== undefined && !isTimeZone(file.timeZone)) {
    faults.add('/timeZone', 'time-zone', 'is not a known time zone; write it as in Europe/Madrid')
  }
  checkProxies(file, faults)
  checkIssuers(file, faults)
  file.deployments.forEach((deployment, index) => {
    const path = `/deployments/${index}`
    checkDuplicate(file, index, 'name', path, faults)
    checkDuplicate(file, index, 'basePath', path, faults)
    if (deployment.name === 'admin')
      faults.add(`${path}/name`, 'taken', 'is the scope of the management calls')
    if (
      TAKEN_PATHS.some(
        (taken) => deployment.basePath === taken || deployment.basePath?.startsWith(`${taken}/`) === true,
      )
    ) {
      faults.add(`${path}/basePath`, 'base-path', 'is an address of the service itself')
    }
    if (deployment.output === 'number' && deployment.threshold !== undefined) {
      faults.add(`${path}/threshold`, 'threshold', 'only a yes-no deployment has a threshold')
    }
    for (const key of ['deprecated', 'sunset'] as const) {
      const date = deployment.retirement?.[key]
      if (date !== undefined && Number.isNaN(Date.parse(date))) {
        faults.add(`${path}/retirement/${key}`, 'date', 'is not a date; write it as in 2027-01-31')
      }
    }
  })
  return faults.faults.length === 0 ? (value as ConfigFile) : undefined
}

export interface ConfigParts extends Partial<Omit<ConfigFile, 'deployments'>> {
  readonly deployments: readonly Partial<DeploymentSettings>[]
}

/** The settings that have the right shape. They are checked further, even if others do not have it. */
export function wellShapedParts(value: unknown): ConfigParts {
  const { deployments } = (value ?? {}) as { deployments?: unknown }
  const entries: readonly unknown[] = Array.isArray(deployments) ? deployments : []
  return {
    ...wellShaped(CONFIG_SCHEMA as ObjectSchema, value),
    deployments: entries.map((each) => wellShaped(DeploymentEntry as ObjectSchema, each)),
  }
}

function wellShaped(schema: ObjectSchema, value: unknown): object {
  const isKnown = ([name, inner]: [string, unknown]): boolean => {
    const known = schema.properties?.[name]
    return known !== undefined && Value.Check(known, inner)
  }
  return Object.fromEntries(Object.entries(value ?? {}).filter(isKnown))
}

interface ObjectSchema extends Type.TSchema {
  readonly properties?: Readonly<Record<string, ObjectSchema>>
  readonly items?: ObjectSchema
}

/** For every property that does not exist: the nearest one that does. */
function suggestNames(schema: ObjectSchema, value: unknown, path: string, faults: FaultList): void {
  if (Array.isArray(value)) {
    const { items } = schema
    if (items !== undefined)
      value.forEach((each, index) => suggestNames(items, each, `${path}/${index}`, faults))
    return
  }
  const { properties } = schema
  if (typeof value !== 'object' || value === null || properties === undefined) return
  for (const [name, inner] of Object.entries(value)) {
    const known = properties[name]
    if (known !== undefined) suggestNames(known, inner, `${path}/${name}`, faults)
    else {
      const [near] = nearNames(name, Object.keys(properties))
      if (near !== undefined)
        faults.add(`${path}/${name}`, 'unknown', `is not known; did you mean "${near}"?`)
    }
  }
}

function checkProxies(file: ConfigParts, faults: FaultList): void {
  file.server?.trustedProxies?.forEach((proxy, index) => {
    const [address = '', bits, more] = proxy.split('/')
    const family = isIP(address)
    const isNetwork =
      bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
    if (family === 0 || !isNetwork || more !== undefined) {
      faults.add(
        `/server/trustedProxies/${index}`,
        'address',
        'is not an address; write it as in 10.0.0.7 or 10.0.0.0/8',
      )
    }
  })
}

/** A token is made for one address, so the service must know its own. */
function checkIssuers({ cdsHooks, server }: ConfigParts, faults: FaultList): void {
  cdsHooks?.issuers?.forEach(({ jwks, jwksUrl }, index) => {
    const path = `/cdsHooks/issuers/${index}`
    if ((jwks === undefined) === (jwksUrl === undefined))
      faults.add(path, 'jwks', 'needs one of jwks and jwksUrl')
    if ((server?.origins ?? []).length === 0)
      faults.add(path, 'origins', 'needs server.origins: the address for which tokens are made')
  })
}

function checkDuplicate(
  file: ConfigParts,
  index: number,
  key: 'name' | 'basePath',
  path: string,
  faults: FaultList,
): void {
  const own = file.deployments[index]?.[key]
  const first = file.deployments.findIndex((other) => other[key] === own)
  if (own !== undefined && first < index)
    faults.add(`${path}/${key}`, 'taken', `is the same as in /deployments/${first}`)
}

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}
