/** The defaults of settings that the configuration file does not have, or if there is no file. */
import { type Shape, schemaOf } from '../files/check-shape.ts'
import type { ConfigFile, DeploymentSettings, JobSettings, Limits, ServerSettings } from './config-schema.ts'

/** What a start without a file serves: readmission as a number and as Yes or No, and mortality from PROFUND. */
export const DEFAULT_FILE: ConfigFile = {
  deployments: [
    {
      name: 'readmission',
      basePath: '/',
      model: 'readmission30',
      output: 'number',
      cdsHooks: { hooks: ['patient-view', 'encounter-discharge'] },
    },
    {
      name: 'readmission-flag',
      basePath: '/flag',
      model: 'readmission30',
      output: 'yes-no',
      threshold: 0.15,
    },
    { name: 'mortality', basePath: '/mortality', model: 'profund', output: 'number' },
  ],
}

const { server, deployments, jobs } = schemaOf('config').properties ?? {}

export function serverSettings(given: ConfigFile['server'] = {}): ServerSettings {
  return withDefaults(server, given) as ServerSettings
}

export function limitsWith(given: DeploymentSettings['limits'] = {}): Limits {
  return withDefaults(deployments?.items?.properties?.['limits'], given) as Limits
}

/** `folder` is the only one without a default. */
export function jobSettings(given: NonNullable<ConfigFile['jobs']>): JobSettings {
  return withDefaults(jobs, given) as JobSettings
}

export const DEFAULT_SERVER_SETTINGS: ServerSettings = serverSettings()

/** A setting, or a section with all its settings. */
function withDefaults({ properties, default: preset }: Shape = {}, given = preset): unknown {
  if (properties === undefined) return given
  const settings = given as Readonly<Record<string, unknown>>
  const whole = Object.entries(properties).map(([name, part]) => [name, withDefaults(part, settings[name])])
  return Object.fromEntries(whole)
}
