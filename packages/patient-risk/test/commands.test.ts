/** Contract, section 10: the commands, their help, their exit codes, and messages that a person can act on. */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LAYOUT } from '@patient-risk/server/store'
import { contract } from '../../../test/support/clauses.ts'
import { inFolder, printed, run, runHere, whileServing } from '../../../test/support/run-command.ts'

const COMMANDS = ['serve', 'keys create', 'keys list', 'check']

contract('10.help', 'each command and the overview', async () => {
  const helps = await Promise.all(COMMANDS.map((name) => runHere([...name.split(' '), '--help'])))
  helps.forEach(({ code, out, err }, at) => {
    assert.deepEqual([code, err], [0, ''])
    assert.ok(out.startsWith(`Usage: patient-risk ${COMMANDS[at] ?? ''}`), out)
  })
  const overview = await run(['--help'])
  assert.equal(overview.code, 0)
  for (const name of COMMANDS) assert.ok(overview.out.includes(`  ${name}`), name)
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
  assert.deepEqual(await runHere(['--version']), { code: 0, out: `${version}\n`, err: '' })
})

/** Words, the exit code, and what standard error must say. */
const WRONG = [
  [[], 2, /^$/],
  [['fly'], 2, /There is no command "fly"/],
  [['keys'], 2, /There is no command "keys"/],
  [['keys', 'create'], 2, /--name is required\.\nTry: patient-risk keys create --help/],
  [['keys', 'create', '--name', '  '], 2, /--name: A name has 1 to 100 characters/],
  [['keys', 'create', '--name', 'x'.repeat(101)], 2, /--name: A name has 1 to 100 characters/],
  [['keys', 'create', '--name', 'a\tb'], 2, /no control characters/],
  [
    ['keys', 'create', '--name', 'a', '--expires', 'soon'],
    2,
    /--expires: A length of time is a number and a unit, as in 30m, 12h or 90d/,
  ],
  [['keys', 'create', '--name', 'a', '--expires', '0d'], 2, /--expires/],
  [['keys', 'create', '--name', 'a', '--nonsense'], 2, /nonsense/],
  [
    ['keys', 'create', '--name', 'a', '--deployment', 'moon'],
    1,
    /There is no such deployment\. There are: readmission, readmission-flag, mortality\./,
  ],
  [['score', '--ouput', 'x'], 2, /^Unknown option '--ouput'\. Did you mean --output\?\n/],
  [['keys', 'create', '--nmae=a'], 2, /^Unknown option '--nmae'\. Did you mean --name\?\n/],
  [['keys', 'list', 'extra'], 2, /extra/],
  [['serve', '--port', 'x'], 1, /environment at PORT: must be a port number from 0 to 65535/],
  [['serve', '--speed', '9'], 2, /speed/],
  [['check', '/no/such/folder'], 2, /\/no\/such\/folder/],
] as const
contract('10.help', 'wrong usage is 2, a refused input is 1', async () => {
  await inFolder(async (folder) => {
    const env = { DATA_DIR: folder }
    for (const [at, [args, expected, message]] of WRONG.entries()) {
      // The first of each exit code ends a process with it; the others say it here.
      const isFirst = WRONG.findIndex(([, code]) => code === expected) === at
      const { code, err } = await (isFirst ? run(args, env) : runHere(args, env))
      assert.equal(code, expected, `${args.join(' ')}: ${err}`)
      assert.match(err, message)
      assert.doesNotMatch(err, /\n\s+at /, 'a stack is no message')
    }
  })
})

contract(
  '10.help',
  'check: sound files 0; every fault of a configuration at once, with its place, 1',
  async () => {
    const sound = await runHere(['check'])
    assert.deepEqual([sound.code, sound.err], [0, ''])
    assert.match(sound.out, /^All valid: /)
    await inFolder(async (folder) => {
      const file = join(folder, 'service.json')
      const good = { name: 'a', basePath: '/', model: 'readmission30', output: 'number' }
      writeFileSync(
        file,
        JSON.stringify({
          timeZone: 'Mars/Olympus',
          deployments: [
            { ...good, threshold: 0.5 },
            { ...good, retirement: { deprecated: 'soon' } },
            { ...good, name: 'b', basePath: '/health' },
          ],
        }),
      )
      const { code, err } = await runHere(['check'], { CONFIG: file, PORT: '-1', LOG_LEVEL: 'loud' })
      assert.equal(code, 1)
      for (const place of [
        'environment at PORT',
        'environment at LOG_LEVEL',
        `${file} at /timeZone`,
        `${file} at /deployments/0/threshold`,
        `${file} at /deployments/1/name`,
        `${file} at /deployments/1/basePath`,
        `${file} at /deployments/1/retirement/deprecated`,
        `${file} at /deployments/2/basePath`,
      ]) {
        assert.ok(err.includes(`${place}: `), `${place} is not among:\n${err}`)
      }
      assert.match(err, /8 faults found\.\n$/)
      writeFileSync(file, '{"deployments":[')
      const broken = await runHere(['check'], { CONFIG: file })
      assert.equal(broken.code, 1)
      assert.match(broken.err, /service\.json: is not well-formed JSON/)
      writeFileSync(file, '{"timeZone":"UTC",\n"timeZone":"Europe/Madrid"}')
      const twice = await runHere(['check'], { CONFIG: file })
      assert.match(twice.err, /the key "timeZone" occurs twice in one object, the second time in line 2/)
      writeFileSync(file, JSON.stringify({ deployments: [{ ...good, model: 'crystal-ball', extra: 1 }] }))
      const shape = await runHere(['check'], { CONFIG: file })
      assert.match(shape.err, /\/deployments\/0: has unknown properties: extra/)
      writeFileSync(file, JSON.stringify({ deployments: [{ ...good, model: 'crystal-ball' }] }))
      const unknown = await runHere(['check'], { CONFIG: file })
      assert.equal(unknown.code, 1)
      assert.match(unknown.err, /there is no model crystal-ball; there are .*readmission30@1\.0\.4/)
      const gone = await runHere(['check'], { CONFIG: join(folder, 'none.json') })
      assert.match(gone.err, /CONFIG names a file that is not there/)
    })
  },
)

contract('10.keys-create', 'id and key as JSON; the list shows neither key nor secret', async () => {
  await inFolder(async (folder) => {
    const env = { DATA_DIR: folder }
    const made = await runHere(
      ['keys', 'create', '--name', 'ward 4', '--deployment', 'readmission', '--expires', '90d', '--json'],
      env,
    )
    assert.deepEqual([made.code, made.err], [0, ''])
    assert.match(made.out, /^\{"id":"[0-9A-Za-z]{12}","key":"prk_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}"\}\n$/)
    const { id, key } = JSON.parse(made.out) as { id: string; key: string }
    assert.equal(key.split('_')[1], id)
    const list = await runHere(['keys', 'list'], env)
    assert.equal(list.code, 0)
    assert.match(list.out, new RegExp(`${id} +ward 4 +readmission`))
    assert.ok(!list.out.includes(key.split('_')[2] ?? ''))
    const json = JSON.parse((await runHere(['keys', 'list', '--json'], env)).out) as Record<string, unknown>[]
    assert.partialDeepStrictEqual(json[0], {
      id,
      name: 'ward 4',
      scopes: ['readmission'],
      revoked: null,
      lastUsed: null,
    })
  })
})

const STARTS =
  'the first key is printed once with a curl line that works; settings decide about the next start; a port in use is reported'
contract('10.first-key', STARTS, async () => {
  await inFolder(async (folder) => {
    const env = { DATA_DIR: folder, PORT: '0' }
    let key = ''
    const first = await whileServing(env, async (child) => {
      const text = await printed(child, /curl [\s\S]*\n\n/)
      key = /prk_\w+/.exec(text)?.[0] ?? ''
      const [, url = ''] = /curl (\S+) -H 'Authorization: Bearer (prk_\w+)'/.exec(text) ?? []
      const body = /-d '([^']+)'/.exec(text)?.[1] ?? ''
      const answer = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body,
      })
      assert.equal(await answer.text(), '[{"idx":1,"risk":0.2294,"error_message":null}]')
    })
    assert.equal(first, 0)
    // Another start prints no key. It takes all that it can from its settings.
    const config = join(folder, 'service.json')
    const deployments = [{ name: 'lace', basePath: '/l', model: 'lace', output: 'number' }]
    writeFileSync(config, JSON.stringify({ deployments }))
    let again = ''
    const settings = { ...env, HOST: '127.0.0.1', CONFIG: config }
    const second = await whileServing(settings, async (child) => {
      child.stdout?.on('data', (chunk: Buffer) => (again += chunk.toString()))
      const text = await printed(child, /"event":"listening".*\n/)
      const origin = /"origin":"([^"]+)"/.exec(text)?.[1] ?? ''
      const ready = await (await fetch(`${origin}/health/ready`)).text()
      assert.match(ready, /"name":"lace"/)
      const card = await fetch(`${origin}/l/risk/api/do/v0/model`, {
        headers: { authorization: `Bearer ${key}` },
      })
      assert.equal(card.status, 200)
      const port = new URL(origin).port
      const taken = await run(['serve', '--port', port], settings)
      assert.equal(taken.code, 1)
      assert.match(taken.err, new RegExp(`Cannot listen on 127\\.0\\.0\\.1:${port}`))
    })
    assert.equal(second, 0)
    assert.doesNotMatch(again, /prk_|curl/)
    assert.match(again, new RegExp(`"event":"listening",.*"layout":${LAYOUT}[,}]`))
    for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (file.isFile())
        assert.ok(!readFileSync(join(file.parentPath, file.name)).includes(key.slice(17)), file.name)
    }
  })
})

contract('10.start', 'without settings: 127.0.0.1 and 8080', async () => {
  const { out } = await runHere(['serve', '--help'])
  assert.match(out, /HOST, default 127\.0\.0\.1/)
  assert.match(out, /PORT, default 8080/)
})
