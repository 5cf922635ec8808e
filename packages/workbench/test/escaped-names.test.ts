/** Files that the page opens: a name with an escape is read as itself (decision 40). */
import { test } from 'node:test'
import { holdPair, pairOf } from '../../../test/support/escaped-pair.ts'
import { readmissionRecord } from '../../../test/support/records.ts'
import { parseArray, parseLines } from '../src/list/read/read-json.ts'

/** A record with a member before its age that no other test has. */
function record(own: string): string {
  const { idx, ...others } = readmissionRecord(1, 84) as Record<string, unknown>
  return JSON.stringify({ idx, [own]: 0, ...others })
}

test('a list', () =>
  holdPair(pairOf(`[${record('page')}]`, 'age'), (text) => parseArray(text).records, /"age":84/))

test('lines', () =>
  holdPair(pairOf(record('page lines'), 'age'), async (text) => (await parseLines(text)).records, /"age":84/))
