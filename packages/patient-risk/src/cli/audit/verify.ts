/** `patient-risk audit verify`: the whole chain, what came after a row, or an exported file. */
import { createReadStream, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { digestOf } from '@patient-risk/runtime'
import { parseJson } from 'patient-risk-engine/read'
import {
  readAnchor,
  readAnchors,
  type AuditRow,
  type ChainPoint,
  contentOf,
  type ChainReport,
  type AuditFacts,
  type VerifyOptions,
  verifyRows,
  verifyStore,
} from '@patient-risk/server/store'
import { Refusal, UsageError, command, printNote, printOutput } from '../command.ts'
import { ProgressBar } from '../progress-bar.ts'
import { withAudit } from '../with-store.ts'

/** The last row that a run has verified, as a file keeps it for the next run. */
interface Remembered extends ChainPoint {
  readonly at: string
  /** Where the chain began. */
  readonly start: ChainPoint
}

export const auditVerify = command(
  { texts: ['file', 'anchor', 'from', 'remember'] },
  async ({ file, anchor, from, remember }) => {
    if ([file, from, remember].filter((each) => each !== undefined).length > 1)
      throw new UsageError('--file, --from and --remember exclude one another.')
    if (from !== undefined && !/^[1-9]\d{0,14}$/.test(from))
      throw new UsageError('--from takes the number of a row.')
    const anchors = anchor === undefined ? [] : anchorsFrom(anchor)
    if (file !== undefined) return report(await verifyRows(rowsOfFile(file), anchors))
    const known = remember === undefined || !existsSync(remember) ? undefined : readRemembered(remember)
    return withAudit(async ({ store, anchorFile }) => {
      using progress = new ProgressBar('rows')
      const options: VerifyOptions = {
        from: known?.seq ?? (from === undefined ? undefined : Number(from)),
        knownStart: known?.start,
        onRetry: printNote,
        onProgress: (records, all) => {
          if (process.stderr.isTTY) progress.show({ records, share: records / all })
        },
      }
      const points = [...anchors, ...anchorFile.read(), ...(known === undefined ? [] : [known])]
      const verified = await verifyStore(store, points, options)
      const code = report(verified, known)
      if (remember !== undefined) writeRemembered(remember, verified)
      return code
    })
  },
)

function report({ rows, head, first, faults, accepted }: ChainReport, known?: Remembered): number {
  if (faults.length > 0) {
    throw new Refusal([...faults, `Not intact: ${faults.length} faults in ${rows} rows.`].join('\n'))
  }
  const lines = [`Intact: ${rows} rows. Anchor: ${head.seq}:${head.hash}`]
  if (first !== undefined) {
    const when = known === undefined ? '' : `, which were verified at ${known.at}`
    lines.unshift(`Not verified now: the rows before row ${first}${when}.`)
  } else if (known !== undefined && known.seq > 0) {
    lines.unshift(
      `Retention has removed row ${known.seq}, which was remembered. All rows that are left were verified.`,
    )
  }
  if (accepted.length > 0)
    lines.push(`Changes of counts or keys were accepted: see row ${accepted.join(', ')}.`)
  return printOutput(`${lines.join('\n')}\n`)
}

function readRemembered(path: string): Remembered {
  try {
    const { seq, hash, at, start } = parseJson(readFileSync(path, 'utf8')) as Partial<Remembered>
    const isPoint = (point: Partial<ChainPoint> | undefined): boolean =>
      Number.isSafeInteger(point?.seq) && typeof point?.hash === 'string'
    if (isPoint({ seq: seq ?? NaN, hash: hash ?? '' }) && isPoint(start) && typeof at === 'string')
      return { seq, hash, at, start } as Remembered
  } catch {
    // Reported below.
  }
  throw new UsageError(`--remember: ${path} is not a file that "audit verify --remember" has written.`)
}

/** By renaming, so that a run that is ended leaves the file of the last one. */
function writeRemembered(path: string, { head, start }: ChainReport): void {
  const remembered = { ...head, at: new Date().toISOString(), start }
  writeFileSync(`${path}.new`, `${JSON.stringify(remembered)}\n`)
  renameSync(`${path}.new`, path)
}

async function* rowsOfFile(path: string): AsyncGenerator<AuditRow> {
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (line === '') continue
    const match = /^(.*),"hash":"([^"]*)"\}$/.exec(line)
    const content = match === null ? line : `${match[1] ?? ''}}`
    const { seq, at } = ((match && contentOf({ content })) ?? {}) as Partial<AuditFacts>
    yield {
      seq: Number(seq),
      at: Date.parse(String(at)),
      content,
      hash: match?.[2] ?? `none, not ${digestOf(content)}`,
    }
  }
}

function anchorsFrom(text: string): readonly ChainPoint[] {
  try {
    return existsSync(text) ? readAnchors(readFileSync(text, 'utf8')) : [readAnchor(text)]
  } catch (error) {
    throw new UsageError(`--anchor: ${(error as Error).message}.`)
  }
}
