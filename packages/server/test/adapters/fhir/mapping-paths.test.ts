/** The paths of a mapping: what prints values, waits or takes for ever is refused by `check` and when the service starts. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loadMapping } from '../../../src/adapters/fhir/load-mapping.ts'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import { runHere } from '../../../../../test/support/run-command.ts'
import { testCatalog } from '../../../../../test/support/serve.ts'

const folder = mkdtempSync(join(tmpdir(), 'paths-'))
after(() => rmSync(folder, { recursive: true }))
const catalog = testCatalog()

/** A path · the functions that it may not call. */
const PATHS: readonly (readonly [string, readonly string[]])[] = [
  ['Observation.value', []],
  ["Observation.component.where(code.coding.exists(code = 'x')).value.first()", []],
  ["Observation.value.ofType(string).where($this.startsWith('a') or $this = 'b')", []],
  ['iif(Observation.value is Quantity, Observation.value, Observation.component.last().value)', []],
  ["Observation.value.trace('seen')", ['trace']],
  ["Observation.note.text.where($this.matches('(a+)+$')).first()", ['matches']],
  ["Observation.note.text.matches('^a')", ['matches']],
  ["Observation.note.text.matchesFull('(a|a)*b')", ['matchesFull']],
  ["Observation.note.text.replaceMatches('(a+)+$', '')", ['replaceMatches']],
  ["Observation.value.where(iif(trace('x').exists(), true, false)) | now()", ['now', 'trace']],
  ['Observation.subject.resolve().birthDate', ['resolve']],
  ['Observation.repeat(component)', ['repeat']],
  ['Observation.descendants().value', ['descendants']],
  ['Observation.component.aggregate($total + 1, 0)', ['aggregate']],
  ["Observation.value.`trace`('x')", ['`trace`']],
]

function overlayWith(path: string): string {
  const file = join(folder, 'mapping.json')
  const codes = [{ system: 'https://lab.example.org', code: 'HGB' }]
  const haemoglobin = { take: 'latest', resource: 'Observation', codes, path, unit: 'g/dL', window: 'stay' }
  writeFileSync(file, JSON.stringify({ fields: { haemoglobin } }))
  return file
}

for (const [path, refused] of PATHS) {
  test(`${path}: ${refused.length === 0 ? 'allowed' : `may not call ${refused.join(' and ')}`}`, () => {
    const { faults } = loadMapping(['clinical'], catalog, overlayWith(path))
    const messages = faults.map(({ rule, message }) => `${rule} ${message}`).sort()
    assert.deepEqual(
      messages,
      refused.map((name) => `fhirpath-function a path may not call ${name}(): ${path}`),
    )
  })
}

test('check names the fault and the place, and the service does not start', async () => {
  const mapping = overlayWith("Observation.value.trace('seen')")
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify({ ...DEFAULT_FILE, fhir: { mapping } }))
  const commands = [['check', mapping], ['check', config], ['serve']] as const
  for (const args of commands) {
    const { code, err } = await runHere(args, { CONFIG: config, DATA_DIR: folder, PORT: '0' })
    assert.equal(code, 1)
    assert.match(err, /mapping\.json.*\/fields\/haemoglobin.*a path may not call trace\(\)/s)
  }
})
