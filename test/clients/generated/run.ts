/**
 * `npm run test:clients`: makes clients from the OpenAPI document with openapi-generator (Maven Central) in TypeScript, Python, Go
 * and Java, compiles them, and lets each score a record, score a Bundle and be refused. What cannot be had is skipped with one line.
 */
import { execFile, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import { serveAdapters } from '../../support/serve-adapters.ts'

const GENERATOR = 'org.openapitools:openapi-generator-cli:7.25.0'
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy'
const HOME = resolve('node_modules/.cache/clients')
const PROGRAMS = resolve('test/clients/generated')
const BUNDLE = resolve('examples/fhir/bundle.json')
const STEP_MS = 300_000
/** Not below node_modules: what is there is not compiled. */
const WORK = mkdtempSync(join(tmpdir(), 'patient-risk-clients-'))
const DOCUMENT = join(WORK, 'openapi.json')
const NOT_THERE = 'cannot be had'

const execute = promisify(execFile)
const run = async (program: string, words: readonly string[], cwd = HOME): Promise<string> => {
  const { stdout } = await execute(program, words, {
    cwd,
    timeout: STEP_MS,
    maxBuffer: 1 << 26,
    env: { ...process.env, GOFLAGS: '-mod=mod' },
  })
  return stdout
}
/** Downloads something. Where that fails, the language is skipped. */
async function get(what: string, program: string, words: readonly string[], cwd = HOME): Promise<void> {
  await run(program, words, cwd).catch(() => {
    throw new Error(`${what} ${NOT_THERE}`)
  })
}

interface Language {
  readonly name: string
  readonly generator: string
  readonly more: readonly string[]
  /** Programs that it needs. */
  readonly needs: readonly string[]
  /** Compiles the client and its program in a folder, and returns the command that runs it. */
  readonly build: (folder: string) => Promise<readonly [string, ...string[]]>
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'TypeScript',
    generator: 'typescript-fetch',
    more: ['--additional-properties=importFileExtension=.js'],
    needs: ['npm'],
    async build(folder) {
      copyFileSync(join(PROGRAMS, 'program.ts.txt'), join(folder, 'program.ts'))
      await installTypescript()
      const tsc = join(HOME, 'typescript/node_modules/typescript/bin/tsc')
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
      const options = '--strict --module nodenext --target es2022 --types node --outDir out program.ts'
      const types = ['--typeRoots', join(HOME, 'typescript/node_modules/@types')]
      await run(process.execPath, [tsc, '--ignoreConfig', ...types, ...options.split(' ')], folder)
      return [process.execPath, join(folder, 'out/program.js')]
    },
  },
  {
    name: 'Python',
    generator: 'python',
    more: [],
    needs: ['python3'],
    async build(folder) {
      const python = join(HOME, 'python-packages/bin/python')
      const packages = ['install', '--quiet', '-r', join(folder, 'requirements.txt')]
      await get('a virtual environment of Python', 'python3', ['-m', 'venv', join(HOME, 'python-packages')])
      await get('the packages of the Python client', python, ['-m', 'pip', ...packages])
      copyFileSync(join(PROGRAMS, 'program.py'), join(folder, 'program.py'))
      await run(python, ['-m', 'compileall', '-q', 'openapi_client'], folder)
      return [python, join(folder, 'program.py')]
    },
  },
  {
    name: 'Go',
    generator: 'go',
    more: ['--additional-properties=packageName=risk', '--git-user-id=example', '--git-repo-id=risk'],
    needs: ['go'],
    async build(folder) {
      mkdirSync(join(folder, 'program'))
      copyFileSync(join(PROGRAMS, 'program.go'), join(folder, 'program/main.go'))
      await get('the modules of the Go client', 'go', ['mod', 'download', 'all'], folder)
      await run('go', ['build', '-o', 'program/program', './program'], folder)
      return [join(folder, 'program/program')]
    },
  },
  {
    name: 'Java',
    generator: 'java',
    more: ['--library', 'native'],
    needs: ['javac'],
    async build(folder) {
      const list = join(HOME, 'classpath.txt')
      const words = ['-q', '-B', 'dependency:build-classpath', '-Dmdep.includeScope=compile']
      if (!existsSync(list))
        await get('the packages of the Java client', 'mvn', [...words, `-Dmdep.outputFile=${list}`], folder)
      const path = `${readFileSync(list, 'utf8').trim()}:${join(folder, 'out')}`
      const sources = readdirSync(join(folder, 'src/main'), { recursive: true, encoding: 'utf8' })
      const files = sources.filter((file) => file.endsWith('.java')).map((file) => join('src/main', file))
      copyFileSync(join(PROGRAMS, 'Program.java'), join(folder, 'Program.java'))
      writeFileSync(join(folder, 'files.txt'), [...files, 'Program.java'].join('\n'))
      await run('javac', ['-nowarn', '-proc:none', '-d', 'out', '-cp', path, '@files.txt'], folder)
      return ['java', '-cp', path, 'Program']
    },
  },
]

/** The newest TypeScript, which compiles what is generated. */
async function installTypescript(): Promise<void> {
  const folder = join(HOME, 'typescript')
  mkdirSync(folder, { recursive: true })
  if (!existsSync(join(folder, 'package.json')))
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const packages = ['typescript@latest', 'openapi-fetch@latest', '@types/node@24']
  await get('the newest TypeScript', 'npm', ['install', '--no-audit', '--no-fund', ...packages], folder)
}

/** The types of `docs/clients.md`, made by the command that the page shows, for the newest TypeScript. */
async function documentedTypes(): Promise<readonly [string, ...string[]]> {
  const folder = join(HOME, 'typescript')
  const [, command = ''] =
    /^npx (.*openapi-typescript) http/m.exec(readFileSync('docs/clients.md', 'utf8')) ?? []
  await installTypescript()
  await run('npx', ['--yes', ...command.split(' '), DOCUMENT, '-o', 'schema.d.ts'], folder)
  copyFileSync(join(PROGRAMS, 'program-typed.ts.txt'), join(folder, 'program.mts'))
  const options = '--strict --module nodenext --target es2022 --types node --outDir out program.mts'
  const tsc = join(folder, 'node_modules/typescript/bin/tsc')
  await run(process.execPath, [tsc, '--ignoreConfig', ...options.split(' ')], folder)
  return [process.execPath, join(folder, 'out/program.mjs')]
}

function missing(programs: readonly string[]): string | undefined {
  const name = programs.find(
    (program) => spawnSync(program, [program === 'go' ? 'version' : '--version']).error,
  )
  return name === undefined ? undefined : `${name} ${NOT_THERE}`
}

async function generate({
  generator,
  more,
  needs,
  build,
}: Language): Promise<readonly [string, ...string[]]> {
  const lacking = missing([...needs, 'java', 'mvn'])
  if (lacking !== undefined) throw new Error(lacking)
  const [, name = '', version = ''] = GENERATOR.split(':')
  const jar = join(HOME, `${name}-${version}.jar`)
  if (!existsSync(jar))
    await get('openapi-generator', 'mvn', [
      '-q',
      '-B',
      COPY,
      `-Dartifact=${GENERATOR}`,
      `-DoutputDirectory=${HOME}`,
    ])
  const folder = join(WORK, generator)
  const parts = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'
  const input = ['generate', '-i', DOCUMENT, '-g', generator, '-o', folder, '--global-property', parts]
  await run('java', ['-Xmx512m', '-jar', jar, ...input, ...more])
  return build(folder)
}

mkdirSync(HOME, { recursive: true })
const served = await serveAdapters({}, { deployments: DEFAULT_FILE.deployments })
writeFileSync(DOCUMENT, (await served.get('/openapi.json')).text)
const headers = { 'content-type': 'application/fhir+json' }
const answer = await served.post(readFileSync(BUNDLE), { path: '/fhir/$score?history=complete', headers })
const [, probability = ''] = /"probabilityDecimal":([\d.]+)/.exec(answer.text) ?? []
const EXPECTED = `score 9007199254740991 0.2294 nothing\nfhir ${probability}\nerror 401 KEY_INVALID`
const WORDS = [served.origin, served.key, BUNDLE]
const only = process.argv.slice(2)
const kinds = [
  ...LANGUAGES.map((language) => [language.name, () => generate(language)] as const),
  ['openapi-typescript', documentedTypes] as const,
]
for (const [name, make] of kinds) {
  if (only.length > 0 && !only.includes(name)) continue
  const started = performance.now()
  let said: string
  try {
    const [program, ...words] = await make()
    // Each language has its own word for nothing.
    const printed = (await run(program, [...words, ...WORDS])).trim()
    const lines = printed.replace(/^(score .*) (null|None|<nil>|\[\])$/m, '$1 nothing')
    said = lines === EXPECTED ? 'compiles and calls' : `WRONG: ${printed}`
  } catch (error) {
    const { message, stdout = '' } = error as Error & { readonly stdout?: string }
    said = message.endsWith(NOT_THERE)
      ? `skipped: ${message}`
      : `FAILED: ${message} ${stdout}`.slice(0, 4_000)
  }
  if (/^(WRONG|FAILED)/.test(said)) process.exitCode = 1
  process.stdout.write(`${name}: ${said} (${Math.round((performance.now() - started) / 1_000)} s)\n`)
}
await served.close()
rmSync(WORK, { recursive: true, force: true })
