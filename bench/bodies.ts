/** Bodies as files, for the client to send. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plan } from 'patient-risk-engine'
import { type Shape, makePayload } from './payloads.ts'

export function bodyFile(
  bench: { readonly plan: Plan; readonly folder: string },
  shape: Shape,
  records: number,
  isFaulty: boolean,
): string {
  const file = join(bench.folder, `${shape.replace(' ', '-')}-${records}${isFaulty ? '-faulty' : ''}.json`)
  writeFileSync(file, makePayload(bench.plan, shape, records, isFaulty))
  return file
}
