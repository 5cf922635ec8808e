/**
 * Writes what learning has made, whole or not at all: the folder of a model that passed its checks, or a report. Files have
 * temporary names until all of them are written; then they are renamed. Ctrl-C waits for that rename.
 */
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type Catalog, tryModel, hasShape } from '@patient-risk/catalog'
import { digestOf, makeFolders } from '@patient-risk/runtime'
import { modelPage } from '@patient-risk/catalog/pages'
import { parseJson } from 'patient-risk-engine/read'
import { checkModel, FaultList, faultLine, type ModelDefinition } from 'patient-risk-engine/definition'
import { type MadeModel, SPECIFICATION_FILE, type Specification } from '@patient-risk/data/learn'
import { DataError } from '@patient-risk/data/tables'
import { NOT_BUILT, REPORT_RENDERER } from '../built-page.ts'

/** The exports of `packages/workbench/src/report/render-report.tsx`, so that types are checked without a build. */
interface ReportRenderer {
  readonly renderReport: (report: object) => string
  readonly renderMonitoring: (report: object) => string
  readonly renderFollowUp: (report: object) => string
}

/** Commands call it before their work, so that nothing is computed for a report that cannot be written. */
export async function loadRenderer(): Promise<ReportRenderer> {
  if (!existsSync(REPORT_RENDERER)) throw new DataError([`Reports are rendered with the page. ${NOT_BUILT}`])
  return (await import(REPORT_RENDERER.href)) as ReportRenderer
}

/** A model that was imported has no report, and one that was not fitted here no specification. */
interface WrittenModel extends Omit<MadeModel, 'report'>, Partial<Pick<MadeModel, 'report'>> {
  readonly specification?: Specification
}

/** Refuses a name that is taken, before any work is done for it. */
export function refuseTaken(catalog: Catalog, key: string, out: string, replace = false): void {
  if (replace) return
  const path = join(resolve(out), 'models', key)
  const reason = existsSync(path)
    ? `${path} exists already; a file that was used never changes, so raise the version, or say --replace`
    : `the catalogue has a model ${key} already; give this one another id or version, or say --replace to write it all the same`
  if (existsSync(path) || catalog.models.has(key)) throw new DataError([reason])
}

/** Writes OUT/models/id@version, after the model passed every check that a start would make. A report is rendered too. */
export function writeModel(
  catalog: Catalog,
  made: WrittenModel,
  out: string,
  renderReport?: ReportRenderer['renderReport'],
): string {
  const { definition, cases, report, specification } = made
  const key = `${definition.id}@${definition.version}`
  const known = catalog.models.get(key)?.definition
  const path = join(resolve(out), 'models', key)
  const text = printJson(definition)
  const digest = digestOf(text)
  const faults = new FaultList(key)
  const printed = parseJson(text) as ModelDefinition
  if (hasShape('model', { value: printed }, faults)) checkModel(printed, catalog, faults)
  const entry = {
    name: key,
    definition: { file: key, value: definition, digest },
    cases: { file: 'cases.json', value: cases, digest },
  }
  const trial = tryModel(definition, entry, catalog.definitions)
  const reasons = [...faults.faults, ...trial.faults].map(faultLine).concat(trial.failures)
  if (reasons.length > 0) throw new DataError(reasons)
  const json = report && printJson(report)
  const model = {
    definition,
    file: path,
    digest,
    released: false,
    selfCheckFailures: [],
    report: json === undefined ? undefined : { json, html: '' },
  }
  const whole = { ...catalog, models: new Map([...catalog.models, [key, model]]) }
  const files = {
    [`${definition.id}.json`]: text,
    'cases.json': printJson(cases),
    'README.md': modelPage(whole, model),
    ...(json !== undefined && { 'report.json': json }),
    ...(report && renderReport && { 'report.html': renderReport(report) }),
    ...(specification && { [SPECIFICATION_FILE]: printJson(specification) }),
  }
  writeWhole({ [path]: files })
  const core = ({ inputs, terms, link }: ModelDefinition): string => JSON.stringify([inputs, terms, link])
  const same =
    known === undefined
      ? ''
      : `  The catalogue's own ${key} has ${core(known) === core(definition) ? 'the same' : 'other'} inputs, terms and link.\n`
  return `Wrote ${path}\n  model   ${key}\n  digest  sha-256=:${digest}:\n  cases   ${cases.length}, all come out\n${same}`
}

/** What writes a report as FILE.html and FILE.json, where a file is named. */
export async function reportWriter(
  file: string | undefined,
  kind: keyof ReportRenderer,
): Promise<(report: object) => void> {
  if (file === undefined) return () => undefined
  const { [kind]: render } = await loadRenderer()
  const base = file.replace(/\.(html|json)$/, '')
  return (report) => {
    writeWhole({ [`${base}.json`]: printJson(report), [`${base}.html`]: render(report) })
    process.stderr.write(`Wrote ${base}.html and ${base}.json\n`)
  }
}

/** The report of a model's folder is served, so only a report of the same kind may take its place. */
export function refuseModelReport(file: string | undefined): void {
  if (file === undefined) return
  const isServed = existsSync(join(dirname(resolve(file)), 'cases.json'))
  if (isServed && basename(file).replace(/\.(html|json)$/, '') === 'report')
    throw new DataError([`${file}: is the report that the service shows of this model; give another name`])
}

/**
 * Writes files, and folders with their files, at their paths. Unfinished files have a name with a dot, which the catalogue
 * ignores if the machine stops here.
 */
export function writeWhole(targets: Readonly<Record<string, string | Record<string, string>>>): void {
  const unfinished = (path: string): string =>
    join(dirname(path), `.unfinished-${process.pid}-${basename(path)}`)
  const discard = (path: string): void => rmSync(path, { recursive: true, force: true })
  const wait = (): void => undefined
  let at = ''
  process.on('SIGINT', wait)
  process.on('SIGTERM', wait)
  try {
    for (const [path, content] of Object.entries(targets)) {
      at = path
      discard(unfinished(path))
      const isFile = typeof content === 'string'
      if (!isFile) makeFolders(unfinished(path))
      for (const [name, text] of Object.entries(isFile ? { '': content } : content))
        writeFileSync(join(unfinished(path), name), text)
    }
    for (const [path, content] of Object.entries(targets)) {
      at = path
      if (typeof content !== 'string') discard(path)
      renameSync(unfinished(path), path)
    }
  } catch (error) {
    for (const path of Object.keys(targets)) discard(unfinished(path))
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new DataError([`${at} cannot be written (${code})`])
  } finally {
    process.off('SIGINT', wait)
    process.off('SIGTERM', wait)
  }
}

const WIDTH = 110
/** An array of plain values as JSON.stringify writes it, one value a line: its indent, its key, its values, its comma. */
const PLAIN = /^( *)(.*)\[\n((?: *(?:"(?:[^"\\]|\\.)*"|[\w.+-]+),?\n)+) *\](,?)$/gm
const NUMBER = /^(-?\d|null$)/

/** JSON for people: objects one key a line, arrays of plain values on one line or filled lines, as the project's files have it. */
export function printJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2).replace(
    PLAIN,
    (all: string, indent: string, key: string, values: string, comma: string) => {
      const parts = values.trim().split(/,\n */)
      const line = `${indent}${key}[${parts.join(', ')}]`
      // Room for the comma that may follow a key and its values.
      if (line.length + Math.min(1, key.length) < WIDTH) return line + comma
      if (!parts.every((part) => NUMBER.test(part))) return all
      const filled = new RegExp(`(.{1,${WIDTH - indent.length - 2}})(?: |$)`, 'g')
      const lines = parts.join(', ').replace(filled, `${indent}  $1\n`)
      return `${indent}${key}[\n${lines}${indent}]${comma}`
    },
  )
  return `${text}\n`
}
