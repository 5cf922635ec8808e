/** A model that XGBoost has trained: the service, which has imported it, against FastAPI around xgboost itself. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { type Measured, type Round, measure } from '../measure.ts'
import type { Section } from '../results.ts'
import { answersOf } from '../same-answers.ts'
import { ROOT, type Server } from '../server-process.ts'
import { medianOf, printRange, printRatio, ratioOf, thousands } from '../spread.ts'
import { didRun, startPeer, startService, stopAll } from '../start-servers.ts'

const SERVICE = 'service'
const PEER = 'FastAPI, xgboost'
const PEER_SCRIPT = 'bench/servers/xgboost_peer.py'
const PACKAGES = ['fastapi', 'pydantic>=2', 'uvicorn[standard]', 'xgboost']
const FIELDS = Array.from({ length: 10 }, (_, number) => `reading${number}`)
const WORKLOADS = [
  { records: 1, connections: 64 },
  { records: 1_000, connections: 8 },
] as const
/** XGBoost computes the risk in 32 bits, so that its fourth decimal may be another one at an edge. */
const SAME_RISK = 1.01e-4

export async function treesPart(bench: Bench): Promise<readonly Section[]> {
  const title = 'A model of XGBoost: 100 trees of depth 6 over 10 fields'
  const folder = mkdtempSync(join(bench.folder, 'xgboost-'))
  const python = preparePython()
  if (python === undefined || !didRun(python, [PEER_SCRIPT, 'train', folder], ROOT))
    return [
      { title, notes: [], tables: [], missing: [`${PEER}: Python or its package index cannot be reached.`] },
    ]
  const servers: Server[] = []
  try {
    servers.push(await startService(SERVICE, 'bytes', 1, { CONFIG: importModel(folder) }))
    const { server, missing } = await startPeer(PEER, python, [PEER_SCRIPT, folder])
    if (server === undefined) return [{ title, notes: [], tables: [], missing: [missing] }]
    servers.push(server)
    const rows: string[][] = []
    for (const { records, connections } of WORKLOADS) {
      const bodyFile = writeBody(folder, records)
      await requireSameRisks(servers, bodyFile)
      const measured = await measure(servers, { ...bench, bodyFile, records, connections })
      rows.push(rowOf(measured, `${thousands(records)} × 10 fields`, connections))
    }
    const columns = [
      'payload',
      'callers',
      'service, records/s',
      'FastAPI, records/s',
      'ratio',
      'range',
      'by processor time',
      'range',
      'service p99, ms',
      'FastAPI p99, ms',
    ]
    const notes = ['One process each. Above 1 the service is ahead.', `${server.versions}.`]
    return [{ title, notes, tables: [{ columns, rows }] }]
  } finally {
    await stopAll(servers)
  }
}

function preparePython(): string | undefined {
  const home = join(ROOT, 'node_modules', '.cache', 'xgboost-peer')
  const python = join(home, 'bin', 'python')
  const isThere = existsSync(python) || didRun('python3', ['-m', 'venv', home], ROOT)
  return isThere && didRun(python, ['-m', 'pip', 'install', '--quiet', ...PACKAGES], ROOT)
    ? python
    : undefined
}

/** Imports the trained model with proof by its rows, and gives the configuration that serves it. */
function importModel(folder: string): string {
  const clinical = join(folder, 'clinical')
  const word = 'None: it is for a benchmark.'
  const card = {
    summary: word,
    intendedUse: word,
    users: word,
    population: word,
    setting: word,
    outcome: word,
    horizonDays: 30,
    missingData: 'All inputs are required.',
    limits: [word],
  }
  const model = {
    id: 'trained',
    version: '1.0.0',
    title: 'A model for the benchmark',
    card,
    inputs: Object.fromEntries(FIELDS.map((name) => [name, {}])),
    source: { cite: 'Trained by bench/servers/xgboost_peer.py.' },
    licence: { status: 'Our own.', shipped: 'None.' },
  }
  const field = { type: 'decimal', from: 0, to: 100, meaning: 'A reading.' }
  const inputs = Object.fromEntries(FIELDS.map((name) => [name, field]))
  const limits = { requestsPerMinute: 1_000_000_000, recordsPerMinute: 1_000_000_000 }
  const deployment = { name: 'trees', basePath: '/', model: 'trained', output: 'number', limits }
  const config = join(folder, 'config.json')
  mkdirSync(clinical)
  const write = (file: string, value: object): void => writeFileSync(file, JSON.stringify(value))
  write(join(clinical, 'fields.json'), { version: 1, inputs })
  write(join(folder, 'specification.json'), {
    data: { outcome: { column: null }, columns: {} },
    // They are the first of the rows that the model was trained on: with a profile it is served as in use.
    import: { rows: 'training' },
    model,
  })
  write(config, { clinical: [clinical], deployments: [deployment] })
  const args = ['bin/patient-risk.js', 'learn', 'import', join(folder, 'model.json'), '--out', clinical]
  const proof = ['--specification', join(folder, 'specification.json'), '--rows', join(folder, 'rows.csv')]
  if (!didRun(process.execPath, [...args, ...proof], ROOT))
    throw new Error('the trained model is not imported')
  return config
}

function writeBody(folder: string, records: number): string {
  const file = join(folder, `${records}.json`)
  const [, ...lines] = readFileSync(join(folder, 'rows.csv'), 'utf8').trim().split(/\r?\n/)
  const body = Array.from({ length: records }, (_, at) => {
    const values = (lines[at % lines.length] ?? '').split(',').map(Number)
    return { idx: at + 1, ...Object.fromEntries(FIELDS.map((name, place) => [name, values[place]])) }
  })
  writeFileSync(file, JSON.stringify(body))
  return file
}

async function requireSameRisks(servers: readonly Server[], bodyFile: string): Promise<void> {
  const body = readFileSync(bodyFile)
  const [ours = [], theirs = []] = await Promise.all(servers.map((server) => answersOf(server, body)))
  const isSame = (risk: unknown, at: number): boolean =>
    typeof risk === 'number' && Math.abs(risk - Number(theirs[at]?.risk)) < SAME_RISK
  if (ours.length !== theirs.length || !ours.every(({ risk }, at) => isSame(risk, at)))
    throw new Error('the service and xgboost give different risks')
}

function rowOf(measured: Measured, payload: string, connections: number): string[] {
  const own = measured.get(SERVICE) as readonly Round[]
  const other = measured.get(PEER) as readonly Round[]
  const speed = ratioOf(own, other, 'recordsPerSecond')
  const cpu = ratioOf(other, own, 'cpuUs')
  return [
    payload,
    `${connections}`,
    ...[own, other].map((rounds) => thousands(medianOf(rounds, 'recordsPerSecond'))),
    ...[speed, cpu].flatMap((ratio) => [printRatio(ratio.median), printRange(ratio)]),
    ...[own, other].map((rounds) => medianOf(rounds, 'p99Ms').toFixed(2)),
  ]
}
