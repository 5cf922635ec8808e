/** Checks a model's definition against the fields and scales that it names. */
import { checkInput } from './check-input.ts'
import { checkLink } from './check-link.ts'
import { checkProfile } from './check-profile.ts'
import { type Choice, hasShape } from './check-shape.ts'
import { checkTerms } from './check-terms.ts'
import { type Domain, narrow } from '../domain.ts'
import type { FaultList } from '../fault.ts'
import { LINK_SCHEMAS, ORIGINAL_LINK_SCHEMAS } from '../link.ts'
import { type ModelDefinition, ModelFile } from '../model.ts'
import type { ScaleDefinition } from '../scale.ts'
import { SIMPLE_TERM_SCHEMAS, TERM_SCHEMAS } from '../term.ts'

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
    terms.forEach((term: unknown, index) => {
      const path = `/terms/${index}`
      choices.push({ path, value: term, by: 'kind', shapes: TERM_SCHEMAS })
      const factors = (term as { factors?: unknown } | null)?.factors
      if (!Array.isArray(factors)) return
      factors.forEach((factor: unknown, at) =>
        choices.push({
          path: `${path}/factors/${at}`,
          value: factor,
          by: 'kind',
          shapes: SIMPLE_TERM_SCHEMAS,
        }),
      )
    })
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
    checkInput(path, domain, input, faults)
    inputs.set(name, narrow(domain, input))
  }
  return inputs
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
