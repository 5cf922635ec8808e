/** A version of the package is released only with its changes, its upgrade tests and one version everywhere. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { type ReleaseState, releaseFaults, statedVersions } from '../scripts/release-package.ts'
import { UPGRADES } from './operations/upgrades.ts'

const CHANGELOG = `# Changes

## 0.3.0

### Breaks

- Something is different.

### Operation

- Something is new.

## 0.2.0

- Unreleased thoughts are allowed in a line.
`

const READY: ReleaseState = {
  version: '0.3.0',
  changelog: CHANGELOG,
  stated: [
    ['package.json', '0.3.0'],
    ['clients/typescript/package.json', '0.3.0'],
  ],
  changedFiles: [],
  upgrades: UPGRADES,
  missingCommits: [],
  dockerfile: `FROM node:24-bookworm-slim@sha256:${'0'.repeat(64)} AS build\n`,
}

test('a version with everything can be released', () => assert.deepEqual(releaseFaults(READY), []))

test('a version with its day can be released', () =>
  assert.deepEqual(
    releaseFaults({ ...READY, changelog: CHANGELOG.replace('0.3.0', '0.3.0 - 2026-11-19') }),
    [],
  ))

const UNTITLED = 'The first section of CHANGELOG.md is not "## 0.3.0".'
const NO_BREAKS =
  'The first section of CHANGELOG.md does not open with "### Breaks" and a list of what breaks.'
const UNRELEASED = 'CHANGELOG.md has a section "Unreleased". Call it 0.3.0.'

const FAULTS: readonly (readonly [what: string, state: Partial<ReleaseState>, faults: readonly string[]])[] =
  [
    [
      'without a version',
      { version: '' },
      ['Nothing is not a version such as 0.3.0.', 'The first section of CHANGELOG.md is not "## ".'],
    ],
    [
      'with a tag for a version',
      { version: 'v0.3.0' },
      ['v0.3.0 is not a version such as 0.3.0.', 'The first section of CHANGELOG.md is not "## v0.3.0".'],
    ],
    [
      'with a base image that is named by its tag alone',
      { dockerfile: 'FROM node:24-bookworm-slim AS build\nFROM node:24-bookworm-slim\n' },
      [
        'Dockerfile: node:24-bookworm-slim has no digest. Write it behind the tag: docker buildx imagetools inspect node:24-bookworm-slim',
      ],
    ],
    [
      'with another version in one place',
      { stated: [...READY.stated, ['docs/operations.md', '0.2.0']] },
      ['docs/operations.md states version 0.2.0, not 0.3.0.'],
    ],
    ['with "Unreleased"', { changelog: CHANGELOG.replace('0.3.0', 'Unreleased') }, [UNRELEASED, UNTITLED]],
    ['with "Unreleased" below', { changelog: `${CHANGELOG}\n## Unreleased\n` }, [UNRELEASED]],
    ['with something else beside it', { changelog: CHANGELOG.replace('0.3.0', '0.3.0 - soon') }, [UNTITLED]],
    ['without its section', { changelog: CHANGELOG.replace('0.3.0', '0.3.1') }, [UNTITLED]],
    ['without Breaks', { changelog: CHANGELOG.replace('### Breaks', '### Changes') }, [NO_BREAKS]],
    ['with empty Breaks', { changelog: CHANGELOG.replace('- Something is different.\n', '') }, [NO_BREAKS]],
    [
      'with Breaks that come later',
      { changelog: CHANGELOG.replace('### Breaks', '### Other\n\n- New.\n\n### Breaks') },
      [NO_BREAKS],
    ],
    [
      'with a changed file',
      { changedFiles: ['src/a.ts'] },
      ['src/a.ts is not committed. Commit it, or take it back.'],
    ],
    [
      'without an upgrade from the layout before on one store',
      { upgrades: UPGRADES.filter(({ layout, kind }) => layout !== 3 || kind !== 'PostgreSQL') },
      ['test/operations/upgrades.ts has no upgrade from layout 3 on PostgreSQL.'],
    ],
    [
      'without an upgrade from a layout of 0.2.0',
      { upgrades: UPGRADES.filter(({ layout }) => layout !== 2) },
      [
        'test/operations/upgrades.ts has no upgrade from layout 2 on SQLite.',
        'test/operations/upgrades.ts has no upgrade from layout 2 on PostgreSQL.',
      ],
    ],
    [
      'without the history of an upgrade test',
      { missingCommits: ['61e63b7e'] },
      ['The commit 61e63b7e of an upgrade test is not in this clone. Fetch the whole history.'],
    ],
  ]

for (const [what, state, faults] of FAULTS) {
  test(`no release ${what}`, () => assert.deepEqual(releaseFaults({ ...READY, ...state }), faults))
}

test('every place states the version of package.json', () => {
  const [[, version] = ['', ''], ...others] = statedVersions()
  assert.ok(others.length >= 8)
  assert.deepEqual(
    others.filter(([, other]) => other !== version),
    [],
  )
})

test('the command names what is missing, ends with 1 and makes no tag', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/release-package.ts', '99.0.0'], {
    encoding: 'utf8',
  })
  assert.equal(status, 1)
  assert.match(stderr, /^package\.json states version \S+, not 99\.0\.0\.$/m)
  assert.match(stderr, /Nothing was released\.\n$/)
  assert.equal(spawnSync('git', ['tag', '--list', 'v99.0.0'], { encoding: 'utf8' }).stdout, '')
})
