/** Checks a model's definition against the fields and scales that it names. */
import { type Domain, narrow, permits, rangeOf } from '../domain.ts'
import type { FaultList } from '../fault.ts'
import { type InputDefinition, type ModelDefinition, ModelFile } from '../model.ts'
import type { ScaleDefinition } from '../scale.ts'
import { checkLink } from './check-link.ts'
import { checkProfile } from './check-profile.ts'
import { hasShape } from './check-shape.ts'
import { checkTerms } from './check-terms.ts'

/** What a model may name: every field of the catalogue with what it may hold, and the scales. */
export interface Vocabulary {
  readonly domains: ReadonlyMap<string, Domain>
  readonly scales: ReadonlyMap<string, ScaleDefinition>
}

export function checkModel(
  value: unknown,
  vocabulary: Vocabulary,
  faults: FaultList,
): ModelDefinition | undefined {
  if (!hasShape(ModelFile, value, faults)) return undefined
  const model = value as ModelDefinition
  const inputs = checkInputs(model, vocabulary, faults)
  checkScales(model, vocabulary, faults)
  checkTerms(model, inputs, faults)
  if (model.profile !== undefined) checkProfile(model.profile, inputs, faults)
  if (faults.faults.length === 0) checkLink(model, inputs, faults)
  return faults.faults.length === 0 ? model : undefined
}

/** What each input may hold in this model: the field's domain, narrowed to the model's population. */
function checkInputs(
  model: ModelDefinition,
  vocabulary: Vocabulary,
  faults: FaultList,
): ReadonlyMap<string, Domain> {
  const inputs = new Map<string, Domain>()
  for (const [name, input] of Object.entries(model.inputs)) {
    const path = `/inputs/${name}`
    const domain = vocabulary.domains.get(name)
    if (domain === undefined) {
      faults.add(path, 'unknown-field', `there is no field called ${name}`)
      continue
    }
    const narrowed = narrow(domain, input)
    checkNarrowing(path, domain, input, faults)
    if (isEmpty(narrowed)) faults.add(path, 'narrowing', 'leaves no value that the input could have')
    checkAbsence(path, narrowed, input, faults)
    inputs.set(name, narrowed)
  }
  return inputs
}

/** A model uses a field as the field allows, for a narrower population. */
function checkNarrowing(path: string, domain: Domain, input: InputDefinition, faults: FaultList): void {
  const range = rangeOf(domain)
  const { from, to, values } = input
  if (range === undefined && (from !== undefined || to !== undefined)) {
    faults.add(path, 'narrowing', '`from` and `to` narrow numbers only')
  }
  if (domain.kind !== 'code' && values !== undefined)
    faults.add(path, 'narrowing', '`values` narrows codes only')
  if (domain.kind === 'code') {
    for (const code of values ?? []) {
      if (!domain.codes.has(code)) faults.add(`${path}/values`, 'narrowing', `the field has no code ${code}`)
    }
  }
  if (range === undefined) return
  if (from !== undefined && from < range.from) {
    faults.add(`${path}/from`, 'narrowing', `the field itself starts at ${range.from}`)
  }
  if (to !== undefined && to > range.to) {
    faults.add(`${path}/to`, 'narrowing', `the field itself ends at ${range.to}`)
  }
  if (domain.kind === 'integer' && !(Number.isInteger(from ?? 0) && Number.isInteger(to ?? 0)))
    faults.add(path, 'narrowing', 'a field of whole numbers is narrowed by whole numbers')
}

/** Absence may mean something only when the file says what, and why. */
function checkAbsence(path: string, domain: Domain, input: InputDefinition, faults: FaultList): void {
  if (input.whenAbsent === undefined) {
    if (input.why !== undefined)
      faults.add(`${path}/why`, 'absence', '`why` explains `whenAbsent`, which is not given')
    return
  }
  if (input.why === undefined) faults.add(path, 'absence', 'says what absence means, but not why')
  if (!holds(domain, input.whenAbsent)) {
    faults.add(`${path}/whenAbsent`, 'absence', 'is not a value that the input may have')
  }
}

function holds(domain: Domain, value: number | boolean | string): boolean {
  switch (domain.kind) {
    case 'integer':
      return Number.isInteger(value) && permits(domain, value as number)
    case 'decimal':
      return typeof value === 'number' && value >= domain.from && value <= domain.to
    case 'list':
      return typeof value === 'number' && permits(domain, value)
    case 'code':
      return typeof value === 'string' && domain.codes.has(value)
    case 'yesNo':
      return typeof value === 'boolean'
    case 'date':
      return false
  }
}

function isEmpty(domain: Domain): boolean {
  if (domain.kind === 'list') return domain.values.length === 0
  if (domain.kind === 'code') return domain.codes.size === 0
  return (domain.kind === 'integer' || domain.kind === 'decimal') && domain.from > domain.to
}

/** A model names the scales that it rests on, so that its digest fixes them too. */
function checkScales(model: ModelDefinition, vocabulary: Vocabulary, faults: FaultList): void {
  const used = new Set<string>()
  for (const name of Object.keys(model.inputs)) {
    const prefix = name.split('_')[0] ?? ''
    if (name.includes('_') && vocabulary.scales.has(prefix)) used.add(prefix)
  }
  for (const id of used) {
    if (model.scales?.[id] === undefined)
      faults.add('/scales', 'scales', `does not name the version of ${id}, which it uses`)
  }
  for (const [id, version] of Object.entries(model.scales ?? {})) {
    const scale = vocabulary.scales.get(id)
    if (scale === undefined)
      faults.add(`/scales/${id}`, 'unknown-scale', `there is no valid scale called ${id}`)
    else if (!used.has(id)) faults.add(`/scales/${id}`, 'scales', 'no input comes from this scale')
    else if (scale.version !== version) {
      faults.add(`/scales/${id}`, 'scale-version', `the catalogue has version ${scale.version}`)
    } else if (!scale.verified) {
      faults.add(
        `/scales/${id}`,
        'unverified-scale',
        'a model may not rest on numbers that nobody could confirm',
      )
    } else checkItemsVerified(model, scale, faults)
  }
}

/** An item that nobody could confirm may not be an input, nor add anything but 0 to a figure that is one. */
function checkItemsVerified(model: ModelDefinition, scale: ScaleDefinition, faults: FaultList): void {
  const doubtful = Object.entries({ ...scale.items, ...scale.measures }).filter(
    ([, { verified }]) => verified === false,
  )
  for (const name of Object.keys(model.inputs)) {
    if (!name.startsWith(`${scale.id}_`)) continue
    const part = name.slice(scale.id.length + 1)
    const rests =
      Object.hasOwn(scale.items, part) || Object.hasOwn(scale.measures ?? {}, part)
        ? doubtful.some(([item]) => item === part)
        : doubtful.some(([, item]) => !('values' in item) || item.values.some((value) => value !== 0))
    if (rests) {
      faults.add(`/inputs/${name}`, 'unverified-item', 'rests on an item that nobody could confirm')
    }
  }
}
