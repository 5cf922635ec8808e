/** Checks a model's definition against the fields and scales that it names. */
import { type Domain, type Domains, holds, narrow, rangeOf } from '../domain.ts'
import type { FaultList } from '../fault.ts'
import type { InputDefinition, ModelDefinition } from '../model.ts'
import type { ScaleDefinition } from '../scale.ts'
import { checkLink, checkProfile, checkTerms } from './check-terms.ts'

/** What a model may name: every field of the catalogue with what it may hold, and the scales. */
export interface Vocabulary {
  readonly domains: Domains
  readonly scales: ReadonlyMap<string, ScaleDefinition>
}

export function checkModel(model: ModelDefinition, vocabulary: Vocabulary, faults: FaultList): void {
  const inputs = checkInputs(model, vocabulary, faults)
  checkScales(model, vocabulary, faults)
  checkTerms(model, inputs, faults)
  if (model.profile !== undefined) checkProfile(model.profile, inputs, faults.at('/profile'))
  checkEstimates(model, inputs, faults.at('/estimates'))
  if (faults.faults.length === 0) checkLink(model, inputs, faults)
}

/** The covariance belongs to the columns, and the columns are terms of the inputs. */
function checkEstimates(model: ModelDefinition, inputs: Domains, faults: FaultList): void {
  if (model.estimates === undefined) return
  const { columns, covariance } = model.estimates
  if (model.link.kind !== 'logistic') faults.add('', 'link', 'only a logistic model has them')
  checkTerms({ ...model, terms: columns }, inputs, faults.at('/columns'))
  const rows = columns.length + 1
  const isTriangle = covariance.every((row, index) => row.length === index + 1)
  if (!isTriangle || covariance.length !== rows)
    faults.add('/covariance', 'covariance', `must be a triangle of ${rows} rows, one number in the first`)
}

/** What each input may hold in this model: the field's domain, narrowed to the model's population. */
function checkInputs(model: ModelDefinition, vocabulary: Vocabulary, faults: FaultList): Domains {
  const inputs = new Map<string, Domain>()
  for (const [name, input] of Object.entries(model.inputs)) {
    const here = faults.at(`/inputs/${name}`)
    const domain = vocabulary.domains.get(name)
    if (domain === undefined) {
      here.add('', 'unknown-field', `there is no field called ${name}`)
      continue
    }
    const narrowed = narrow(domain, input)
    checkNarrowing(domain, input, here)
    if (isEmpty(narrowed)) here.add('', 'narrowing', 'leaves no value that the input could have')
    checkAbsence(narrowed, input, here)
    inputs.set(name, narrowed)
  }
  return inputs
}

/** A model uses a field as the field allows, for a narrower population. */
function checkNarrowing(domain: Domain, { from, to, values }: InputDefinition, faults: FaultList): void {
  const range = rangeOf(domain)
  const add = (path: string, message: string): void => faults.add(path, 'narrowing', message)
  if (range === undefined && (from !== undefined || to !== undefined))
    add('', '`from` and `to` narrow numbers only')
  if (domain.kind !== 'code' && values !== undefined) add('', '`values` narrows codes only')
  for (const code of values ?? [])
    if (domain.kind === 'code' && !domain.codes.has(code)) add('/values', `the field has no code ${code}`)
  if (range === undefined) return
  if (from !== undefined && from < range.from) add('/from', `the field itself starts at ${range.from}`)
  if (to !== undefined && to > range.to) add('/to', `the field itself ends at ${range.to}`)
  if (domain.kind === 'integer' && !(Number.isInteger(from ?? 0) && Number.isInteger(to ?? 0)))
    add('', 'a field of whole numbers is narrowed by whole numbers')
}

/** Absence may mean something only when the file says what, and why. */
function checkAbsence(domain: Domain, { whenAbsent, why }: InputDefinition, faults: FaultList): void {
  const add = (path: string, message: string): void => faults.add(path, 'absence', message)
  if (whenAbsent === undefined) {
    if (why !== undefined) add('/why', '`why` explains `whenAbsent`, which is not given')
    return
  }
  if (why === undefined) add('', 'says what absence means, but not why')
  if (whenAbsent !== null && !holds(domain, whenAbsent))
    add('/whenAbsent', 'is not a value that the input may have')
}

function isEmpty(domain: Domain): boolean {
  if (domain.kind === 'list') return domain.values.length === 0
  if (domain.kind === 'code') return domain.codes.size === 0
  return (domain.kind === 'integer' || domain.kind === 'decimal') && domain.from > domain.to
}

/** A model names the scales that it rests on, so that its digest fixes them too. */
function checkScales(model: ModelDefinition, vocabulary: Vocabulary, faults: FaultList): void {
  const prefixes = Object.keys(model.inputs).flatMap((name) => name.split('_').slice(0, -1))
  const used = new Set(prefixes.filter((prefix) => vocabulary.scales.has(prefix)))
  for (const id of used) {
    if (model.scales?.[id] === undefined)
      faults.add('/scales', 'scales', `does not name the version of ${id}, which it uses`)
  }
  for (const [id, version] of Object.entries(model.scales ?? {})) {
    const scale = vocabulary.scales.get(id)
    const add = (rule: string, message: string): void => faults.add(`/scales/${id}`, rule, message)
    if (scale === undefined) add('unknown-scale', `there is no valid scale called ${id}`)
    else if (!used.has(id)) add('scales', 'no input comes from this scale')
    else if (scale.version !== version) add('scale-version', `the catalogue has version ${scale.version}`)
    else if (!scale.verified)
      add('unverified-scale', 'a model may not rest on numbers that nobody could confirm')
    else checkItemsVerified(model, scale, faults)
  }
}

/** An unconfirmed item may not be an input, nor add anything but 0 to a figure that is one. */
function checkItemsVerified(model: ModelDefinition, scale: ScaleDefinition, faults: FaultList): void {
  const all = Object.entries({ ...scale.items, ...scale.measures })
  const doubtful = all.filter(([, { verified }]) => verified === false)
  const matters = doubtful.some(([, item]) => !('values' in item) || item.values.some((value) => value !== 0))
  for (const name of Object.keys(model.inputs)) {
    if (!name.startsWith(`${scale.id}_`)) continue
    const isPart = ([part]: readonly [string, unknown]): boolean => name === `${scale.id}_${part}`
    if (all.some(isPart) ? doubtful.some(isPart) : matters)
      faults.add(`/inputs/${name}`, 'unverified-item', 'rests on an item that nobody could confirm')
  }
}
