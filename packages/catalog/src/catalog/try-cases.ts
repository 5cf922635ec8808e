/** Runs the worked cases of a scale or a model, and reports those that fail. */
import { hasShape } from '../files/check-shape.ts'
import {
  type Fault,
  FaultList,
  type ModelDefinition,
  type ScaleDefinition,
} from 'patient-risk-engine/definition'
import type { ModelCaseDefinition, ScaleCaseDefinition } from '../schemas/cases.ts'
import {
  Assessor,
  type RecordResult,
  compileModel,
  type Definitions,
  makePlan,
  type Problem,
} from 'patient-risk-engine'
import type { Entry } from './read-folder.ts'

/** Cases are about values, not about the calendar: they are run on a fixed day. */
const CASE_DAY = 20260101
const EXACT = 1e-12
const OPTIONS = { today: CASE_DAY, reportUnknown: true, maxKeys: Infinity }

/** A scale that fails its own cases is a fault: every deployment would judge by it. */
export function tryScale(scale: ScaleDefinition, entry: Entry, definitions: Definitions): readonly Fault[] {
  if (entry.cases === undefined) return [noCases(entry)]
  const faults = new FaultList(entry.cases.file)
  if (!hasShape('scale-cases', entry.cases, faults)) return faults.faults
  const read = createScaleReader({ fields: definitions.fields, scales: [scale] })
  ;(entry.cases.value as ScaleCaseDefinition[]).forEach((example, index) => {
    const result = read(example.record)
    const wrong = problemsDiffer(example.problems, result.problems)
    if (wrong !== undefined) faults.add(`/${index}`, 'case', `“${example.name}”: ${wrong}`)
    for (const [field, expected] of Object.entries(example.computed ?? {})) {
      const figure = result.figure(field) ?? null
      const message = `“${example.name}”: expected ${expected}, got ${figure}`
      if (figure !== expected) faults.add(`/${index}/computed/${field}`, 'case', message)
    }
  })
  return faults.faults
}

/** With a failed case the model is loaded, and its deployments answer 503. A case file that cannot be run is a fault. */
export function tryModel(
  model: ModelDefinition,
  entry: Entry,
  definitions: Definitions,
): { readonly failures: readonly string[]; readonly faults: readonly Fault[] } {
  if (entry.cases === undefined) return { failures: [], faults: [noCases(entry)] }
  const faults = new FaultList(entry.cases.file)
  if (!hasShape('model-cases', entry.cases, faults)) return { failures: [], faults: faults.faults }
  const plan = makePlan(definitions, model)
  const compiled = compileModel(model, plan)
  const assessor = new Assessor(plan, compiled)
  const failures: string[] = []
  ;(entry.cases.value as ModelCaseDefinition[]).forEach((example, index) => {
    const result = assessor.assess({ idx: 0, ...example.record }, 0, OPTIONS)
    const wrong = caseDiffers(example, result, compiled.probability(result.score))
    if (wrong !== undefined)
      failures.push(`${model.id}@${model.version} fails its case ${index} “${example.name}”: ${wrong}`)
  })
  return { failures, faults: [] }
}

/** `exact` is the risk before rounding. */
function caseDiffers(example: ModelCaseDefinition, result: RecordResult, exact: number): string | undefined {
  const { risk, score, notRisk, notScore, unrounded } = example
  const problems = problemsDiffer(example.problems, result.problems)
  if (problems !== undefined) return problems
  const gotRisk = result.blocked ? null : result.risk
  const gotScore = Math.round(result.score * 1e9) / 1e9
  if (risk !== undefined && risk !== gotRisk) return `expected the risk ${risk}, got ${gotRisk}`
  if (score !== undefined && score !== gotScore) return `expected the score ${score}, got ${gotScore}`
  if (notRisk !== undefined && notRisk === gotRisk) return `gives the known wrong risk ${gotRisk}`
  if (notScore !== undefined && notScore === gotScore) return `gives the known wrong score ${gotScore}`
  if (unrounded !== undefined && !(Math.abs(exact - unrounded) <= EXACT))
    return `expected ${unrounded} before rounding, got ${exact}`
  return undefined
}

/** A case without problems expects none. */
function problemsDiffer(
  expected: ModelCaseDefinition['problems'],
  found: readonly Problem[],
): string | undefined {
  const lines = (problems: readonly Pick<Problem, 'field' | 'kind' | 'reason'>[] = []): readonly string[] =>
    problems.map(
      ({ field, kind, reason }) => `${kind} on ${field}${reason === undefined ? '' : ` (${reason})`}`,
    )
  const wanted = lines(expected)
  const got = lines(found)
  if (wanted.join('\n') === got.join('\n')) return undefined
  return `expected ${wanted.join('; ') || 'no problem'}, got ${got.join('; ') || 'no problem'}`
}

function noCases(entry: Entry): Fault {
  const file = (entry.definition?.file ?? entry.name).replace(/[^/\\]+$/, 'cases.json')
  return { file, path: '', rule: 'cases-missing', message: 'every definition brings its worked cases' }
}

export interface ScaleResult {
  readonly problems: readonly Problem[]
  /** A figure that is given or computed, in the scale's base form; undefined if it is absent or not trusted. */
  figure(field: string): number | undefined
}

/** Reads a record for its scales alone: which problems it has, and which figures follow. No model is involved. */
export function createScaleReader(definitions: Definitions): (record: object, today?: number) => ScaleResult {
  const plan = makePlan(definitions)
  const none = compileModel({ inputs: {}, terms: [], link: { kind: 'logistic', intercept: 0 } }, plan)
  const assessor = new Assessor(plan, none)
  return (record, today = CASE_DAY) => {
    const { problems } = assessor.assess({ idx: 0, ...record }, 0, { ...OPTIONS, today })
    return {
      problems,
      figure(field) {
        const slot = plan.slotByName.get(field)
        return slot !== undefined && assessor.slots.isUsable(slot) ? assessor.slots.valueOf(slot) : undefined
      },
    }
  }
}
