/** Everything that we send against the R4 definitions of @medplum, which are installed for this test. */
import assert from 'node:assert/strict'
import { loadTool, whyNoTool } from '../../../../../scripts/load-tool.ts'
import { testSentResources } from './sent-resources.ts'

interface Definitions {
  readonly indexStructureDefinitionBundle: (bundle: unknown) => void
  readonly validateResource: (resource: unknown) => readonly { readonly severity?: string }[]
  readonly readJson: (path: string) => unknown
}

const skip = whyNoTool('fhir-structure')
testSentResources('are valid R4', skip === false ? await makeCheck() : () => undefined, skip)

async function makeCheck(): Promise<(resource: unknown) => void> {
  const tool = (await loadTool('fhir-structure')) as Definitions
  const { indexStructureDefinitionBundle, validateResource, readJson } = tool
  for (const file of ['profiles-types', 'profiles-resources'])
    indexStructureDefinitionBundle(readJson(`fhir/r4/${file}.json`))
  return (resource) => {
    const issues = validateResource(resource)
    assert.deepEqual(
      issues.filter(({ severity }) => severity === 'error' || severity === 'fatal'),
      [],
    )
  }
}
