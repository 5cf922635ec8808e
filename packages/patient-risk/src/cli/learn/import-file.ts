/** Models that were made elsewhere: `learn template` starts a specification, `learn import` takes the model over. */
import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeFolders } from '@patient-risk/runtime'
import { FORMATS, recognised, importModel, templateFor } from '@patient-risk/data/learn'
import { DataError } from '@patient-risk/data/tables'
import { UsageError } from '../command.ts'
import { learnCommand } from './learn-command.ts'
import { madeSpecification } from './options.ts'
import { splitWarning } from './split-warning.ts'
import { printJson, refuseTaken, writeModel, writeWhole } from './write-output.ts'

function formatOf(file: string, from: string | undefined): string {
  if (from !== undefined && !FORMATS.includes(from))
    throw new UsageError(`--from is one of ${FORMATS.join(', ')}.`)
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    throw new DataError([`${file}: there is no such file`])
  const format = from ?? recognised(file)
  if (format !== undefined) return format
  throw new DataError([`${file}: the format is not recognised; say --from ${FORMATS.join(', --from ')}`])
}

function writeFields(out: string, fields: object): void {
  const path = join(resolve(out), 'fields.json')
  if (existsSync(path))
    throw new DataError([
      `${path} exists already, and does not have all fields of the model; name another folder, and move the fields that are drafted there into it`,
    ])
  makeFolders(resolve(out))
  writeWhole({ [path]: printJson(fields) })
  process.stderr.write(`Wrote ${path}; replace every text that begins with TODO.\n`)
}

export const learnTemplate = learnCommand(
  { texts: ['from', 'rows', 'out'], operands: true },
  async ({ from, rows, out }, open, file) => {
    if (file === undefined) throw new UsageError('Name the model file.')
    if (rows !== undefined && out === undefined)
      throw new UsageError('--rows goes with --out, the folder of the fields that are drafted.')
    const { catalog, print } = open(out)
    const draftsFields = out !== undefined
    const { specification, fields } = await templateFor(file, formatOf(file, from), catalog, {
      draftsFields,
      rows,
    })
    if (out !== undefined && fields !== undefined) writeFields(out, fields)
    return print(printJson(specification))
  },
)

export const learnImport = learnCommand(
  {
    texts: ['from', 'specification', 'coefficients', 'rows', 'expected', 'out'],
    flags: ['scaled', 'replace'],
    required: ['specification', 'rows', 'out'],
    operands: true,
  },
  async (values, open, given) => {
    const {
      coefficients,
      rows: path,
      expected: expectedColumn = 'risk',
      scaled: isScaled = false,
      out,
    } = values
    const file = given ?? coefficients
    if (file === undefined || (given !== undefined && coefficients !== undefined))
      throw new UsageError('Name one model file, or a table with --coefficients.')
    const context = open(out)
    const { catalog, print } = context
    const { model, data, import: part } = madeSpecification(values.specification, 'imported')
    refuseTaken(catalog, `${model.id}@${model.version}`, out, values.replace)
    const format = given === undefined ? 'coefficients' : formatOf(given, values.from)
    if (isScaled && format !== 'coefficients')
      throw new UsageError('--scaled goes with a table of coefficients.')
    const made = await importModel({
      ...context,
      model,
      data,
      path,
      part,
      file,
      format,
      isScaled,
      expectedColumn,
    })
    const kept = { data, ...(part && { import: part }) }
    const written = writeModel(catalog, { ...made, specification: kept }, out)
    const { rows, largestDifference, splits, bothSides, unproved, profile } = made.proof
    if (unproved.length > 0)
      process.stderr.write(
        `Warning: the rows say nothing about ${unproved.join(', ')}; add rows in which they vary.\n`,
      )
    const warning = splitWarning({ splits, bothSides })
    if (warning !== undefined) process.stderr.write(`Warning: ${warning}\n`)
    const lines = [
      `${rows} rows agree with the original; the largest difference is ${largestDifference.toExponential(1)}.`,
      ...(splits === 0 ? [] : [`They take ${bothSides} of ${splits} splits on both sides.`]),
      ...made.notes.map((note) => `Note: ${note}.`),
      ...(profile ? [] : [withoutProfile(part?.rows)]),
    ]
    return print(`${lines.join('\n')}\n${written}`)
  },
)

/** Why the model carries no profile, and what follows from that. */
function withoutProfile(rowsAre: 'training' | 'local' | 'proof' = 'proof'): string {
  const why =
    rowsAre === 'proof'
      ? 'The specification does not call the rows training data or local patients ("rows" in `import`)'
      : 'Fewer than 200 rows'
  return `${why}: the model carries no profile, so drift cannot be measured, and answers have no contributions.`
}
