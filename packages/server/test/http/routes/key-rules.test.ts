/** A broken rule of keys is the same sentence on the command line and over HTTP; HTTP alone has a shape to check. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runHere } from '../../../../../test/support/run-command.ts'
import type { Answer } from '../../../../../test/support/exchange.ts'
import { type Served, serve } from '../../../../../test/support/serve.ts'

let served: Served
let admin: string
before(async () => {
  served = await serve()
  admin = await served.makeKey({ scopes: ['admin'] })
})
after(() => served.close())

const manage = (path: string, body: unknown): Promise<Answer> => send(path, JSON.stringify(body))
const send = (path: string, body: string): Promise<Answer> =>
  served.call({
    method: 'POST',
    path: `/admin/keys${path}`,
    headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
    body,
  })
const detailOf = async (answer: Promise<Answer>): Promise<string> => {
  const given = await answer
  const { code, detail } = given.json() as { readonly code: string; readonly detail: string }
  assert.deepEqual([given.status, code], [400, 'REQUEST_INVALID'])
  return detail
}

const NAME = /^A name has 1 to 100 characters, at least one of them visible, and no control characters\.$/
const TIME = /^A length of time is a number and a unit, as in 30m, 12h or 90d\.$/
const LIMIT = /^A limit is a whole number from 1 to 1000000000, or none\.$/
/** What is wrong, the words of the command, the body, and the sentence. ID is a key that exists. */
const BROKEN: readonly (readonly [string, string, object, RegExp])[] = [
  ...['', '  ', 'x'.repeat(101), 'a\tb', 'a\nb', 'a\u0085b', 'a\u2028b'].map(
    (name) =>
      [`the name ${JSON.stringify(name.slice(0, 9))}`, `create|--name|${name}`, { name }, NAME] as const,
  ),
  ...['0d', '90', '-1d', '1.5d', '100000d', 'soon', ' 5m', ''].map(
    (expires) =>
      [
        `the lifetime "${expires}"`,
        `create|--name|a|--expires=${expires}`,
        { name: 'a', expires },
        TIME,
      ] as const,
  ),
  ...[0, -1, 1.5, 1_000_000_001].flatMap((limit) =>
    (['requests', 'records'] as const).map(
      (part) =>
        [
          `the limit ${limit} of ${part}`,
          `create|--name|a|--${part}=${limit}`,
          { name: 'a', limits: { [`${part}PerMinute`]: limit } },
          LIMIT,
        ] as const,
    ),
  ),
  [
    'an unknown deployment',
    'create|--name|a|--deployment|moon',
    { name: 'a', deployments: ['moon'] },
    /^There is no such deployment\. There are: readmission, readmission-flag(, mortality)?\.$/,
  ],
  [
    'a deployment that is named twice',
    'create|--name|a|--deployment|readmission|--deployment|readmission',
    { name: 'a', deployments: ['readmission', 'readmission'] },
    /^Name each deployment once\.$/,
  ],
  ['the overlap "soon"', 'rotate|ID|--overlap|soon', { overlap: 'soon' }, TIME],
  ['the new lifetime "0d"', 'rotate|ID|--expires|0d', { expires: '0d' }, TIME],
]
for (const [what, command, body, sentence] of BROKEN) {
  test(`${what}: the same sentence by both ways`, async () => {
    const [, id = ''] = served.key.split('_')
    const [act = '', ...words] = command.split('|')
    const detail = await detailOf(manage(act === 'create' ? '' : `/${id}/rotate`, body))
    assert.match(detail, sentence)
    const args = ['keys', act, ...words.map((word) => (word === 'ID' ? id : word))]
    const { code, err } = await runHere(args, { DATA_DIR: served.dataDir })
    assert.ok(code === 1 || code === 2, err)
    const [line = ''] = err.split('\n')
    // The command names its option first.
    const [, option, said] = /^(?:(--\w+): )?(.*)$/.exec(line) ?? []
    assert.equal(said?.replace(/ There are: .*/, ''), detail.replace(/ There are: .*/, ''))
    if (option !== undefined) assert.ok(command.includes(option), `${option} is an option of the command`)
  })
}

test('a name that is given twice is refused, also inside of another', async () => {
  for (const body of [
    '{"name":"a","admin":false,"admin":true}',
    '{"name":"a","limits":{"recordsPerMinute":1,"recordsPerMinute":9}}',
  ])
    assert.equal(await detailOf(send('', body)), 'The body is refused: it gives a name twice.')
})

/** A body of the wrong shape, and what is said of it. */
const SHAPES = [
  [[], 'The body is refused: it must be object.'],
  [{}, 'The body is refused: it must have required properties name.'],
  [{ name: 5 }, 'The body is refused at "/name": it must be string.'],
  [{ name: 'a', admin: 'yes' }, 'The body is refused at "/admin": it must be boolean.'],
  [{ name: 'a', deployments: [5] }, 'The body is refused at "/deployments/0": it must be string.'],
  [
    { name: 'a', limits: { recordsPerMinute: '5' } },
    'The body is refused at "/limits/recordsPerMinute": it must be either number or null.',
  ],
  [{ name: 'a', 'Jane Doe': 1 }, 'The body is refused: it has unknown properties.'],
  [{ name: 'a', limits: { 'Jane Doe': 1 } }, 'The body is refused at "/limits": it has unknown properties.'],
] as const
for (const [body, sentence] of SHAPES) {
  test(`a new key of another shape: ${sentence}`, async () => {
    assert.equal(await detailOf(manage('', body)), sentence)
  })
}

/** What is asked of a key · the status and the code of the refusal. */
const ENDED = [
  ['that was revoked', 'rotate', 409, 'KEY_ENDED'],
  ['that does not exist', 'rotate', 404, 'NOT_FOUND'],
  ['that does not exist', 'revoke', 404, 'NOT_FOUND'],
] as const
for (const [what, act, status, code] of ENDED) {
  test(`${act} of a key ${what}: ${status} ${code}`, async () => {
    const key = await served.makeKey({ name: 'ended' })
    const id = what === 'that was revoked' ? (key.split('_')[1] ?? '') : 'a'.repeat(12)
    await manage(`/${id}/revoke`, {})
    const answer = await manage(`/${id}/${act}`, {})
    assert.deepEqual([answer.status, (answer.json() as { readonly code: string }).code], [status, code])
  })
}
