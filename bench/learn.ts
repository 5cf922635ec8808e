/**
 * `npm run bench:learn`: a logistic regression of 1,000,000 rows and 10 inputs, from the file to the estimates,
 * against R's read.csv and glm on the same file in the same run. Without R only our own figures are printed.
 */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadCatalog } from '@patient-risk/catalog'
import { learnFit } from 'patient-risk/cli'
import { estimate, checkSpecification } from '@patient-risk/data/learn'
import { fitLogistic, randomFrom } from '@patient-risk/statistics'

const ROWS = Number(process.env['ROWS'] ?? 1_000_000)
const INPUTS = Array.from({ length: 10 }, (_each, index) => `x${index + 1}`)
const TRUTH = [-2, 0.3, -0.2, 0.5, 0.1, -0.4, 0.25, 0.15, -0.1, 0.35, 0.05]

if (process.argv[2] === 'ours') await ours(process.argv[3] as string)
else if (process.argv[2] === 'command') await command(process.argv[3] as string)
else compare()

function compare(): void {
  const folder = mkdtempSync(join(tmpdir(), 'bench-learn-'))
  try {
    writeRows(join(folder, 'rows.csv'))
    const fields = INPUTS.map((name) => [name, { type: 'decimal', from: -10, to: 10, meaning: 'Invented.' }])
    writeFileSync(
      join(folder, 'fields.json'),
      JSON.stringify({ version: 1, inputs: Object.fromEntries(fields) as unknown }),
    )
    for (const part of ['ours', 'command']) {
      const own = spawnSync(process.execPath, [fileURLToPath(import.meta.url), part, folder], {
        encoding: 'utf8',
      })
      process.stdout.write(own.stdout + own.stderr)
    }
    const ourFigures = JSON.parse(readFileSync(join(folder, 'ours.json'), 'utf8')) as OurFigures
    const r = spawnSync('Rscript', ['-e', rScript(folder)], { encoding: 'utf8' })
    if (r.status !== 0) {
      process.stdout.write('R is not installed, so there is nothing to compare with.\n')
      return
    }
    const [readSeconds = 0, glmSeconds = 0, ...coefficients] = r.stdout.trim().split(/\s+/).map(Number)
    const far = Math.max(
      ...coefficients.map((value, k) => Math.abs(value - (ourFigures.coefficients[k] ?? 0))),
    )
    process.stdout.write(
      `R        read.csv ${readSeconds.toFixed(2)} s, glm ${glmSeconds.toFixed(2)} s (processor time)\n` +
        `ratio    estimates alone ${(glmSeconds / ourFigures.fitSeconds).toFixed(1)} ×, with reading ${((readSeconds + glmSeconds) / ourFigures.cpuSeconds).toFixed(1)} ×\n` +
        `largest difference of a coefficient ${far.toExponential(1)}\n`,
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface OurFigures {
  readonly cpuSeconds: number
  readonly fitSeconds: number
  readonly coefficients: readonly number[]
}

async function ours(folder: string): Promise<void> {
  const { catalog } = loadCatalog(['clinical', folder])
  if (catalog === undefined) throw new Error('the catalogue is refused')
  const { data, model } = checkSpecification(specification())
  if (model === undefined) throw new Error('there is no model')
  const path = join(folder, 'rows.csv')
  const start = performance.now()
  const before = process.cpuUsage()
  const { fit, design } = await estimate({ catalog, data, model, options: {}, path, today: 20260101 })
  const wallSeconds = (performance.now() - start) / 1000
  const cpuSeconds = seconds(process.cpuUsage(before))
  const again = process.cpuUsage()
  fitLogistic(design)
  const fitSeconds = seconds(process.cpuUsage(again))
  const megabytes = process.resourceUsage().maxRSS / 1024
  process.stdout.write(
    `ours     ${ROWS} rows × ${INPUTS.length} inputs, file to estimates: ${wallSeconds.toFixed(2)} s on the clock, ${cpuSeconds.toFixed(2)} s processor time, ${megabytes.toFixed(0)} MB\n` +
      `         of it the estimates ${fitSeconds.toFixed(2)} s, in ${fit.iterations} steps\n`,
  )
  const figures: OurFigures = { cpuSeconds, fitSeconds, coefficients: [...fit.coefficients] }
  writeFileSync(join(folder, 'ours.json'), JSON.stringify(figures))
}

/** The whole of `patient-risk learn fit`, from its start to the written folder: estimates, figures, report and checks. */
async function command(folder: string): Promise<void> {
  const path = join(folder, 'specification.json')
  writeFileSync(path, JSON.stringify(specification()))
  const args = ['--specification', path, '--data', join(folder, 'rows.csv'), '--out', folder]
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = () => true
  const code = await learnFit.run(args)
  process.stdout.write = write
  const megabytes = process.resourceUsage().maxRSS / 1024
  process.stdout.write(
    `command  learn fit, all of it: exit code ${code}, ${performance.now().toFixed(0)} ms on the clock, ${seconds(process.cpuUsage()).toFixed(2)} s processor time, ${megabytes.toFixed(0)} MB\n`,
  )
}

function seconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1e6
}

function writeRows(path: string): void {
  const random = randomFrom(1)
  const file = openSync(path, 'w')
  let text = `${[...INPUTS, 'y'].join(',')}\n`
  for (let row = 0; row < ROWS; row++) {
    const values = INPUTS.map(() => Math.round((random() + random() + random() - 1.5) * 2000) / 1000)
    const eta = values.reduce((sum, value, k) => sum + value * (TRUTH[k + 1] ?? 0), TRUTH[0] ?? 0)
    text += `${values.join(',')},${random() < 1 / (1 + Math.exp(-eta)) ? 1 : 0}\n`
    if (text.length > 1 << 20) {
      writeSync(file, text)
      text = ''
    }
  }
  writeSync(file, text)
  closeSync(file)
}

function rScript(folder: string): string {
  const formula = `y ~ ${INPUTS.join(' + ')}`
  return `d <- NULL; cpu <- function(e) { t <- system.time(e); t[["user.self"]] + t[["sys.self"]] }
a <- cpu(d <- read.csv("${join(folder, 'rows.csv')}")); f <- NULL
b <- cpu(f <- glm(${formula}, family = binomial, data = d)); cat(a, b, format(coef(f), digits = 15))`
}

function specification(): object {
  const text = 'Invented.'
  return {
    data: { decimalComma: false, outcome: { column: 'y', yes: ['1'], no: ['0'] } },
    model: {
      id: 'bench',
      version: '1.0.0',
      title: text,
      card: {
        summary: text,
        intendedUse: text,
        users: text,
        population: text,
        setting: text,
        outcome: text,
        horizonDays: 1,
        missingData: text,
        limits: [text],
      },
      inputs: Object.fromEntries(INPUTS.map((name) => [name, {}])),
      terms: INPUTS.map((field) => ({ kind: 'linear', field })),
      source: { cite: text },
      licence: { status: text, shipped: text },
    },
  }
}
