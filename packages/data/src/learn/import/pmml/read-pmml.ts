/** Reads PMML 4.2 to 4.4: the model as a sum of terms over the features of the file. */
import { fieldsOf, type ModelDefinition, type TermDefinition, nextUp } from 'patient-risk-engine/definition'
import { type ModelReader, stated } from '../source.ts'
import { Known, questionsIn } from './cases.ts'
import { modelIn, outcomeOf } from './models.ts'
import { type PmmlFile, byName, codesOf, isNumber, stateOf } from './scope.ts'
import { termsOf } from './terms.ts'
import { isAmount } from './values.ts'
import { readXml } from './xml.ts'

export const readPmml: ModelReader = (text, options) => {
  const top = readXml(text)
  if (top.name !== 'PMML') top.refuse('is not PMML')
  if (!/^4\.[234]/.test(top.string('version'))) top.refuse('only the versions 4.2, 4.3 and 4.4 are read')
  const model = modelIn(top)
  const fields = byName(top.need('DataDictionary').all('DataField'))
  const schema = byName(model.need('MiningSchema').all('MiningField'))
  const transformations = top.first('TransformationDictionary')
  const states = new Map(
    [...fields].map(([name, field]) => [
      name,
      stateOf(field, schema.get(name), options.mayBeAbsent?.(name) ?? true),
    ]),
  )
  const file: PmmlFile = {
    options,
    fields,
    derived: byName(transformations?.all('DerivedField') ?? []),
    known: new Known((name) => states.get(name) ?? model.refuse(`names ${name}, which is no field here`)),
  }
  const outcome = outcomeOf(model, file)
  const sum = isAmount(outcome.amount) ? outcome.amount.sum : [{ coefficient: outcome.amount, factors: [] }]
  const questions = sum.flatMap(({ factors }) =>
    factors.flatMap((factor) => ('cases' in factor ? questionsIn(factor.cases) : [])),
  )
  const asked = Map.groupBy(questions, ({ field }) => field)
  const codesAsked = (name: string): readonly string[] =>
    asked.get(name)?.flatMap((question) => ('codes' in question ? question.codes : [])) ?? []
  const codes = new Map(
    [...fields].flatMap(([name, field]) => {
      if (isNumber(field)) return []
      const isOpen = states.get(name)?.only === undefined && field.get('dataType') !== 'boolean'
      return [[name, { list: codesOf(field) ?? [...new Set(codesAsked(name))], isOpen }] as const]
    }),
  )
  const { constant, terms } = termsOf(sum, codes, model)
  const application = top.first('Header')?.first('Application')
  const used = new Set(terms.flatMap(fieldsOf))
  const features = [...fields.keys()].filter((name) => used.has(name))
  return {
    tool: [application?.get('name') ?? 'PMML', application?.get('version')].filter(Boolean).join(' '),
    features: features.map((name) => {
      const known = codes.get(name)
      if (known?.isOpen === true) return { name, kind: 'unknown' }
      if (known !== undefined) return { name, kind: 'code', codes: known.list }
      const { from, edge } = file.known.stateOf(name)
      const range = { ...(from > -Infinity && { from }), ...(edge < Infinity && { to: -nextUp(-edge) }) }
      return { name, kind: 'number', ...range }
    }),
    ...withConstant(
      outcome.link.kind === 'identity' ? (stated(options, 'link') ?? outcome.link) : outcome.link,
      constant,
      terms,
    ),
  }
}

/** The constant of the sum, in the link where it has a place for it. */
function withConstant(
  link: ModelDefinition['link'],
  constant: number,
  terms: readonly TermDefinition[],
): { readonly link: ModelDefinition['link']; readonly terms: readonly TermDefinition[] } {
  if (link.kind === 'logistic') return { link: { ...link, intercept: link.intercept + constant }, terms }
  const hazard = link.kind === 'survival' ? -Math.log(link.baseline) * Math.exp(link.rate * constant) : 0
  // Near to 0 and to 1, a baseline has too few digits left.
  if (link.kind === 'survival' && hazard > 1e-4 && hazard < 30)
    return { link: { ...link, baseline: Math.exp(-hazard) }, terms }
  return {
    link,
    terms: constant === 0 ? terms : [...terms, { kind: 'trees', combine: 'sum', trees: [[constant]] }],
  }
}
