/**
 * Imports a folder that holds a model file (`model.*`), its `specification.json`, and `rows.csv` with the predictions of the tool that
 * made it. `fields.json` are fields of its own. Where there is a `refused.txt`, the import must fail with that text.
 */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runHere } from '../../../../test/support/run-command.ts'

export interface Imported {
  /** What the command printed; its first line says how many rows agree. */
  readonly text: string
  /** Why the result is not the expected one. */
  readonly wrong: string | undefined
}

export async function importFolder(folder: string): Promise<Imported> {
  const file = readdirSync(folder).find((name) => name.startsWith('model.'))
  if (file === undefined) throw new Error(`${folder} has no model file`)
  const out = mkdtempSync(join(tmpdir(), 'import-'))
  try {
    const fields = join(folder, 'fields.json')
    const refusal = join(folder, 'refused.txt')
    if (existsSync(fields)) copyFileSync(fields, join(out, 'fields.json'))
    const specification = join(folder, 'specification.json')
    const rows = join(folder, 'rows.csv')
    const options = existsSync(join(folder, 'options.json'))
      ? (JSON.parse(readFileSync(join(folder, 'options.json'), 'utf8')) as readonly string[])
      : []
    const args = ['learn', 'import', join(folder, file), '--specification', specification, '--rows', rows]
    const ran = await runHere([...args, '--out', out, ...options])
    const text = ran.out + ran.err
    const isWritten = existsSync(join(out, 'models'))
    if (!existsSync(refusal)) return { text, wrong: ran.code === 0 && isWritten ? undefined : ran.err }
    const expected = readFileSync(refusal, 'utf8')
    const isRefused = ran.code === 1 && !isWritten && ran.err.includes(expected)
    return { text, wrong: isRefused ? undefined : `is not refused with “${expected}”: ${text}` }
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}
