/**
 * A whole population from files: seconds, processor seconds and memory of `patient-risk score`, and of a SELECT by hand that
 * only computes the risk. 1.4 % of the rows are faulty. FILES_ROWS=100000,1000000 measures other sizes than the usual ones,
 * and FILES_FORMATS=parquet fewer formats: a hundred million rows fit on a disk as Parquet.
 */
import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TableEngine, literal } from '@patient-risk/data/tables'
import type { Bench } from '../bench.ts'
import type { Section } from '../results.ts'
import { median, thousands } from '../spread.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ROWS = (process.env['FILES_ROWS'] ?? '1000,100000,1000000,10000000').split(',').map(Number)
const FORMATS = (['ndjson', 'csv', 'parquet'] as const).filter((format) =>
  (process.env['FILES_FORMATS'] ?? 'ndjson,csv,parquet').split(',').includes(format),
)
const KIB = 1_024
const LOOK_EVERY_MS = 50

interface Run {
  readonly seconds: number
  readonly cpuSeconds: number
  readonly peakBytes: number
}

/** A run of the longest file takes half a minute, so that five of each would take as long as all other parts together. */
const MOST_RUNS = 3

export async function filesPart({ folder, rounds }: Bench): Promise<readonly Section[]> {
  const times = Math.min(rounds, MOST_RUNS)
  const lines: (readonly string[])[] = []
  for (const rows of ROWS) {
    const files = await writeTables(folder, rows)
    for (const format of FORMATS) {
      const output = join(folder, `risks.${format}`)
      const args = ['bin/patient-risk.js', 'score', files[format], '--output', output, '--quiet']
      lines.push([thousands(rows), format, ...(await figuresOf(rows, args, times, () => rmSync(output)))])
    }
    const args = [fileURLToPath(import.meta.url), files.parquet]
    lines.push([thousands(rows), 'parquet, SELECT by hand', ...(await figuresOf(rows, args, times))])
    for (const path of Object.values(files)) rmSync(path, { force: true })
  }
  const columns = [
    'rows',
    'format',
    'seconds, start included',
    'rows/s',
    'processor seconds',
    'largest resident, MB',
  ]
  return [
    {
      title: 'Files: `patient-risk score`, 10 fields, 1.4 % of the rows faulty',
      notes: [`Medians of ${times} runs.`],
      tables: [{ columns, rows: lines }],
    },
  ]
}

/** The figures of a command, as cells of a table. */
export async function figuresOf(
  rows: number,
  args: readonly string[],
  times: number,
  after: () => void = () => undefined,
): Promise<readonly string[]> {
  const runs: Run[] = []
  for (let time = 0; time < times; time++) {
    runs.push(await watched(args))
    after()
  }
  const of = (figure: keyof Run): number => median(runs.map((run) => run[figure]))
  const seconds = of('seconds')
  return [
    seconds.toFixed(1),
    thousands(rows / seconds),
    of('cpuSeconds').toFixed(1),
    (of('peakBytes') / 1e6).toFixed(0),
  ]
}

/** The same rows in every format. The values depend on the row's number only. */
async function writeTables(
  folder: string,
  rows: number,
): Promise<Readonly<Record<(typeof FORMATS)[number], string>>> {
  using engine = await TableEngine.open()
  const hash = (salt: number, below: number): string => `CAST(hash(i * 16 + ${salt}) % ${below} AS INTEGER)`
  const paths = {
    ndjson: join(folder, 'population.ndjson'),
    csv: join(folder, 'population.csv'),
    parquet: join(folder, 'population.parquet'),
  }
  await engine.run(`COPY (SELECT i AS idx,
 CASE WHEN ${hash(9, 1000)} < 7 THEN 480 ELSE 65 + ${hash(0, 35)} END AS age,
 CASE WHEN ${hash(10, 1000)} < 7 THEN 'female' WHEN ${hash(1, 2)} = 0 THEN 'F' ELSE 'M' END AS sex,
 ${hash(2, 6)} AS "inpatientAdmissions", ${hash(3, 8)} AS "emergencyAdmissions", 1 + ${hash(4, 30)} AS "stayDays",
 round((90 + ${hash(5, 600)} / 10e0) * 10) / 100 AS haemoglobin, ${hash(6, 21)} * 5 AS barthel_total,
 ${hash(7, 61)} / 2e0 AS mna_total, ${hash(8, 10)} AS charlson_total FROM range(${rows}) AS t(i))
 TO ${literal(paths.parquet)} (FORMAT parquet)`)
  const from = `(SELECT * FROM read_parquet(${literal(paths.parquet)}))`
  if (FORMATS.includes('csv')) await engine.run(`COPY ${from} TO ${literal(paths.csv)} (FORMAT csv, HEADER)`)
  if (FORMATS.includes('ndjson')) await engine.run(`COPY ${from} TO ${literal(paths.ndjson)} (FORMAT json)`)
  return paths
}

/** The risk alone, as one would write it by hand: no checks, no messages. */
async function selectByHand(path: string): Promise<void> {
  using engine = await TableEngine.open()
  const score = `-2.5 + 0.02 * (age - 75) + 0.0001 * (age - 75) ** 2 + CASE sex WHEN 'M' THEN 0.1 ELSE 0 END
 + 0.4 * ln(1 + "inpatientAdmissions") + 0.3 * ln(1 + "emergencyAdmissions") + 0.2 * ln(1 + "stayDays")`
  await engine.run(`COPY (SELECT idx, round(1 / (1 + exp(-(${score}))), 4) AS risk FROM read_parquet(${literal(path)}))
 TO ${literal(`${path}.by-hand`)} (FORMAT parquet)`)
  rmSync(`${path}.by-hand`)
}

/** One run of a program, watched from outside. Exit code 3 says that little was scored, which is no failure here. */
function watched(args: readonly string[]): Promise<Run> {
  const start = performance.now()
  const child = spawn(process.execPath, [...args], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] })
  let peakBytes = 0
  let ticks = 0
  const look = (): void => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      peakBytes = Math.max(peakBytes, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * KIB)
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      ticks = Number(fields[11]) + Number(fields[12])
    } catch {
      // It has ended between two looks.
    }
  }
  const timer = setInterval(look, LOOK_EVERY_MS)
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => {
      clearInterval(timer)
      if (code !== 0) reject(new Error('the run over the file failed'))
      else resolve({ seconds: (performance.now() - start) / 1000, cpuSeconds: ticks / 100, peakBytes })
    })
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await selectByHand(process.argv[2] ?? '')
