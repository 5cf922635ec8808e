/**
 * `npm run release:package -- 0.3.0`: tags a version of the package, or says what is missing. With `--check` it only looks.
 * `npm run release` is something else: it records the digests of scales and models.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { LAYOUT, LAYOUTS } from '@patient-risk/server/store'
import { UPGRADES, type Upgrade } from '../test/operations/upgrades.ts'

/** What a release is judged by. */
export interface ReleaseState {
  readonly version: string
  readonly changelog: string
  /** Where files state the version of the package, and which one. The first place decides. */
  readonly stated: readonly (readonly [place: string, version: string])[]
  /** Files that are changed or not in git. */
  readonly changedFiles: readonly string[]
  readonly upgrades: readonly Upgrade[]
  /** Commits of the upgrade tests that are not in this clone; their tests would be skipped. */
  readonly missingCommits: readonly string[]
  readonly dockerfile: string
}

/** Everything that stands against the release, a sentence each. */
export function releaseFaults(state: ReleaseState): readonly string[] {
  return [
    ...versionFaults(state),
    ...changelogFaults(state),
    ...upgradeFaults(state),
    ...imageFaults(state),
    ...state.changedFiles.map((file) => `${file} is not committed. Commit it, or take it back.`),
  ]
}

function versionFaults({ version, stated }: ReleaseState): readonly string[] {
  if (!/^\d+\.\d+\.\d+$/.test(version)) return [`${version || 'Nothing'} is not a version such as 0.3.0.`]
  return stated
    .filter(([, other]) => other !== version)
    .map(([place, other]) => `${place} states version ${other}, not ${version}.`)
}

/** A section may say when its version was released. */
const DAY = / - \d{4}-\d{2}-\d{2}$/

function changelogFaults({ version, changelog }: ReleaseState): readonly string[] {
  const [, first = '', ...others] = changelog.split(/^## /m)
  const [heading = ''] = first.split('\n')
  const isOfVersion = heading.replace(DAY, '') === version
  const [, breaks = ''] = first.split(/^### /m)
  const hasBreaks = breaks.startsWith('Breaks\n') && /^- \S/m.test(breaks)
  const isUnreleased = [first, ...others].some((section) => /^unreleased/i.test(section))
  return [
    ...(isUnreleased ? [`CHANGELOG.md has a section "Unreleased". Call it ${version}.`] : []),
    ...(isOfVersion ? [] : [`The first section of CHANGELOG.md is not "## ${version}".`]),
    ...(hasBreaks
      ? []
      : ['The first section of CHANGELOG.md does not open with "### Breaks" and a list of what breaks.']),
  ]
}

/** Tests from all layouts of 0.2.0 and from the layout before this one. */
function upgradeFaults({ upgrades, missingCommits }: ReleaseState): readonly string[] {
  const needed = LAYOUTS.filter(
    ({ number, madeBy }) => number === LAYOUT - 1 || (number < LAYOUT && madeBy.startsWith('0.2.0')),
  )
  const untested = needed.flatMap(({ number }) =>
    (['SQLite', 'PostgreSQL'] as const)
      .filter((kind) => !upgrades.some((each) => each.layout === number && each.kind === kind))
      .map((kind) => `test/operations/upgrades.ts has no upgrade from layout ${number} on ${kind}.`),
  )
  const skipped = missingCommits.map(
    (commit) => `The commit ${commit} of an upgrade test is not in this clone. Fetch the whole history.`,
  )
  return [...untested, ...skipped]
}

/** The same release must give the same image later, when the tag of its base leads to another one. */
function imageFaults({ dockerfile }: ReleaseState): readonly string[] {
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image)
  return [...new Set(bases)]
    .filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image))
    .map(
      (image) =>
        `Dockerfile: ${image} has no digest. Write it behind the tag: docker buildx imagetools inspect ${image}`,
    )
}

/** Every place outside of code and history that repeats the version of package.json. */
export function statedVersions(): readonly (readonly [place: string, version: string])[] {
  const versionIn = (file: string, pattern: RegExp): readonly [string, string] => [
    file,
    pattern.exec(readFileSync(file, 'utf8'))?.[1] ?? 'no',
  ]
  const json = /"version": "([^"]+)"/
  return [
    versionIn('package.json', json),
    versionIn('package-lock.json', json),
    ...globSync('{packages/*,clients/typescript}/package.json').map((file) => versionIn(file, json)),
    versionIn('clients/python/pyproject.toml', /^version = "([^"]+)"/m),
    versionIn('ops/kubernetes/patient-risk.yaml', /image: patient-risk:(\S+)/),
    versionIn('docs/operations.md', /^VERSION=(\S+)/m),
    ...globSync('api/fhir/*.json').map((file) => versionIn(file, json)),
  ]
}

function readState(version: string): ReleaseState {
  const lines = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' }).split('\n')
  const commits = [...new Set(UPGRADES.map(({ commit }) => commit))]
  return {
    version,
    changelog: readFileSync('CHANGELOG.md', 'utf8'),
    stated: statedVersions(),
    changedFiles: lines.filter((line) => line !== '').map((line) => line.slice(3)),
    upgrades: UPGRADES,
    dockerfile: readFileSync('Dockerfile', 'utf8'),
    missingCommits: commits.filter(
      (commit) => spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`]).status !== 0,
    ),
  }
}

function releasePackage(): number {
  const { values, positionals } = parseArgs({
    options: { check: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const [version = ''] = positionals
  const faults = releaseFaults(readState(version))
  if (faults.length > 0) {
    process.stderr.write(`${faults.join('\n')}\nNothing was released.\n`)
    return 1
  }
  const tag = `v${version}`
  if (values.check) {
    process.stdout.write(`${version} can be released, with layout ${LAYOUT} of the store.\n`)
    return 0
  }
  execFileSync('git', ['tag', '--annotate', tag, '--message', `${tag}, layout ${LAYOUT} of the store`])
  process.stdout.write(`Tagged ${tag}. To publish it: git push origin ${tag}\n`)
  return 0
}

if (import.meta.main) process.exitCode = releasePackage()
