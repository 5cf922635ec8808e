/**
 * `npm run test:fhir`: checks the FHIR interface with published examples, a validator and a real server. All official R4 examples (npm
 * package hl7.fhir.r4.examples, CC0) go through the mapper, HAPI's validator (Maven Central) reads our answers, and the service fetches
 * from HAPI's JPA server. All are downloaded into a cache folder; what cannot be had is skipped with one line.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FHIR_FOLDER } from '../../../../../scripts/fhir-files.ts'
import { capabilityStatement, operationDefinition } from '../../../src/adapters/fhir/conformance.ts'
import { refusalOutcome } from '../../../src/adapters/fhir/outcome.ts'
import { makeDeployments } from '@patient-risk/catalog'
import { AppError } from '@patient-risk/runtime'
import { testCatalog } from '../../../../../test/support/serve.ts'
import { type Resource, answerOf, bundle, bundleFile, sourceOf } from './source.ts'

const CACHE = 'node_modules/.cache/fhir'
const EXAMPLES = 'hl7.fhir.r4.examples@4.0.1'
const MODELS = ['readmission30', 'lace', 'hospital', 'profund', 'walter', 'inouye', 'charlson10y']
const sources = MODELS.map((model) => sourceOf(model))
mkdirSync(CACHE, { recursive: true })
const failed = [runExamples(), runHapi(), runFetching()].includes(false)
process.exitCode = failed ? 1 : 0

/** Whether every example is answered or refused; undefined where the package cannot be had. */
function runExamples(): boolean | undefined {
  const folder = join(CACHE, 'package')
  try {
    if (!existsSync(folder)) {
      const packed = execFileSync('npm', ['pack', '--silent', EXAMPLES], {
        cwd: CACHE,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      execFileSync('tar', ['-xzf', packed.trim().split('\n').at(-1) ?? ''], { cwd: CACHE })
    }
  } catch {
    process.stdout.write(`skipped: the official examples (${EXAMPLES}) cannot be downloaded\n`)
    return undefined
  }
  let files = 0
  let answered = 0
  let crashed = 0
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.json') || name.startsWith('.')) continue
    const resource = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Resource
    if (resource['resourceType'] === undefined) continue
    files++
    const bodies =
      resource['resourceType'] === 'Bundle'
        ? [resource]
        : [bundle(resource), bundle({ resourceType: 'Patient', id: 'example' }, resource)]
    for (const body of bodies) {
      for (const source of sources) {
        try {
          answerOf(body, source, { history: 'complete' })
          answered++
        } catch (error) {
          if (error instanceof AppError) continue
          crashed++
          process.stdout.write(`${name}: ${String((error as Error).stack)}\n`)
        }
      }
    }
  }
  process.stdout.write(`official examples: ${files} files, ${answered} answers, ${crashed} crashes\n`)
  return crashed === 0
}

/** Whether HAPI finds no error in what we send; undefined where it cannot be had. */
function runHapi(): boolean | undefined {
  const pom = 'packages/server/test/adapters/fhir/hapi/pom.xml'
  const path = join(process.cwd(), CACHE, 'hapi-classpath.txt')
  try {
    if (!existsSync(path)) {
      execFileSync(
        'mvn',
        ['-q', '-B', '-f', pom, 'dependency:build-classpath', `-Dmdep.outputFile=${path}`],
        { stdio: 'ignore' },
      )
    }
  } catch {
    process.stdout.write('skipped: HAPI cannot be downloaded; it needs Java 17, Maven and Maven Central\n')
    return undefined
  }
  const folder = mkdtempSync(join(tmpdir(), 'fhir-'))
  const files = sentResources().map((resource, at) => {
    const file = join(folder, `${at}.json`)
    writeFileSync(file, JSON.stringify(resource))
    return file
  })
  try {
    const program = 'packages/server/test/adapters/fhir/hapi/Validate.java'
    const output = execFileSync('java', ['-cp', readFileSync(path, 'utf8').trim(), program, ...files], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    process.stdout.write(`HAPI: ${output.trim().split('\n').at(-1)}\n`)
    return true
  } catch (error) {
    process.stdout.write(`HAPI: ${(error as { stdout?: string }).stdout ?? String(error)}\n`)
    return false
  }
}

/** Whether the service fetches rightly from a real server. Where HAPI cannot be had, the program says so and ends with 0. */
function runFetching(): boolean {
  const program = 'packages/server/test/adapters/fhir/server/fetching.ts'
  return spawnSync(process.execPath, [program], { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0
}

/** One of everything that leaves the service, and the files that describe it. */
function sentResources(): readonly Resource[] {
  const bodies = ['01-complete', '02-missing-birthdate', '03-two-patients'].map(bundleFile)
  const outputs = ['readmission30', 'lace', 'hospital', 'profund'].flatMap((model) => [
    sourceOf(model),
    sourceOf(model, 'yes-no'),
  ])
  const { deployments } = makeDeployments(testCatalog(), [
    { name: 'x', basePath: '/', model: 'lace', output: 'number' },
  ])
  const base = 'https://risk.example.org/fhir'
  return [
    ...bodies.flatMap((body) =>
      outputs.flatMap((source) => [answerOf(body, source), answerOf(body, source, { history: 'complete' })]),
    ),
    ...deployments.map((deployment) => capabilityStatement(deployment, base)),
    operationDefinition(base),
    refusalOutcome(new AppError('BUNDLE_INCOMPLETE')),
    ...readdirSync(FHIR_FOLDER).map(
      (name) => JSON.parse(readFileSync(join(FHIR_FOLDER, name), 'utf8')) as Resource,
    ),
  ]
}
