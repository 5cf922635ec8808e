/**
 * A Bulk Data export: seconds, processor seconds and memory of `patient-risk fhir`, with the types in files of their own.
 * POPULATION_PATIENTS=10000 measures another size.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { patientResources } from '../bundle.ts'
import type { Section } from '../results.ts'
import { megabytes, thousands } from '../spread.ts'
import { figuresOf } from './files.ts'

const PATIENTS = (process.env['POPULATION_PATIENTS'] ?? '1000,5000').split(',').map(Number)
const MOST_RUNS = 3

export async function populationPart({ folder, rounds }: Bench): Promise<readonly Section[]> {
  const times = Math.min(rounds, MOST_RUNS)
  const rows: (readonly string[])[] = []
  for (const patients of PATIENTS) {
    const input = join(folder, `export-${patients}`)
    const output = join(folder, `risks-${patients}`)
    const bytes = writeExport(input, patients)
    const options = ['--output', output, '--quiet', '--history', 'complete', '--as-of', '2026-03-09']
    const args = ['bin/patient-risk.js', 'fhir', input, ...options]
    const figures = await figuresOf(patients, args, times, () => rmSync(output, { recursive: true }))
    rows.push([thousands(patients), megabytes(bytes), ...figures])
    rmSync(input, { recursive: true })
  }
  const columns = [
    'patients',
    'MB',
    'seconds, start included',
    'patients/s',
    'processor seconds',
    'largest resident, MB',
  ]
  return [
    {
      title: 'FHIR: a Bulk Data export, `patient-risk fhir`',
      notes: [`Medians of ${times} runs.`],
      tables: [{ columns, rows }],
    },
  ]
}

/** A file for each type. Returns the bytes of all. */
function writeExport(folder: string, patients: number): number {
  mkdirSync(folder)
  const resources = Array.from({ length: patients }, (_, at) => patientResources(at)).flat()
  let bytes = 0
  for (const [type, ofType] of Map.groupBy(resources, ({ resourceType }) => resourceType)) {
    const text = ofType.map((resource) => `${JSON.stringify(resource)}\n`).join('')
    bytes += text.length
    writeFileSync(join(folder, `${type}.ndjson`), text)
  }
  return bytes
}
