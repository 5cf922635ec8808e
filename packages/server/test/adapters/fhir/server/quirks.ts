/** Forms of right answers that other servers use and HAPI does not. */
import type { Resource } from '../source.ts'

export const QUIRKS = ['plain-json', 'no-total', 'no-full-url', 'a-hint-among-the-matches'] as const
export type Quirk = (typeof QUIRKS)[number]

/** Status, media type and body. */
export type Reply = readonly [number, string, string]

const FHIR_JSON = 'application/fhir+json; charset=utf-8; fhirVersion=4.0'
const HINT = {
  resource: {
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'information', code: 'informational', diagnostics: 'A parameter was ignored.' }],
  },
  search: { mode: 'outcome' },
}

export function withQuirk(quirk: Quirk, status: number, resource: Resource): Reply {
  const type = quirk === 'plain-json' ? 'application/json' : FHIR_JSON
  const changed = resource['resourceType'] === 'Bundle' ? changePage(quirk, resource) : resource
  return [status, type, JSON.stringify(changed)]
}

function changePage(quirk: Quirk, page: Resource): Resource {
  const entry = (page['entry'] ?? []) as readonly Resource[]
  switch (quirk) {
    case 'plain-json':
      return page
    case 'no-total':
      return { ...page, total: undefined }
    case 'no-full-url':
      return { ...page, entry: entry.map((each) => ({ ...each, fullUrl: undefined })) }
    case 'a-hint-among-the-matches':
      return { ...page, entry: [...entry, HINT] }
  }
}
