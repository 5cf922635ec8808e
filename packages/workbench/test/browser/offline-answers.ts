/** The answers of the page that works without a service, compared with those of HTTP to the same bodies. */
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { makeOfflinePage, openOffline } from '../../../../test/support/browser/offline-page.ts'
import { cleanRecords } from '../../../../test/support/records.ts'
import type { Served } from '../../../../test/support/serve.ts'

export const GOOD = { age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
const PROFUND_RECORD = {
  age: 80,
  caregiver: 'spouse',
  activeNeoplasia: false,
  dementia: true,
  nyhaOrMrc3to4: false,
  deliriumLastAdmission: false,
  inpatientAdmissions: 0,
  barthel_total: 55,
  haemoglobin: 7.4,
}
/** Good and faulty records, and bodies that are refused as a whole. */
const BODIES: readonly string[] = [
  JSON.stringify([{ idx: 1, ...GOOD }]),
  JSON.stringify([{ idx: 1, ...PROFUND_RECORD }]),
  JSON.stringify(cleanRecords(50)),
  JSON.stringify([
    { idx: 1, ...GOOD, age: undefined },
    { idx: 2, ...GOOD, stayDays: -7 },
    { idx: 3, ...GOOD, age: '84' },
    { idx: 4, ...GOOD, sex: 'f' },
    { idx: 5, ...GOOD, age: 84.5, stayDays: 60 },
    { idx: 6, ...GOOD },
    { idx: 6, ...GOOD },
    { ...GOOD },
    { idx: 8, ...GOOD, mna_foodIntake: 1, mna_weightLoss: 2, mna_total: 24, mna_date: '01-10-2025' },
    { idx: 9, ...GOOD, mna_date: '16-03-2026' },
    { idx: 10, ...GOOD, mna_date: '15-03-2026', barthel_total: 15 },
    { idx: 11, ...GOOD, barthel_total: 7, unheardOf: '</script><b>' },
    null,
    [],
    'text',
  ]),
  `[{"idx":1,"age":84,"age":85,"sex":"F"},{"idx":2,"\\u0061ge":84,"a\\\\ge":1}]`,
  '[]',
  '',
  '{}',
  '[1',
  '[[[[[[[[[[1]]]]]]]]]]',
]

const CALLS = ['', '/validate', '/explain']

/** Needs a service with the deployment. */
export async function compareWithHttp(
  browser: Browser,
  served: Served,
  folder: string,
  settings: DeploymentSettings,
  clinical: readonly string[] = [],
): Promise<void> {
  const { page, close } = await openOffline(browser, await makeOfflinePage(folder, settings, clinical))
  await page.waitForSelector('nav')
  await bringService(page)
  const start = `${settings.basePath === '/' ? '' : settings.basePath}/risk/api/do/v0`
  for (const call of CALLS) {
    for (const body of BODIES) {
      // A key of its own for each call: what a service has noticed of a sender, the page without one cannot know.
      const headers = { authorization: `Bearer ${await served.makeKey()}` }
      const { status, text } = await served.post(body, { path: start + call, headers })
      const answer = await askPage(page, start + call, { method: 'POST', body })
      const name = `${call} ${body.slice(0, 80)}`
      if (status === 200) assert.equal(answer.text, text, name)
      else assert.deepEqual([answer.status >= 400, codeOf(answer.text)], [true, codeOf(text)], name)
    }
  }
  for (const call of ['/model', '/fields', '/model/report', '/model/report.html']) {
    const { status, text } = await served.get(start + call)
    const answer = await askPage(page, start + call)
    assert.equal(answer.status, status, call)
    if (call === '/model') assert.deepEqual(withoutLimits(answer.text), withoutLimits(text))
    else if (status === 200) assert.equal(answer.text, text, call)
  }
  await close()
}

interface PageAnswer {
  readonly status: number
  readonly text: string
}

const { outputFiles } = await build({
  stdin: {
    contents: `import { engineService } from './engine-service.ts'
      import { readOfflineData } from './offline-data.ts'
      globalThis.offlineService = engineService(readOfflineData())`,
    resolveDir: fileURLToPath(new URL('../../src/offline', import.meta.url)),
    loader: 'ts',
  },
  bundle: true,
  format: 'iife',
  write: false,
})
const SERVICE = outputFiles[0]?.text ?? ''

/** What answers the views, from the same sources and the data of this page, where a test can call it. */
export async function bringService(page: Page): Promise<void> {
  await page.evaluate(SERVICE)
}

export function askPage(page: Page, address: string, request: object = {}): Promise<PageAnswer> {
  const asked = `offlineService.fetch(${JSON.stringify(address)}, ${JSON.stringify(request)})`
  return page.evaluate<PageAnswer>(
    `${asked}.then(async (answer) => ({ status: answer.status, text: await answer.text() }))`,
  )
}

export function codeOf(text: string): string | undefined {
  const answer = JSON.parse(text) as { readonly code?: string }
  return answer.code
}

/** Limits of requests are the service's. */
function withoutLimits(text: string): object {
  const model = JSON.parse(text) as { readonly deployment: object }
  return { ...model, deployment: { ...model.deployment, limits: undefined } }
}
