/** Clinical folders that are broken at one place, and the small valid one that they are based on. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadCatalog } from '@patient-risk/catalog'
import { faultLine } from 'patient-risk-engine/definition'
import { CLINICAL_ROOT } from './serve.ts'
import { type Json, change, validFiles, writeFiles } from './valid-folder.ts'

// Files of one process share the folder, so it is removed when the process ends.
const folder = mkdtempSync(join(tmpdir(), 'patient-risk-definitions-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
let count = 0

/** The base fields and one scale are enough: the whole package would be read 150 times. */
export const BASE = newRoot()
for (const part of ['fields.json', 'scales/barthel']) {
  cpSync(join(CLINICAL_ROOT, part), join(BASE, part), { recursive: true })
}

/** A new, empty folder. */
export function newRoot(): string {
  const root = join(folder, String(count++))
  mkdirSync(root)
  return root
}

/** What is broken · in which file · at which place · by which value · where it is reported · under which rule. */
export type Row = readonly [string, string, string, Json | undefined, string, string]

/** A test for each row: the change is refused with its file, its place and the rule that it breaks. */
export function refusesEach(rows: readonly Row[]): void {
  for (const [name, file, place, value, path, rule] of rows) {
    test(`${file}: ${name} is refused [${rule}]`, () => {
      const root = newRoot()
      const files = validFiles()
      change(files, file, place, value)
      writeFiles(root, files)
      const { catalog, faults } = loadCatalog([BASE, root])
      assert.equal(catalog, undefined, 'it is let through')
      const expected = { file: join(root, file), path, rule }
      const isReported = faults.some(
        (fault) => fault.file === expected.file && fault.path === path && fault.rule === rule,
      )
      assert.ok(isReported, `${JSON.stringify(expected)} is not among\n${faults.map(faultLine).join('\n')}`)
      for (const { message } of faults) assert.match(message, /\S/)
    })
  }
}
