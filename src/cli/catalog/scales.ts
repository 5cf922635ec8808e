/** `patient-risk scales`: lists the scales of the catalogue, or shows one with its fields. */
import type { Catalog } from '../../catalog/catalog.ts'
import { scalePage } from '../../catalog/pages/scale-page.ts'
import { type Domain } from '../../definition/domain.ts'
import { scaleParts } from '../../definition/scale-domains.ts'
import type { ScaleDefinition } from '../../definition/scale.ts'
import { textTable } from '../output/text-table.ts'
import { type Command, UsageError, parseArguments } from '../command.ts'
import { loadOrFaults, printUnknown } from './load-catalog.ts'

export const scales: Command = {
  help: `Usage: patient-risk scales [NAME] [--json]

Without a name: every scale of the package and of the folders that CONFIG names.
With a name (barthel): its items and permitted values, how the total is formed, bands, variants and source.

Options:
  --json    print JSON in place of text

Exit codes: 0 shown, 1 no such scale or a refused file, 2 wrong usage.`,
  run(args) {
    const { positionals, values } = parseArguments(args, { flags: ['json'] }, true)
    if (positionals.length > 1) throw new UsageError('One name at a time.')
    const catalog = loadOrFaults()?.catalog
    if (catalog === undefined) return 1
    const [name] = positionals
    if (name === undefined) return listScales(catalog, values.json === true)
    const scale = catalog.scales.get(name)
    if (scale === undefined) {
      printUnknown('scale', name, catalog.scales.keys())
      return 1
    }
    process.stdout.write(
      values.json === true ? `${JSON.stringify(shown(scale))}\n` : scalePage(catalog, scale),
    )
    return 0
  },
}

function listScales(catalog: Catalog, asJson: boolean): number {
  const all = [...catalog.scales.values()]
  if (asJson) {
    const rows = all.map(({ id, version, title, verified }) => ({ id, version, title, verified }))
    process.stdout.write(`${JSON.stringify(rows)}\n`)
    return 0
  }
  const rows = all.map(({ id, version, title, items, verified }) => [
    id,
    String(version),
    title,
    String(Object.keys(items).length),
    verified ? 'yes' : 'NO',
  ])
  process.stdout.write(textTable(['SCALE', 'VERSION', 'TITLE', 'ITEMS', 'VERIFIED'], rows))
  return 0
}

/** The file, and what follows from it: every field with what it may hold. */
function shown(scale: ScaleDefinition): object {
  const fields = scaleParts(scale).map(({ name, role, domain }) => ({
    name: `${scale.id}_${name}`,
    role,
    ...permitted(domain),
  }))
  return { ...scale, fields }
}

function permitted(domain: Domain): object {
  if (domain.kind === 'list') return { values: domain.values }
  if (domain.kind === 'code') return { values: [...domain.codes.keys()] }
  return domain.kind === 'integer' || domain.kind === 'decimal'
    ? { minimum: domain.from, maximum: domain.to }
    : {}
}
