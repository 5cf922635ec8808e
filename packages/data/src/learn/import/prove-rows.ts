/** Compares an imported model with the predictions of the original, row by row. The rows are not kept. */
import type { ModelDefinition, ProfileDefinition } from 'patient-risk-engine/definition'
import { GrowingBuffer, roundRisk, type TreeTable } from 'patient-risk-engine'
import { DataError } from '../../tables/data-error.ts'
import { type GatherInput, type ModelRun, gather, modelRunFor } from '../data/gather.ts'
import { type ImportPart, MISSING_TEXTS } from '../data/specification.ts'
import { profileOf } from '../model/seen-inputs.ts'
import { decimalIn } from './coefficients.ts'
import { CombinationCounter } from './combination-counter.ts'

export interface Proof {
  readonly run: ModelRun
  readonly rows: number
  readonly largestDifference: number
  /** How many splits there are, and how many of them rows took on both sides. */
  readonly splits: number
  readonly bothSides: number
  /** Inputs on which the rows prove little: they never vary, or no split on them is taken on both sides. */
  readonly unproved: readonly string[]
  /** Only of rows that the specification calls training data or local patients, from 200 of them on. */
  readonly profile?: ProfileDefinition
}

export interface ProveInput extends GatherInput {
  readonly expectedColumn: string
  /** Said where rows differ. */
  readonly hints: readonly string[]
  /** What the specification calls the rows. Without it they only prove the import. */
  readonly rowsAre?: ImportPart['rows']
}

/** Whose distribution the rows show, where they show that of patients. */
const PROFILED = {
  training: 'Training data of',
  local: 'Local patients, given at the import of',
} as const
const A_GRID =
  'the rows are every combination of some values, each equally often: a grid proves the import, but is no sample of patients, so it gives no profile. Say "rows": "proof" in `import`, or give the rows of patients'

const SAME_RISK = 1e-6
const FEWEST_ROWS = 5
/** Fewer rows say little about a population, and a bin of them could single out a patient. */
const FEWEST_FOR_PROFILE = 200
const MOST_SHOWN = 10

export async function proveRows(input: ProveInput, definition: ModelDefinition): Promise<Proof> {
  const { path, expectedColumn, hints, rowsAre = 'proof' } = input
  const { columns = {}, missing = [...MISSING_TEXTS], decimalComma = false, ends } = input.data
  // Rows with predictions have no outcome, no patients and no exclusions; a group is read as it is.
  const data = { columns, missing, decimalComma, outcome: { column: null }, groups: [expectedColumn] }
  const run = modelRunFor(input, definition)
  const { compiled, assessor, plan } = run
  const walked = compiled.terms.flatMap(({ trees }) => (trees ? [walkedTrees(trees)] : []))
  const slots = Object.keys(definition.inputs).map((name) => plan.slotByName.get(name) ?? -1)
  const combinations = new CombinationCounter(slots.length)
  const risks = new GrowingBuffer<Float64Array>(Float64Array)
  const shown: string[] = []
  const refused = new Set<string>()
  let rows = 0
  let differing = 0
  let largestDifference = 0
  const valueAt = (slot: number): number =>
    assessor.slots.isUsable(slot) ? assessor.slots.valueOf(slot) : Number.NaN
  const compare: Parameters<typeof gather>[3] = (row, { blocked, problems, score }) => {
    rows++
    if (rowsAre !== 'proof') combinations.add(slots.map(valueAt))
    const expected = decimalIn(row.text(expectedColumn))
    const risk = blocked ? Number.NaN : compiled.probability(score)
    if (!blocked) {
      risks.add(risk)
      for (const trees of walked) trees.add(assessor.slots.values)
    }
    largestDifference = Math.max(largestDifference, Math.abs(risk - expected))
    if (isSame(risk, expected)) return
    differing++
    if (shown.length === MOST_SHOWN) return
    const { field = '' } = problems.find(({ blocking }) => blocking) ?? {}
    if (blocked) refused.add(field)
    const ours = blocked ? `no risk, because ${field} is missing or not permitted` : String(risk)
    const theirs = Number.isNaN(expected) ? 'no number' : String(expected)
    shown.push(`${path}, line ${row.line}: the original gives ${theirs}, we give ${ours}`)
  }
  const read = gather({ ...input, data }, run, undefined, compare)
  const { inputs } = await read.catch((error: unknown) => {
    const isLost = error instanceof DataError && error.kind === 'missing-column'
    if (!isLost || Object.keys(columns).length === 0) throw error
    throw new DataError([...error.reasons, RAW_COLUMNS], error.kind)
  })
  const remedies = [...refused].map(
    (name) =>
      `${name} is required: if the original takes rows without it, say in model.inputs.${name} "whenAbsent": null and \`why\``,
  )
  if (differing > 0)
    throw new DataError([`${differing} of ${rows} rows differ:`, ...shown, ...remedies, ...hints])
  if (rows < FEWEST_ROWS)
    throw new DataError([
      `${path}: has ${rows} rows; ${FEWEST_ROWS} or more are needed, with every input at several values`,
    ])
  if (combinations.isGrid) throw new DataError([`${path}: ${A_GRID}`])
  const splits = walked.flatMap((trees) => trees.splits())
  const fieldOf = (slot: number): string => plan.fields[slot]?.name ?? ''
  const varied = new Set(
    inputs.filter(({ sample }) => sample.quantile(0) < sample.quantile(1)).map(({ name }) => name),
  )
  const asked = new Set(splits.map(({ slot }) => fieldOf(slot)))
  const taken = new Set(splits.filter(({ isTaken }) => isTaken).map(({ slot }) => fieldOf(slot)))
  return {
    run,
    rows,
    largestDifference,
    splits: splits.length,
    bothSides: splits.filter(({ isTaken }) => isTaken).length,
    unproved: inputs.map(({ name }) => name).filter((name) => !(asked.has(name) ? taken : varied).has(name)),
    ...(rowsAre !== 'proof' &&
      rows >= FEWEST_FOR_PROFILE && {
        profile: profileOf(
          `${PROFILED[rowsAre]} ${definition.id}@${definition.version}`,
          inputs,
          risks.view(),
          definition.threshold?.risk,
          ends,
        ),
      }),
  }
}

const RAW_COLUMNS =
  'Rows are read as `data` of the specification says: its `columns` name the columns of the raw data, so the rows must have these. If the rows have the fields under their own names, import with a specification without `columns`.'

/** So near to each other, two risks have other decimals only next to an edge of rounding, where the last bit of the original decides. */
function isSame(risk: number, expected: number): boolean {
  return Math.abs(risk - expected) <= SAME_RISK && !Number.isNaN(roundRisk(risk))
}

/** Walks the trees of each row, and says of each split which slot it asks about and whether rows took both of its branches. */
function walkedTrees({ roots, branches, compared, edges, features, fill }: TreeTable): Walked {
  const record = new Float64Array(features.length)
  const reached = new Uint8Array(edges.length)
  return {
    add(values) {
      fill(values, record)
      for (let node of roots) {
        for (let first = branches[node] as number; first !== 0; first = branches[node] as number) {
          const isBelow = (record[compared[node] as number] as number) < (edges[node] as number)
          node = first + 1 - Number(isBelow)
          reached[node] = 1
        }
      }
    },
    splits: () =>
      [...branches].flatMap((first, node) => {
        const slot = features[compared[node] as number]?.slot ?? -1
        return first === 0 ? [] : [{ slot, isTaken: reached[first] === 1 && reached[first + 1] === 1 }]
      }),
  }
}

interface Walked {
  readonly add: (values: Float64Array) => void
  readonly splits: () => readonly { readonly slot: number; readonly isTaken: boolean }[]
}
