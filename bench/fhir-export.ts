/**
 * `npm run bench:fhir`: what `patient-risk fhir FOLDER` costs for an export of 1,000 patients and one of 10,000, in processor time and in
 * memory; `npm run bench:fhir -- 100` takes 100 and 1,000. The start of the command is in both, so the difference says what a patient
 * costs. The memory must not grow with the export.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { patientResources } from './bundle.ts'

const PATIENTS = Number(process.argv[2] ?? 1_000)
const TIMES_AS_MANY = 10
const RUNS = 3
const A_FILE = 1_000
const AS_OF = '2026-03-09'

const folder = mkdtempSync(join(tmpdir(), 'bench-fhir-'))
try {
  const small = measure(PATIENTS)
  const large = measure(PATIENTS * TIMES_AS_MANY)
  const further = PATIENTS * (TIMES_AS_MANY - 1)
  process.stdout.write(
    `each further patient: ${((large.cpuMs - small.cpuMs) / further).toFixed(2)} ms of processor time, ` +
      `${(((large.peakMb - small.peakMb) / further) * 1_024).toFixed(0)} kB\n`,
  )
} finally {
  rmSync(folder, { recursive: true })
}

/** The least time and the most memory of some runs. */
function measure(patients: number): Run {
  const exported = writeExport(patients)
  const runs = Array.from({ length: RUNS }, (_, run) => score(exported, join(folder, `${patients}-${run}`)))
  const cpuMs = Math.min(...runs.map((run) => run.cpuMs))
  const peakMb = Math.max(...runs.map((run) => run.peakMb))
  process.stdout.write(
    `${patients} patients: ${(cpuMs / 1_000).toFixed(1)} s of processor time, peak ${peakMb.toFixed(0)} MB\n`,
  )
  return { cpuMs, peakMb }
}

/** Files by type, as a Bulk Data export has them. */
function writeExport(patients: number): string {
  const exported = join(folder, `export-${patients}`)
  mkdirSync(exported)
  for (let from = 0; from < patients; from += A_FILE) {
    const count = Math.min(A_FILE, patients - from)
    const resources = Array.from({ length: count }, (_, at) => patientResources(from + at)).flat()
    for (const [type, ofType] of Map.groupBy(resources, ({ resourceType }) => resourceType)) {
      const lines = ofType.map((resource) => `${JSON.stringify(resource)}\n`).join('')
      writeFileSync(join(exported, `${type}.${from / A_FILE}.ndjson`), lines)
    }
  }
  return exported
}

interface Run {
  readonly cpuMs: number
  readonly peakMb: number
}

/** Runs the command once in a process of its own, threads included. */
function score(exported: string, output: string): Run {
  const words = ['fhir', exported, '--output', output, '--quiet', '--history', 'complete', '--as-of', AS_OF]
  const script = `
    import { run } from ${JSON.stringify(new URL('../packages/patient-risk/src/cli/commands.ts', import.meta.url).href)}
    const code = await run(${JSON.stringify(words)})
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
    process.stdout.write(JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1e3, peakMb: maxRSS / 1_024 }))
    process.exitCode = code`
  // Threads would inherit the options of a script on the command line.
  const file = join(folder, 'run.mjs')
  writeFileSync(file, script)
  const ran = spawnSync(process.execPath, [file], { encoding: 'utf8', env: { CONFIG: writeConfig() } })
  if (ran.status !== 0) throw new Error(ran.stderr)
  return JSON.parse(ran.stdout) as Run
}

/** One deployment: the command scores with one model. */
function writeConfig(): string {
  const path = join(folder, 'config.json')
  const deployments = [{ name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' }]
  writeFileSync(path, JSON.stringify({ deployments }))
  return path
}
