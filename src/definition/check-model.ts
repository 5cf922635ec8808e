/** Proves a model's definition sound against the fields and scales that it names. */
import { checkLink } from './check-link.ts'
import { checkProfile } from './check-profile.ts'
import { type Choice, hasShape } from './check-shape.ts'
import { checkTerms } from './check-terms.ts'
import { type Domain, narrow } from './domain.ts'
import type { FaultList } from './fault.ts'
import { LINK_SCHEMAS, ORIGINAL_LINK_SCHEMAS } from './link.ts'
import { type InputDefinition, type ModelDefinition, ModelFile } from './model.ts'
import type { ScaleDefinition } from './scale.ts'
import { TERM_SCHEMAS } from './term.ts'

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
  if (!hasShape(ModelFile, value, faults, choicesOf(value))) return undefined
  const model = value as ModelDefinition
  const inputs = checkInputs(model, vocabulary, faults)
  checkScales(model, vocabulary, faults)
  checkTerms(model, inputs, faults)
  if (model.profile !== undefined) checkProfile(model.profile, inputs, faults)
  if (faults.faults.length === 0) checkLink(model, inputs, faults)
  return faults.faults.length === 0 ? model : undefined
}

function choicesOf(value: unknown): readonly Choice[] {
  const { terms, link } = (value ?? {}) as { terms?: unknown; link?: unknown }
  const choices: Choice[] = [{ path: '/link', value: link, by: 'kind', shapes: LINK_SCHEMAS }]
  const original = (link as { kind?: unknown; of?: unknown } | null | undefined)?.of
  if (original !== undefined) {
    choices.push({ path: '/link/of', value: original, by: 'kind', shapes: ORIGINAL_LINK_SCHEMAS })
  }
  if (Array.isArray(terms)) {
    terms.forEach((term: unknown, index) =>
      choices.push({ path: `/terms/${index}`, value: term, by: 'kind', shapes: TERM_SCHEMAS }),
    )
  }
  return choices
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
    checkNarrowing(path, domain, input, faults)
    const narrowed = narrow(domain, input)
    checkAbsence(path, narrowed, input, faults)
    inputs.set(name, narrowed)
  }
  return inputs
}

function checkNarrowing(path: string, domain: Domain, input: InputDefinition, faults: FaultList): void {
  const isNumeric = domain.kind === 'integer' || domain.kind === 'decimal' || domain.kind === 'list'
  if (!isNumeric && (input.from !== undefined || input.to !== undefined)) {
    faults.add(path, 'narrowing', '`from` and `to` narrow numbers only')
  }
  if (domain.kind !== 'code' && input.values !== undefined)
    faults.add(path, 'narrowing', '`values` narrows codes only')
  if (domain.kind === 'code') {
    for (const code of input.values ?? []) {
      if (!domain.codes.has(code)) faults.add(`${path}/values`, 'narrowing', `the field has no code ${code}`)
    }
  }
  if (isNumeric) {
    const [low, high] =
      domain.kind === 'list' ? [domain.values[0], domain.values.at(-1)] : [domain.from, domain.to]
    if (input.from !== undefined && input.from < (low ?? 0)) {
      faults.add(`${path}/from`, 'narrowing', `the field itself starts at ${low}`)
    }
    if (input.to !== undefined && input.to > (high ?? 0)) {
      faults.add(`${path}/to`, 'narrowing', `the field itself ends at ${high}`)
    }
    if ((input.from ?? -Infinity) > (input.to ?? Infinity))
      faults.add(path, 'narrowing', '`from` lies above `to`')
  }
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
    case 'decimal':
      return typeof value === 'number' && value >= domain.from && value <= domain.to
    case 'list':
      return typeof value === 'number' && domain.values.includes(value)
    case 'code':
      return typeof value === 'string' && domain.codes.has(value)
    case 'yesNo':
      return typeof value === 'boolean'
    case 'date':
      return false
  }
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
      faults.add(`/scales/${id}`, 'unknown-scale', `there is no sound scale called ${id}`)
    else if (!used.has(id)) faults.add(`/scales/${id}`, 'scales', 'no input comes from this scale')
    else if (scale.version !== version) {
      faults.add(`/scales/${id}`, 'scale-version', `the catalogue has version ${scale.version}`)
    } else if (!scale.verified) {
      faults.add(
        `/scales/${id}`,
        'unverified-scale',
        'a model may not rest on numbers that nobody could confirm',
      )
    }
  }
}
