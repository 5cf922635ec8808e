/** `patient-risk template`: a record for a model, with a placeholder in every field that must be filled in. */
import {
  type Catalog,
  findModel,
  makeDeployments,
  type FieldDescription,
  describeFields,
} from '@patient-risk/catalog'
import { permitted } from '@patient-risk/catalog/pages'
import { scaleForms } from 'patient-risk-engine/definition'
import { command, printOutput } from '../command.ts'
import { loadOrRefusal, unknownName } from './load-catalog.ts'

export const template = command(
  { flags: ['items', 'all', 'csv'], operands: 'Name one model.' },
  (values, [name = '']) => {
    const { config, catalog } = loadOrRefusal()
    const entry = config.deployments.find((each) => each.name === name)
    const units = entry === undefined ? {} : makeDeployments(catalog, [entry]).deployments[0]?.units
    const model = findModel(catalog, entry?.model ?? name)
    if (model === undefined) throw unknownName('model', name, catalog.models.keys())
    const described = describeFields(catalog, model.definition, units).fields
    const names = Object.entries(model.definition.inputs)
      .filter(([, input]) => values.all === true || input.whenAbsent === undefined)
      .flatMap(([each]) => (values.items === true ? itemsOf(catalog, each) : [each]))
    const fields = [...new Set(names)].flatMap((each) => described.find((field) => field.name === each) ?? [])
    const record = Object.fromEntries(fields.map((field) => [field.name, placeholder(field)]))
    const header = ['idx', ...fields.map((field) => field.name)].join(',')
    const body = JSON.stringify([{ idx: 1, ...record }], null, 2)
    return printOutput(`${values.csv === true ? header : body}\n`)
  },
)

/** The fields that a total follows from; any other field is listed itself. */
function itemsOf(catalog: Catalog, name: string): readonly string[] {
  const end = name.indexOf('_')
  const scale = catalog.scales.get(name.slice(0, end))
  if (scale === undefined || name.slice(end + 1) !== 'total') return [name]
  const forms = scaleForms(scale)
  const form = forms.find(({ coding }) => coding === scale.codings?.default) ?? forms[0]
  const coding = form?.coding === null || form?.coding === scale.codings?.default ? [] : ['coding']
  return [...coding, ...(form?.items.keys() ?? [])].map((part) => `${scale.id}_${part}`)
}

function placeholder(field: FieldDescription): string {
  const unit = field.unit === undefined ? '' : ` (${field.unit})`
  return `<${permitted(field).replaceAll('`', '')}${unit}>`
}
