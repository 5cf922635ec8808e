/** The limits of jobs: below, at and above each. Nothing of a job that is refused stays on the disk. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { type ClientRequest, request } from 'node:http'
import type { TestContext } from 'node:test'
import { SEALED_EXTRA_BYTES } from '@patient-risk/runtime'
import { around, atLimit } from '../../../../../test/support/limits.ts'
import { until } from '../../../../../test/support/until.ts'
import { JOBS, NDJSON, type WithJobs, bearer, lines, records, serveJobs } from './serve-jobs.ts'

const SIZE = 1_000

/** One record in so many bytes. */
const bodyOf = (bytes: number): string =>
  `${lines(records(1))
    .trimEnd()
    .padEnd(bytes - 1)}\n`

/** Submits a body, by a key of its own where none is given, and holds the answer to what is expected. */
async function submit(
  service: WithJobs,
  body: string,
  isPermitted: boolean,
  refusal: readonly [status: number, code: string],
  key = service.key,
): Promise<void> {
  const before = readdirSync(service.folder).length
  const answer = await service.post(body, { path: JOBS, headers: { ...NDJSON, ...bearer(key) } })
  if (isPermitted) assert.equal(answer.status, 202, answer.text)
  else {
    assert.deepEqual([answer.status, (answer.json() as { readonly code: string }).code], refusal)
    assert.equal(readdirSync(service.folder).length, before)
  }
}

/** Runs a check with a service that stops working with it. */
async function withService(limits: object, work: (service: WithJobs) => Promise<void>): Promise<void> {
  const ends: (() => unknown)[] = []
  const context = { after: (end: () => unknown) => void ends.push(end) } as unknown as TestContext
  try {
    await work(await serveJobs(context, limits))
  } finally {
    for (const end of ends) await end()
  }
}

atLimit('bytes of the body of a job', around(SIZE), (bytes, isPermitted) =>
  withService({ bytes: SIZE }, (service) =>
    submit(service, bodyOf(bytes), isPermitted, [413, 'BODY_TOO_LARGE']),
  ),
)

atLimit('records of a job', around(4), (count, isPermitted) =>
  withService({ records: 4 }, (service) =>
    submit(service, lines(records(count)), isPermitted, [413, 'TOO_MANY_RECORDS']),
  ),
)

atLimit('jobs of a key', around(3), (count, isPermitted) =>
  withService({ jobsPerKey: 3 }, async (service) => {
    for (let sent = 1; sent < count; sent++) await submit(service, bodyOf(SIZE), true, [429, ''])
    await submit(service, bodyOf(SIZE), isPermitted, [429, 'TOO_MANY_JOBS'])
    const other = await service.makeKey({ name: 'other' })
    await submit(service, bodyOf(SIZE), true, [429, ''], other)
  }),
)

const ON_DISK = SIZE + SEALED_EXTRA_BYTES

atLimit('bytes of the jobs of a key, on disk', around(SIZE), (bytes, isPermitted) =>
  withService({ bytesPerKey: ON_DISK }, (service) =>
    submit(service, bodyOf(bytes), isPermitted, [429, 'TOO_MANY_JOBS']),
  ),
)

atLimit('bytes of the jobs of all keys, on disk', around(SIZE), (bytes, isPermitted) =>
  withService({ totalBytes: ON_DISK }, (service) =>
    submit(service, bodyOf(bytes), isPermitted, [503, 'OVERLOADED']),
  ),
)

/** Begins bodies that do not end, each with a key, and waits until all of them arrive. */
async function hold(service: WithJobs, keys: readonly string[]): Promise<() => void> {
  const calls = keys.map((key): ClientRequest => {
    const headers = { ...NDJSON, ...bearer(key), 'transfer-encoding': 'chunked' }
    const call = request(`${service.origin}${JOBS}`, { method: 'POST', headers })
    call.on('error', () => undefined).write('{"idx":1')
    return call
  })
  await until(() => readdirSync(service.folder).length === keys.length)
  return () => {
    for (const call of calls) call.destroy()
  }
}

atLimit('bodies of jobs that a key sends at a time', around(4), (count, isPermitted) =>
  withService({}, async (service) => {
    const release = await hold(service, new Array<string>(count - 1).fill(service.key))
    await submit(service, bodyOf(SIZE), isPermitted, [429, 'TOO_MANY_JOBS'])
    const other = await service.makeKey({ name: 'other' })
    await submit(service, bodyOf(SIZE), true, [429, ''], other)
    release()
    // What has left makes room.
    await until(() => readdirSync(service.folder).length < count)
    await submit(service, bodyOf(SIZE), true, [429, ''])
  }),
)

atLimit('bodies of jobs that a process takes at a time', around(16), (count, isPermitted) =>
  withService({}, async (service) => {
    const keys: string[] = []
    for (let sent = 1; sent < count; sent++) {
      const isNew = sent % 4 === 1
      keys.push(isNew ? await service.makeKey({ name: `key ${sent}` }) : (keys.at(-1) ?? ''))
    }
    const release = await hold(service, keys)
    await submit(service, bodyOf(SIZE), isPermitted, [503, 'OVERLOADED'])
    release()
  }),
)
