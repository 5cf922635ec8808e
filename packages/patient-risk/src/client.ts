/** `patient-risk/client`, the former place of the TypeScript client. It will be removed in 0.3.0. */
export {
  /** @deprecated Import it from the package `patient-risk-client`. */
  DeploymentChangedError,
  /** @deprecated Import it from the package `patient-risk-client`. */
  JobFailedError,
  /** @deprecated Import it from the package `patient-risk-client`. */
  RiskClient,
  /** @deprecated Import it from the package `patient-risk-client`. */
  RiskServiceError,
} from '../../../clients/typescript/src/client.ts'
export type * from '../../../clients/typescript/src/client.ts'
