/** Outcomes from a list, sent to the real service: a result for each row, and the same file counts once, also in another session. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axeFaults, goTo, signIn } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'
import { WATCHED } from '../../../../../test/support/watched-deployment.ts'

const { served, open } = await useWorkbench({ deployments: [WATCHED] })
const key = await served.makeKey({ scopes: ['watched', 'outcomes'] })
const { headers } = await served.post([], { path: '/watched/risk/api/do/v0' })
const digest = String(headers['risk-deployment-digest'])

/** The state of the present month has outcomes that are known already; those of an early month are complete. */
const LINES = [
  'patient,risk,digest,scored,what happened',
  `P-1,0.2294,${digest},2026-01-10T08:00:00.000Z,evento`,
  `P-2,0.1000,${digest},2026-01,no`,
  `P-3,0.1000,${digest},2026-01,died`,
  `P-4,0.1000,${digest},2026-03,no`,
  `P-5,0.1000,${digest},2026-01,`,
]

const counts = async (): Promise<number> => {
  const path = '/watched/risk/api/do/v0/performance'
  const answer = (await served.get(path, { authorization: `Bearer ${key}` })).json() as {
    readonly months: readonly { readonly outcomes: number }[]
  }
  return answer.months.reduce((sum, { outcomes }) => sum + outcomes, 0)
}

test('each row has its result, in both languages, and the same file is not counted twice', async () => {
  for (const [locale, send, done, notCounted] of [
    ['en-GB', 'Send 3 outcomes', '2 counted, 1 not counted, 2 not sent.', 'this outcome cannot be true yet'],
    ['es-ES', 'Enviar 3 desenlaces', '2 contados, 1 no contados, 2 no enviados.', 'aún no puede ser cierto'],
  ] as const) {
    const { page, close } = await open({ locale })
    await signIn(page, key)
    await goTo(page, 'outcomes')
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/outcomes')) sent.push(request.postData() ?? '')
    })
    await page.setInputFiles('input[type=file]', {
      name: 'list.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(LINES.join('\n')),
    })
    await page.getByRole('button', { name: send }).click()
    await page.getByText(done).waitFor()
    await page.getByText(notCounted).waitFor()
    assert.deepEqual(await axeFaults(page), [])
    assert.equal(sent.length, 1)
    assert.doesNotMatch(sent[0] ?? '', /P-\d/)
    assert.equal(await counts(), 2, locale)
    await close()
  }
})

test('an answer that was lost: the rest is sent again under the same key, and counted once', async () => {
  const before = await counts()
  const { page, close } = await open()
  await signIn(page, key)
  await goTo(page, 'outcomes')
  let isLost = false
  await page.route('**/v0/outcomes', async (route) => {
    if (isLost) return route.continue()
    isLost = true
    // The service has counted it, and nobody hears of that.
    await route.fetch()
    return route.abort()
  })
  await page.setInputFiles('input[type=file]', {
    name: 'other.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from([LINES[0], `P-9,0.3000,${digest},2026-01,event`].join('\n')),
  })
  await page.getByRole('button', { name: 'Send 1 outcomes' }).click()
  await page.getByRole('button', { name: 'Send the rest again' }).click()
  await page.getByText('1 counted, 0 not counted, 0 not sent.').waitFor()
  assert.equal(await counts(), before + 1)
  await close('requests')
})
