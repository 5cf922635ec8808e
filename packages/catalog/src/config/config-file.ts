/** The check of a configuration file: all faults at once, each with a near name where one exists. */
import { isIP } from 'node:net'
import { type Shape, hasShape, schemaLibrary, schemaOf } from '../files/check-shape.ts'
import type { ConfigFile, DeploymentSettings } from './config-schema.ts'
import { type FaultList, nearNames } from 'patient-risk-engine/definition'

/** Paths of the service itself, which no deployment may cover. */
const TAKEN_PATHS = /^\/(health|docs|openapi\.json|metrics|admin|deployments|workbench|cds-services)(\/|$)/

export function checkConfigFile(value: unknown, faults: FaultList): ConfigFile | undefined {
  suggestNames(value, faults)
  hasShape('config', { value }, faults)
  const parts = wellShapedParts(value)
  const { timeZone } = parts
  if (timeZone !== undefined && !isTimeZone(timeZone))
    faults.add('/timeZone', 'time-zone', 'is not a known time zone; write it as in Europe/Madrid')
  checkProxies(parts, faults)
  checkIssuers(parts, faults)
  checkFhirServers(parts, faults)
  checkDeployments(parts, faults)
  return faults.faults.length === 0 ? (value as ConfigFile) : undefined
}

function checkProxies({ server }: ConfigParts, faults: FaultList): void {
  server?.trustedProxies?.forEach((proxy, index) => {
    if (!isNetwork(proxy)) {
      const rule = 'is not an address; write it as in 10.0.0.7 or 10.0.0.0/8'
      faults.add(`/server/trustedProxies/${index}`, 'address', rule)
    }
  })
}

function checkIssuers({ cdsHooks, server }: ConfigParts, faults: FaultList): void {
  cdsHooks?.issuers?.forEach(({ jwks, jwksUrl }, index) => {
    const path = `/cdsHooks/issuers/${index}`
    if ((jwks === undefined) === (jwksUrl === undefined))
      faults.add(path, 'jwks', 'needs one of jwks and jwksUrl')
    // A token is made for one address, so the service must know its own.
    if ((server?.origins ?? []).length === 0)
      faults.add(path, 'origins', 'needs server.origins: the address for which tokens are made')
  })
}

function checkFhirServers({ fhir, deployments }: ConfigParts, faults: FaultList): void {
  const baseOf = (address: string): string | undefined => URL.parse(address.replace(/\/$/, '') + '/')?.href
  fhir?.servers?.forEach(({ url, aliases = [], internal, backend }, index, servers) => {
    const path = `/fhir/servers/${index}`
    for (const [key, address] of Object.entries({ url, 'backend/tokenUrl': backend?.tokenUrl })) {
      if (address === undefined) continue
      if (!URL.canParse(address)) faults.add(`${path}/${key}`, 'url', 'is not an address')
      else if (!address.startsWith('https:') && internal !== true)
        faults.add(`${path}/${key}`, 'https', 'must begin with https:, or the server must be internal')
    }
    const ownerOf = (address: string): number =>
      servers.findIndex((other) =>
        [other.url, ...(other.aliases ?? [])].some((each) => baseOf(each) === baseOf(address)),
      )
    const first = ownerOf(url)
    if (first < index) faults.add(`${path}/url`, 'taken', `is the same as in /fhir/servers/${first}`)
    aliases.forEach((alias, at) => {
      const owner = ownerOf(alias)
      if (owner !== index)
        faults.add(`${path}/aliases/${at}`, 'taken', `is the same as in /fhir/servers/${owner}`)
    })
    backend?.deployments.forEach((name, at) => {
      if (!deployments.some((deployment) => deployment.name === name))
        faults.add(`${path}/backend/deployments/${at}`, 'unknown', 'is not the name of a deployment')
    })
  })
}

function checkDeployments({ deployments }: ConfigParts, faults: FaultList): void {
  deployments.forEach((deployment, index) => {
    const path = `/deployments/${index}`
    const { name, basePath, output, threshold, retirement } = deployment
    for (const key of ['name', 'basePath'] as const) {
      const first = deployments.findIndex((other) => other[key] === deployment[key])
      if (deployment[key] !== undefined && first < index)
        faults.add(`${path}/${key}`, 'taken', `is the same as in /deployments/${first}`)
    }
    if (name === 'admin' || name === 'outcomes')
      faults.add(`${path}/name`, 'taken', 'is a scope of keys and no name of a deployment')
    if (TAKEN_PATHS.test(basePath ?? ''))
      faults.add(`${path}/basePath`, 'base-path', 'is an address of the service itself')
    if (output === 'number' && threshold !== undefined)
      faults.add(`${path}/threshold`, 'threshold', 'only a yes-no deployment has a threshold')
    for (const [key, date] of Object.entries(retirement ?? {}))
      if (Number.isNaN(Date.parse(date)))
        faults.add(`${path}/retirement/${key}`, 'date', 'is not a date; write it as in 2027-01-31')
  })
}

export interface ConfigParts extends Partial<Omit<ConfigFile, 'deployments'>> {
  readonly deployments: readonly Partial<DeploymentSettings>[]
}

/** The settings that have the right shape. They are checked further, even if others do not have it. */
export function wellShapedParts(value: unknown): ConfigParts {
  const { deployments } = (value ?? {}) as { deployments?: unknown }
  const entries: readonly unknown[] = Array.isArray(deployments) ? deployments : []
  const schema = schemaOf('config')
  const entry = schema.properties?.['deployments']?.items ?? {}
  return { ...wellShaped(schema, value), deployments: entries.map((each) => wellShaped(entry, each)) }
}

function wellShaped({ properties = {} }: Shape, value: unknown): object {
  const { Check } = schemaLibrary()
  const isKnown = ([name, inner]: [string, unknown]): boolean =>
    properties[name] !== undefined && Check(properties[name], inner)
  return Object.fromEntries(Object.entries(value ?? {}).filter(isKnown))
}

/** For every property that does not exist: the nearest one that does. */
function suggestNames(value: unknown, faults: FaultList): void {
  const schema = schemaOf('config')
  const { Errors, Pointer } = schemaLibrary()
  for (const { params, schemaPath, instancePath } of Errors(schema, value)[1]) {
    if (!('additionalProperties' in params)) continue
    const { properties = {} } = Pointer.Get(schema, schemaPath.slice(1)) as Shape
    for (const name of params.additionalProperties) {
      const [near] = nearNames(name, Object.keys(properties))
      if (near !== undefined)
        faults.add(`${instancePath}/${name}`, 'unknown', `is not known; did you mean "${near}"?`)
    }
  }
}

function isNetwork(text: string): boolean {
  const [address = '', bits = '1', ...more] = text.split('/')
  const family = isIP(address)
  const most = family === 4 ? 32 : 128
  return family !== 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most && more.length === 0
}

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}
