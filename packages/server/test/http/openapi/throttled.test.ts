/** Every documented call may be refused because of too many wrong keys, and the document says so wherever a key is checked. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adapterRoutes } from '../../../src/adapters/adapters.ts'
import { serverSettings } from '@patient-risk/catalog/config'
import { mapping } from '../../../../../test/support/mapping.ts'
import { inject } from '../../../../../test/support/exchange.ts'
import { OpenApiCheck, type OpenApiDocument } from '../../../../../test/support/openapi-check.ts'
import { serve } from '../../../../../test/support/serve.ts'

/** Calls that answer anybody. */
const OPEN = /^\/(health\/|cds-services$|openapi\.json$)|\/model-card$|\/fhir\/(metadata|OperationDefinition)/

for (const documents of ['open', 'key'] as const) {
  test(`the answers to a throttled key are documented, with documents ${documents}`, async (t) => {
    const served = await serve({
      service: {
        adapters: adapterRoutes(mapping, true, {}),
        settings: serverSettings({ documents }),
        failedKeysPerMinute: 1,
      },
    })
    t.after(() => served.close())
    const admin = await served.makeKey({ scopes: ['*', 'admin'] })
    const headers = { authorization: `Bearer ${admin}` }
    const document = (await inject(served.app, served.origin, { path: '/openapi.json', headers })).json()
    // Metrics need no key on the machine itself: this call comes through a proxy.
    const wrong = { authorization: 'Bearer wrong', 'content-type': 'application/json', via: '1.1 proxy' }
    const check = new OpenApiCheck(document)
    await inject(served.app, served.origin, { path: '/deployments', headers: wrong })
    const statuses: Record<string, number> = {}
    for (const [template, operations] of Object.entries((document as OpenApiDocument).paths)) {
      for (const method of Object.keys(operations).filter((each) => each !== 'parameters')) {
        const path = template.replace('{id}', 'AAAAAAAAAAAA')
        const call = { method: method.toUpperCase(), path, headers: wrong }
        const answer = await inject(served.app, served.origin, call)
        check.hold(call.method, path, answer)
        if (!OPEN.test(path) || (documents === 'key' && path === '/openapi.json'))
          statuses[`${method} ${path}`] = answer.status
      }
    }
    assert.ok(Object.keys(statuses).length > 20)
    assert.deepEqual([...new Set(Object.values(statuses))], [429], JSON.stringify(statuses))
  })
}
