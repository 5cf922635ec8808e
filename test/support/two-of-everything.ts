/** Two of what a test mostly has one of: a defect in the second of two shows nowhere else. */
import type { DeploymentSettings } from '@patient-risk/catalog/config'

/** The outer one is reached by callers, the inner one by the outer one alone. Each appends the address of its own caller. */
export const PROXIES = { outer: '10.0.0.1', inner: '10.0.0.2' } as const

/** Alike in all but their answers, limits and names. */
export const DEPLOYMENTS: readonly [DeploymentSettings, DeploymentSettings] = [
  {
    name: 'north',
    basePath: '/north',
    model: 'readmission30',
    output: 'number',
    limits: { records: 2 },
  },
  {
    name: 'south',
    basePath: '/south',
    model: 'readmission30',
    output: 'yes-no',
    threshold: 0.15,
    limits: { records: 4 },
  },
]

/** Lists of the numbers of records: two batches under one name, with nothing in common. */
export const BATCHES = [
  [1, 2],
  [3, 4],
] as const
