/** The dashboard and the alarms ask for series that a real service has, after nothing but usual traffic. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { exchange } from '../support/exchange.ts'
import { Client } from '../support/client.ts'
import { startService } from '../support/service-process.ts'
import { ALERTS, DASHBOARD, type Dashboard } from './monitoring-files.ts'

const RECORD = '[{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}]'
const SELECTOR = /\b((?:patient_risk|process|nodejs)_\w+)(?:\{([^}]*)\})?/g
const MATCHER = /(\w+)(=~|!=|=)"([^"]*)"/g
/** Labels that Prometheus adds. */
const ADDED = new Set(['job', 'instance'])
/** A code for a sex that the service does not use: one is enough for a doubt about the feed. */
const FOREIGN_CODE = RECORD.replace('"F"', '"H"')
/** Without `or vector(0)`: these are absent as long as nothing is wrong, and then an alarm must be silent. */
const SERIES_OF_TROUBLE = /^patient_risk_(unit_doubt|drift_alarm)$/
const ABSENT_WHILE_WELL = /AUDIT_UNAVAILABLE|5\.\.|outcome="failed"/

function matches(labels: string, matchers: string): boolean {
  const own = new Map([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value]) => [name, value]))
  return [...matchers.matchAll(MATCHER)].every(([, name = '', operator, wanted = '']) => {
    if (ADDED.has(name)) return true
    const value = own.get(name) ?? ''
    if (operator === '=~') return new RegExp(`^(?:${wanted})$`).test(value)
    return (operator === '=') === (value === wanted)
  })
}

test('every query of the dashboard and of the alarms has data', async () => {
  const service = await startService({ server: { metrics: 'open' }, logLevel: 'error' })
  try {
    const client = new Client(service, 1)
    for (let call = 0; call < 3; call++) assert.equal((await client.post(RECORD)).status, 200)
    assert.equal((await client.post(FOREIGN_CODE)).status, 200)
    client.close()
    const { body } = await exchange(service.origin, { path: '/metrics' })
    const samples = [...body.toString().matchAll(/^(\w+)(?:\{([^}]*)\})? \S+$/gm)]
    const has = (name: string, matchers = ''): boolean =>
      samples.some(([, own, labels = '']) => own === name && matches(labels, matchers))
    const dashboard = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as Dashboard
    const { groups } = parse(readFileSync(ALERTS, 'utf8')) as {
      groups: { rules: { alert: string; expr: string }[] }[]
    }
    const asked = [
      ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
      ...groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [alert, expr] as const)),
    ]
    assert.ok(asked.length > 20)
    for (const [title, expr] of asked) {
      if (expr.endsWith('or vector(0)')) continue
      for (const [selector, name = '', matchers] of expr.matchAll(SELECTOR)) {
        if (SERIES_OF_TROUBLE.test(name))
          assert.match(body.toString(), new RegExp(`^# TYPE ${name} gauge$`, 'm'))
        else if (ABSENT_WHILE_WELL.test(matchers ?? '')) assert.ok(has(name), `${title}: ${name}`)
        else assert.ok(has(name, matchers), `${title}: ${selector}`)
      }
    }
  } finally {
    await service.stop()
  }
})

test('the egress of the Kubernetes files is narrowed to the database and the names service', () => {
  const text = readFileSync('ops/kubernetes/patient-risk.yaml', 'utf8')
  const egress = text.split('\n---\n').flatMap((document) => {
    const { kind, spec } = parse(document) as { kind: string; spec: { egress?: { to?: unknown }[] } }
    return kind === 'NetworkPolicy' ? (spec.egress ?? []) : []
  })
  assert.equal(egress.length, 2)
  for (const { to } of egress) assert.ok(Array.isArray(to) && to.length === 1)
  assert.match(text, /startupProbe:\n\s+httpGet: \{ path: \/health\/live/)
})
