/**
 * `npm run test:spark -- [--rows N] [--model NAME]`: scores rows on a Spark cluster of this machine with the printed SQL, kills
 * a worker in the middle, and compares every row with the engine. Skipped where Python, Java or the package index is missing.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Notice } from '../../src/explain/notices.ts'
import { makePlan } from '../../src/plan/plan.ts'
import { createScorer } from '../../src/scorer.ts'
import { spark } from '../../src/sql/dialect.ts'
import { selectFor } from '../../src/sql/select.ts'
import { treeModel } from '../../../../test/support/tree-models.ts'
import { loadForFuzz } from '../fuzz/deployments.ts'
import { DEFINITIONS, MODELS as KNOWN } from '../sql/cases.ts'
import { TODAY, recordNotices } from '../sql/compare.ts'
import { Random } from '../../../../test/support/random.ts'
import { type Table, bodyOf, randomTable } from '../sql/rows.ts'

const PYSPARK = '4.0.1'
/** Rows of the base table. They are repeated with an idx of their own each, so that ten million are made in seconds. */
const BASE_ROWS = 20_000
const SEED = 2
/** Of a Python side that failed. */
const LOG_LINES = 40
const HUNDRED = treeModel(loadForFuzz(), new Random(1), [
  'trees-hundred',
  { count: 100, depth: 6, rounding: 'both' },
])
/** Published models, and trees of every kind. */
const MODELS = [
  ...['readmission30', 'profund', 'charlson10y', 'walter', 'hospital', 'lace', 'inouye'],
  ...['trees-required', 'trees-absent', 'trees-forest', 'trees-cox', HUNDRED.id],
]

const { values } = parseArgs({ options: { rows: { type: 'string' }, model: { type: 'string' } } })
const rows = Number(values.rows ?? 10_000_000)
const home = resolve('node_modules/.cache/spark')
const python = join(home, 'bin/python')

function skip(reason: string): never {
  process.stdout.write(`test:spark is skipped: ${reason}\n`)
  process.exit(0)
}

function prepare(): string {
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' })
  const version = /version "(\d+)/.exec(java.stderr)?.[1]
  if (version === undefined || Number(version) < 17) skip('Java 17 or newer is needed.')
  if (spawnSync('python3', ['--version']).status !== 0) skip('Python 3 is needed.')
  const packages = (): string | undefined =>
    spawnSync(python, ['-c', 'import pyspark; print(pyspark.__path__[0])'], {
      encoding: 'utf8',
    }).stdout.trim() || undefined
  if (!existsSync(python) || packages() === undefined) {
    mkdirSync(home, { recursive: true })
    if (spawnSync('python3', ['-m', 'venv', home]).status !== 0)
      skip('Python cannot make a virtual environment.')
    process.stdout.write(`installing pyspark ${PYSPARK} into a folder of its own\n`)
    const installed = spawnSync(python, ['-m', 'pip', 'install', '--quiet', `pyspark==${PYSPARK}`])
    if (installed.status !== 0) skip('pyspark cannot be installed from the package index.')
  }
  return packages() ?? skip('pyspark does not load.')
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer().on('error', failed)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => done(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
}

const spawned: ChildProcess[] = []

function start(pyspark: string, folder: string, name: string, args: readonly string[]): ChildProcess {
  const child = spawn('java', ['-Xmx512m', '-cp', `${pyspark}/jars/*`, ...OPENED, ...args], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    // Without the version of Scala a worker looks for a build of Spark from source.
    env: { ...process.env, SPARK_HOME: pyspark, SPARK_LOCAL_IP: '127.0.0.1', SPARK_SCALA_VERSION: '2.13' },
  })
  let log = ''
  child.stderr.on('data', (part: Buffer) => (log += part.toString()))
  child.on('exit', () => writeFileSync(join(folder, `${name}.log`), log))
  spawned.push(child)
  return child
}

/** What Spark opens of the Java runtime when its own scripts start it. */
const OPENED = [
  'java.lang',
  'java.nio',
  'java.util',
  'java.util.concurrent',
  'sun.nio.ch',
  'sun.util.calendar',
].flatMap((name) => ['--add-opens', `java.base/${name}=ALL-UNNAMED`])

interface Job {
  readonly model: string
  readonly folder: string
}

/** The base table, the engine's answer for each of its rows, and the printed SQL, for the Python side to read. */
function writeJob({ model: id, folder }: Job): void {
  const model = [...KNOWN, HUNDRED].find((each) => each.id === id)
  if (model === undefined) throw new Error(`there is no model ${id}`)
  const plan = makePlan(DEFINITIONS, model)
  const random = new Random(SEED)
  const made = randomTable(random, plan, model, Math.min(BASE_ROWS, rows), true, [
    'prisma7_male',
    'barthel_date',
    'g8_bmi',
    'mna_bmi',
    'mna_date',
  ])
  const table = withoutRepeats(made)
  const output = { kind: 'number' } as const
  const limits = {
    reportUnknown: false,
    maxRecords: BASE_ROWS,
    maxDepth: 8,
    maxKeys: 1_024,
    maxLineBytes: 1 << 20,
  }
  const answer = createScorer(DEFINITIONS, model, { output, ...limits }).explain(bodyOf(table, plan), TODAY)
  const results = JSON.parse(new TextDecoder().decode(answer.bytes)) as {
    risk: number | null
    error_message: unknown
    notices: readonly Notice[]
  }[]
  const names = table.columns.map(({ name }) => name)
  const lines = table.rows.map((row, position) => {
    const { risk, error_message: problems, notices } = results[position] as (typeof results)[number]
    const said =
      recordNotices(notices)
        .map(({ code, field }) => `${code}:${field}`)
        .join('; ') || null
    const given = Object.fromEntries(names.map((name, place) => [name, row[place]]))
    const message = problems === null ? null : JSON.stringify(problems)
    return JSON.stringify({
      ...given,
      expected_risk: risk,
      expected_message: message,
      expected_notices: said,
    })
  })
  writeFileSync(join(folder, 'base.ndjson'), lines.join('\n'))
  const types = { integer: 'bigint', number: 'double', boolean: 'boolean', date: 'date' } as const
  const shape = table.columns.map(
    ({ name, type }) => `\`${name}\` ${type in types ? types[type as keyof typeof types] : 'string'}`,
  )
  writeFileSync(
    join(folder, 'schema.txt'),
    [...shape, 'expected_risk double', 'expected_message string', 'expected_notices string'].join(', '),
  )
  const columns = new Map(table.columns.map((column) => [column.name, column]))
  const query = selectFor(
    DEFINITIONS,
    { definition: model, digest: 'test' },
    { dialect: spark, source: 'patients', columns, output, notices: {}, today: TODAY },
  )
  writeFileSync(join(folder, 'query.sql'), query)
}

/** Every row gets its position as idx: copies of the table then differ in nothing else. */
function withoutRepeats({ columns, rows: all }: Table): Table {
  return { columns, rows: all.map((row, position) => [position, ...row.slice(1)]) }
}

async function main(): Promise<number> {
  const pyspark = prepare()
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-spark-'))
  const [port, web] = [await freePort(), await freePort()]
  const master = `spark://127.0.0.1:${port}`
  start(pyspark, folder, 'master', [
    ...[
      'org.apache.spark.deploy.master.Master',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--webui-port',
      String(web),
    ],
  ])
  const workers = [1, 2].map((number) =>
    start(pyspark, folder, `worker${number}`, [
      ...[
        'org.apache.spark.deploy.worker.Worker',
        '--host',
        '127.0.0.1',
        '--webui-port',
        '0',
        '--cores',
        '1',
        '--memory',
        '2g',
      ],
      ...['--work-dir', join(folder, `work${number}`), master],
    ]),
  )
  let faults = 0
  try {
    for (const model of values.model === undefined ? MODELS : [values.model]) {
      // The first model takes all of the rows and loses a worker; the others show that their SQL runs there too.
      const isFirst = model === (values.model ?? MODELS[0])
      const job = { model, folder: join(folder, model) }
      mkdirSync(job.folder)
      writeJob(job)
      faults += await runJob(
        job,
        master,
        isFirst ? rows : Math.min(rows, 200_000),
        isFirst ? workers[1] : undefined,
      )
    }
  } finally {
    for (const child of spawned) child.kill('SIGKILL')
    await sleep(500)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  return faults === 0 ? 0 : 1
}

/** Runs the Python side. A worker that is given loses its process as soon as the first tasks have ended. */
async function runJob(
  { model, folder }: Job,
  master: string,
  count: number,
  victim?: ChildProcess,
): Promise<number> {
  const script = resolve('packages/engine/test/spark/compare.py')
  const child = spawn(python, [script, folder, master, String(count), resolve('examples/spark')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, SPARK_LOCAL_IP: '127.0.0.1', PYSPARK_PYTHON: python },
  })
  let output = ''
  let log = ''
  child.stdout.on('data', (part: Buffer) => (output += part.toString()))
  child.stderr.on('data', (part: Buffer) => (log += part.toString()))
  const ended = new Promise<number | null>((done) => child.on('exit', done))
  let isKilled = false
  if (victim !== undefined) {
    // A part file means that tasks have ended; there are many more to come.
    while (child.exitCode === null && !isKilled) {
      await sleep(200)
      const parts = existsSync(join(folder, 'out'))
        ? readdirSync(join(folder, 'out'), { recursive: true })
        : []
      if (!parts.some((name) => String(name).includes('part-'))) continue
      isKilled = true
      victim.kill('SIGKILL')
      for (const pid of executorsOf(victim)) process.kill(pid, 'SIGKILL')
    }
  }
  const status = await ended
  if (status !== 0)
    process.stdout.write(
      log
        .split('\n')
        .filter((line) => / (WARN|ERROR) |Exception:|Error:/.test(line))
        .slice(0, LOG_LINES)
        .join('\n'),
    )
  if (status !== 0) process.stdout.write(output)
  const last = output.trim().split('\n').pop() ?? ''
  process.stdout.write(
    `${model}: ${last}${victim === undefined ? '' : isKilled ? '; a worker was killed' : '; NO WORKER WAS KILLED'}\n`,
  )
  return status === 0 && (victim === undefined || isKilled) ? 0 : 1
}

/** The processes that a worker has started. */
function executorsOf(worker: ChildProcess): readonly number[] {
  const path = `/proc/${worker.pid}/task/${worker.pid}/children`
  return existsSync(path) ? readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number) : []
}

process.exitCode = await main()
