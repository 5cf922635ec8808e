/** Questions that read many rows have a thread of their own: who writes does not wait for them. */
import { join } from 'node:path'
import { test } from 'node:test'
import type { StartThread } from '../../src/store/sqlite/start-thread.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { startShared } from '../../../../test/support/shared-store-threads.ts'
import { inFolder } from '../../../../test/support/run-command.ts'
import { until } from '../../../../test/support/until.ts'
import { UNHURRIED } from '../../../../test/support/unhurried.ts'
import { TEST_SECRET } from './open-file.ts'
import { entry } from './memory-store.ts'

const DIGEST = 'sha-256=:x:'
const ALWAYS = ['', '9999-12'] as const
const QUESTIONS: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  'a page of the audit': (store) => store.listAudit({ filter: {}, most: 1, before: undefined }),
  'the use over time': (store) => store.readUsage({ first: 0, last: 1, deployments: undefined }),
  'counts of outcomes': (store) => store.readOutcomes('a', DIGEST, ALWAYS, []),
  'months of scoring': (store) => store.readScored('a', DIGEST),
  'risks that were scored': (store) => store.readScoredRisks('a', DIGEST, ALWAYS, []),
  'counts of the shadow': (store) => store.readShadow('a', DIGEST, 's'),
}

for (const [name, ask] of Object.entries(QUESTIONS)) {
  test(`${name}: rows are written while the question is under way`, () =>
    inFolder(async (folder) => {
      let letGo: (() => void) | undefined
      const startHeld: StartThread = (data, onEnd) => {
        const started = startShared(data, onEnd)
        if (data.isReader !== true) return started
        const { port } = started
        const send = (...message: Parameters<typeof port.send>): void => {
          letGo = () => void port.send(...message)
        }
        return { ...started, port: { ...port, send } }
      }
      const path = join(folder, 'patient-risk.sqlite')
      const store = await openSqliteStore(path, {
        ...UNHURRIED,
        secrets: [TEST_SECRET],
        startThread: startHeld,
      })
      const answer = ask(store)
      await until(() => letGo)
      await store.appendAudit([entry(1)])
      letGo?.()
      await answer
      await store.close()
    }))
}
