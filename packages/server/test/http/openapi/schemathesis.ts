/**
 * `npm run test:schemathesis`: schemathesis (PyPI) sends what the OpenAPI document allows and what it forbids, in all its phases, with
 * a key that may do everything but manage keys. Every report must be explained in `explained.json`. Skipped where it cannot be had.
 */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { serveAdapters } from '../../../../../test/support/serve-adapters.ts'

const VERSION = '4.32.5'
const HOME = resolve('node_modules/.cache/schemathesis')
const TOOL = join(HOME, 'bin/schemathesis')
/** Fields of a record that stay in the document: all of them would take an hour, and they are alike. */
const FIELDS = 12
const EXAMPLES = '15'
const RUN_MS = 480_000

interface Explained {
  readonly check: string
  readonly operation?: string
  readonly answer: string
  readonly reason: string
}
interface Report {
  readonly operation: string
  readonly check: string
  readonly answer: string
}

function install(): boolean {
  if (existsSync(TOOL)) return true
  if (spawnSync('python3', ['-m', 'venv', HOME]).status !== 0) return false
  const words = ['-m', 'pip', 'install', '--quiet', `schemathesis==${VERSION}`]
  return spawnSync(join(HOME, 'bin/python'), words).status === 0
}

/** The document without lines, which schemathesis cannot write, and with fewer fields. */
function reduced(text: string): string {
  return JSON.stringify(JSON.parse(text), (name, value: unknown) => {
    if (name.endsWith('ndjson')) return undefined
    const isRecord = typeof value === 'object' && value !== null && 'idx' in value && 'sex' in value
    if (!isRecord || !JSON.stringify(value).includes('"type"')) return value
    return Object.fromEntries(Object.entries(value).slice(0, FIELDS))
  })
}

/** The failures of the text that schemathesis prints: below a line with the operation, each with its check and the answer. */
function reportsIn(output: string): readonly Report[] {
  const reports: Report[] = []
  let operation = ''
  let checks: string[] = []
  const lines = output.split('\n')
  for (const [number, line] of lines.entries()) {
    operation = /^_+ ([A-Z]+ \/\S*|.*stateful.*) _+$/i.exec(line)?.[1] ?? operation
    const check = /^- (?:ST\d+ )?(.+)$/.exec(line)?.[1]
    if (/^\d+\. Test Case ID/.test(line)) checks = []
    if (check !== undefined) checks.push(check)
    const status = /^\[(\d{3})\] /.exec(line)?.[1]
    if (status === undefined) continue
    const answer = `${status} ${lines.slice(number + 1, number + 4).join(' ')}`
    reports.push(...checks.map((each) => ({ operation, check: each, answer })))
  }
  return reports
}

function isExplained(
  { operation, check, answer }: Report,
  { operation: where = '', ...rule }: Explained,
): boolean {
  return [
    [rule.check, check],
    [where, operation],
    [rule.answer, answer],
  ].every(([pattern = '', text = '']) => new RegExp(pattern).test(text))
}

async function main(): Promise<void> {
  if (!install()) {
    process.stdout.write('test:schemathesis is skipped: Python 3 or schemathesis cannot be had.\n')
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-schemathesis-'))
  const served = await serveAdapters()
  const limits = { requestsPerMinute: null, recordsPerMinute: null }
  const key = await served.makeKey({ name: 'all but keys', scopes: ['*'], limits })
  const file = join(folder, 'openapi.json')
  writeFileSync(file, reduced((await served.get('/openapi.json')).text))
  const words = ['run', file, '--url', served.origin, '-H', `Authorization: Bearer ${key}`, '--no-color']
  const more = ['--phases', 'examples,coverage,fuzzing,stateful', '--max-examples', EXAMPLES, '--seed', '1']
  const { error, output } = await new Promise<{ error: Error | null; output: string }>((done) => {
    const options = { cwd: folder, timeout: RUN_MS, maxBuffer: 1 << 26 }
    execFile(TOOL, [...words, ...more, '--continue-on-failure'], options, (failure, stdout) =>
      done({ error: failure, output: stdout }),
    )
  })
  await served.close()
  rmSync(folder, { recursive: true, force: true })
  const explained = JSON.parse(
    readFileSync('packages/server/test/http/openapi/explained.json', 'utf8'),
  ) as readonly Explained[]
  const reports = reportsIn(output)
  const open = reports.filter((report) => !explained.some((each) => isExplained(report, each)))
  const [summary = 'no summary'] = /^\s*\d+ generated.*$/m.exec(output) ?? []
  process.stdout.write(`${summary.trim()}; ${reports.length} reports, ${open.length} of them unexplained\n`)
  for (const each of open) process.stdout.write(`${JSON.stringify(each)}\n`)
  // It ends with 1 for failures. Errors of its own, or an end before the summary, are not explained by anything.
  const isWhole = summary !== 'no summary' && !/^=+ ERRORS =+$/m.test(output)
  if (isWhole && open.length === 0 && (error === null || reports.length > 0)) return
  process.stdout.write(isWhole ? '' : output.slice(-4_000))
  process.exitCode = 1
}

await main()
