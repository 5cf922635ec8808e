/** What other packages use of @patient-risk/catalog/config. */
export {
  DEFAULT_FILE,
  DEFAULT_SERVER_SETTINGS,
  jobSettings,
  limitsWith,
  serverSettings,
} from './config-defaults.ts'
export { checkConfigFile } from './config-file.ts'
export type {
  CdsHooksSettings,
  DeploymentHooks,
  DeploymentSettings,
  FhirServer,
  JobSettings,
  ServerSettings,
  TrustedIssuer,
} from './config-schema.ts'
export { type Config, type Environment, readConfig } from './config.ts'
