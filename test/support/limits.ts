/** The limits of docs/limits.md, and the one way to write a test that stands at the edge of one of them. */
import test from 'node:test'

/** The first column of the tables of the page, without names in brackets. */
export const LIMITS = [
  'bytes of a body, decompressed',
  'records of a body',
  'counts that a body of outcomes changes, those that it corrects once more',
  'nesting',
  'keys of a record',
  'bytes of a line',
  'requests a minute of a key',
  'records a minute of a key',
  'failed keys a minute of an address, and of a key id',
  'time for the headers',
  'time for a request',
  'time for a stream',
  'connections of an address',
  'resources of a FHIR body that may belong to several patients',
  'bodies for FHIR and CDS Hooks in memory',
  'answers that wait for slow readers',
  'bytes of an answer',
  'work to explain a record',
  'work to explain all records of a request',
  'work to read a model file',
  'bytes of a spreadsheet, unpacked',
  'cells in the rectangle of a spreadsheet',
  'parts of a spreadsheet',
  'bytes of the body of a job',
  'records of a job',
  'jobs of a key',
  'bytes of the jobs of a key, on disk',
  'bytes of the jobs of all keys, on disk',
  'bodies of jobs that a key sends at a time',
  'bodies of jobs that a process takes at a time',
  'steps: an expression evaluated, a code compared, a part of a formula',
  'features',
  'splits of a tree, one after the other',
  'PMML: characters',
  'PMML: elements',
  'PMML: elements inside of each other',
  'PMML: expressions inside of each other, through derived fields',
  'PMML: questions about features one after the other, for one number',
  'size of a file of XGBoost or LightGBM',
] as const
export type Limit = (typeof LIMITS)[number]

/** Limits without a test at their edge, and why. */
export const WITHOUT_AN_EDGE: Partial<Readonly<Record<Limit, string>>> = {
  'time for the headers': 'a timer of Node measures it, and looks only now and then',
  'work to read a model file': 'its rows are those of the second table',
}

/** What is one below a limit, at it and one above. */
export interface Edge<Value> {
  readonly below: Value
  readonly at: Value
  readonly above: Value
}

export function around(limit: number): Edge<number> {
  return { below: limit - 1, at: limit, above: limit + 1 }
}

/** Three tests. Only what is above the limit is not permitted. */
export function atLimit<Value>(
  limit: Limit,
  edge: Edge<Value>,
  check: (value: Value, isPermitted: boolean) => unknown,
): void {
  for (const place of ['below', 'at', 'above'] as const) {
    const isPermitted = place !== 'above'
    test(`${limit}: ${place} the limit ${isPermitted ? 'is permitted' : 'is not'}`, async () => {
      await check(edge[place], isPermitted)
    })
  }
}
