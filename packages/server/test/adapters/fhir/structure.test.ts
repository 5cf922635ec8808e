/** Codes and invariants of everything that we send. `structure.slow.test.ts` holds the same against the definitions of R4. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fhirFiles } from '../../../../../scripts/fhir-files.ts'
import { testSentResources } from './sent-resources.ts'
import { type Resource, answerOf, bundleFile, sourceOf } from './source.ts'

/** The codes of the value set issue-type of R4. R5 adds limited-filter and success, which must not be sent. */
const ISSUE_TYPES = new Set(
  'invalid structure required value invariant security login unknown expired forbidden suppressed processing not-supported duplicate multiple-matches not-found deleted too-long code-invalid extension too-costly business-rule conflict transient lock-error no-store exception timeout incomplete throttled informational'.split(
    ' ',
  ),
)

testSentResources('have the codes and invariants of R4', holdCodes)

function holdCodes(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const { resourceType, issue, prediction, ...rest } = value as Resource
  if (resourceType === 'OperationOutcome') {
    assert.ok((issue as Resource[]).length > 0)
    for (const { severity, code } of issue as Resource[]) {
      assert.ok(['fatal', 'error', 'warning', 'information'].includes(String(severity)))
      assert.ok(ISSUE_TYPES.has(String(code)), String(code))
    }
  }
  for (const { probabilityDecimal: decimal, rationale } of (prediction ?? []) as Resource[]) {
    // ras-2, and the percentage in words.
    if (decimal === undefined) continue
    assert.ok(typeof decimal === 'number' && decimal > 0 && decimal <= 100)
    assert.ok(String(rationale).startsWith(`${decimal.toFixed(2)} %`))
  }
  assert.ok(
    !Object.values(value).some(
      (each) => each === null || each === '' || (Array.isArray(each) && each.length === 0),
    ),
  )
  for (const each of Object.values(rest)) holdCodes(each)
}

test('the code systems hold every code of our own that is sent', async () => {
  const known = new Set<string>()
  for (const text of (await fhirFiles()).values()) {
    const { url, concept = [] } = JSON.parse(text) as { url: string; concept?: { code: string }[] }
    for (const { code } of concept) known.add(`${url} ${code}`)
  }
  const sent = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { system, code } = value as Resource
    if (typeof code === 'string' && String(system).startsWith('urn:patient-risk:'))
      sent.add(`${String(system)} ${code}`)
    Object.values(value).forEach(visit)
  }
  for (const model of ['readmission30', 'lace', 'profund', 'walter'])
    for (const output of ['number', 'yes-no'] as const)
      for (const risk of ['01-complete', '03-two-patients'])
        visit(
          answerOf(bundleFile(risk), sourceOf(model, output), { history: 'complete', asOf: '2026-11-15' }),
        )
  assert.ok(sent.size >= 3, [...sent].join())
  assert.deepEqual(
    [...sent].filter((each) => !known.has(each)),
    [],
  )
})
