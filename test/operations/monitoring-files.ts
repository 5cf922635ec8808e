/** Where the files for monitoring are, and what the tests read of them. */
export const DASHBOARD = 'ops/grafana/patient-risk.json'
export const ALERTS = 'ops/prometheus/patient-risk-alerts.yml'

export interface Dashboard {
  readonly panels: readonly {
    readonly title: string
    readonly targets: readonly { readonly expr: string }[]
  }[]
}
