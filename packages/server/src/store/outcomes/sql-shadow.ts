/** Outcomes that came with the risk of the shadow model too: counts by both risks, and by whom each of the two models flags. */
import type { ShadowCounts } from '@patient-risk/monitor'
import type { ShadowCell } from 'patient-risk-engine'
import { addRows } from '../audit/usage-counters.ts'
import type { Query, SqlValue } from '../sql.ts'

/** Bins of the risk of the answer are kept in the same table as those of the shadow, as −1 − bin. */
const ofAnswer = (bin: number): number => -1 - bin

/** Among the digests of a deployment. */
export function shadowName({ digest }: { readonly digest: string }): string {
  return `shadow ${digest}`
}

const WHICH = `digest_id = (SELECT id FROM outcome_digests WHERE deployment = $1 AND digest = $2)
  AND shadow_id = (SELECT id FROM outcome_digests WHERE deployment = $1 AND digest = $3)`

/** Inside the transaction of the outcomes. `idOf` gives the number of a digest. */
export async function addShadow(
  query: Query,
  { digest: shadowDigest, cells }: { readonly digest: string; readonly cells: readonly ShadowCell[] },
  idOf: (digest: string) => Promise<number>,
): Promise<void> {
  const shadowId = await idOf(shadowDigest)
  const ids = new Map<string, number>()
  for (const digest of new Set(cells.map((cell) => cell.digest))) ids.set(digest, await idOf(digest))
  const risks = new Sums(2)
  const flags = new Sums(1)
  for (const cell of cells) {
    const { digest, month, flagged, shadowFlagged, answerBin, shadowBin, outcome, number } = cell
    const place = [ids.get(digest) ?? 0, shadowId, month]
    risks.add([...place, shadowBin, outcome], [number, cell.units])
    if (answerBin >= 0) risks.add([...place, ofAnswer(answerBin), outcome], [number, cell.answerUnits])
    flags.add([...place, flagged, shadowFlagged, outcome], [number])
  }
  await addRows(query, 'shadow_counts', risks.rows())
  await addRows(query, 'shadow_flags', flags.rows())
}

export async function readShadowCounts(
  query: Query,
  deployment: string,
  digest: string,
  shadow: string,
): Promise<ShadowCounts> {
  const values = [deployment, digest, shadow]
  interface Row {
    readonly month: string
    readonly bin: number
    readonly outcome: number
    readonly number: number
    readonly units: number
  }
  const risks = await query<Row>(
    `SELECT month, bin, kind AS outcome, number, units FROM shadow_counts WHERE ${WHICH}`,
    ...values,
  )
  const flags = await query<ShadowCounts['flags'][number]>(
    `SELECT month, flagged, shadow_flagged AS "shadowFlagged", kind AS outcome, number FROM shadow_flags WHERE ${WHICH}`,
    ...values,
  )
  return {
    risks: risks.map(({ bin, ...row }) => {
      return { ...row, isShadow: bin >= 0, bin: bin >= 0 ? bin : ofAnswer(bin) }
    }),
    flags,
  }
}

/** Rows with the same keys become one, in one order, so that two requests never wait for each other. */
class Sums {
  private readonly found = new Map<string, { readonly keys: readonly SqlValue[]; readonly sums: number[] }>()
  private readonly width: number

  constructor(width: number) {
    this.width = width
  }

  add(keys: readonly SqlValue[], numbers: readonly number[]): void {
    const name = JSON.stringify(keys)
    const known = this.found.get(name) ?? { keys, sums: new Array<number>(this.width).fill(0) }
    this.found.set(name, known)
    numbers.forEach((number, at) => {
      known.sums[at] = (known.sums[at] ?? 0) + number
    })
  }

  rows(): readonly (readonly SqlValue[])[] {
    const named = [...this.found].sort(([one], [other]) => (one < other ? -1 : 1))
    return named.map(([, { keys, sums }]) => [...keys, ...sums])
  }
}
