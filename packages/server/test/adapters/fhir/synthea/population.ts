/** A population of Synthea (Maven Central) as a Bulk Data export, made once and kept in a cache folder. */
import { execFileSync } from 'node:child_process'
import { createReadStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Resource } from '../source.ts'

const CACHE = 'node_modules/.cache/synthea'
const POM = 'packages/server/test/adapters/fhir/synthea/pom.xml'
/** The last day of the population. */
export const AS_OF = '2026-11-01'
const DAY = AS_OF.replaceAll('-', '')
export const TYPES = ['Patient', 'Encounter', 'Condition', 'Observation', 'Procedure']

/** The folder of an export with some living patients, and those who died before; undefined where Synthea cannot be had. */
export function population(patients: number): string | undefined {
  const folder = resolve(CACHE, String(patients))
  const exported = join(folder, 'fhir')
  if (existsSync(exported)) return exported
  const path = resolve(CACHE, 'classpath.txt')
  mkdirSync(CACHE, { recursive: true })
  try {
    if (!existsSync(path))
      execFileSync(
        'mvn',
        ['-q', '-B', '-f', POM, 'dependency:build-classpath', `-Dmdep.outputFile=${path}`],
        { stdio: 'ignore' },
      )
    const made = `${folder}.new`
    rmSync(made, { recursive: true, force: true })
    const options = [
      ...['-s', '1', '-cs', '1', '-r', DAY, '-e', DAY, '-p', String(patients)],
      '--exporter.fhir.bulk_data=true',
      `--exporter.fhir.included_resources=${TYPES.join(',')}`,
      '--exporter.hospital.fhir.export=false',
      '--exporter.practitioner.fhir.export=false',
      `--exporter.baseDirectory=${made}`,
    ]
    execFileSync('java', ['-Xmx2g', `@${argumentFile(path)}`, 'App', ...options], { stdio: 'ignore' })
    renameSync(made, folder)
    return exported
  } catch {
    return undefined
  }
}

/** Java reads its options from a file too: a class path may be longer than a command line. */
function argumentFile(path: string): string {
  const file = resolve(CACHE, 'java-options.txt')
  execFileSync('sh', ['-c', `printf -- '-cp "%s"' "$(cat '${path}')" > '${file}'`])
  return file
}

/** The resources of each of the first patients, by the id of the patient. */
export async function firstPatients(
  folder: string,
  count: number,
): Promise<ReadonlyMap<string, readonly Resource[]>> {
  const byPatient = new Map<string, Resource[]>()
  for (const type of TYPES) {
    const file = join(folder, `${type}.ndjson`)
    if (!existsSync(file)) continue
    for await (const line of createInterface({ input: createReadStream(file) })) {
      const resource = JSON.parse(line) as Resource
      const { reference = `Patient/${String(resource['id'])}` } = (resource['subject'] ?? {}) as {
        reference?: string
      }
      const id = reference.replace('Patient/', '')
      if (type === 'Patient' && byPatient.size < count) byPatient.set(id, [])
      byPatient.get(id)?.push(resource)
    }
  }
  return byPatient
}
