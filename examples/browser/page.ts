/** The page: a form for one patient and a table for a CSV file. Values reach the document as text only, and never leave it. */
import {
  type PackedDeployment,
  type PatientRecord,
  type Result,
  type Risk,
  compile,
} from 'patient-risk-engine'
import { CsvError, readCsv } from './read-csv.ts'

/** The build puts the JSON of `patient-risk pack` here. */
declare const DEPLOYMENT: PackedDeployment

const SAMPLE = `idx,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays
1,84,F,2,1,7
2,84,F,2,1,-7
3,67,M,0,0,3
`
/** A longer table is scored as a whole, and shown up to here. */
const MOST_SHOWN = 1_000

const deployment = compile(DEPLOYMENT)
const inputs = Object.keys(DEPLOYMENT.model.inputs)

const find = (id: string): HTMLElement => document.getElementById(id) as HTMLElement
const make = (tag: string, text = '', className = ''): HTMLElement => {
  const element = document.createElement(tag)
  element.textContent = text
  element.className = className
  return element
}

/** Which day it is in the time zone of the deployment, as YYYYMMDD. */
function today(): number {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone: deployment.timeZone }).format(new Date())
  return Number(parts.replaceAll('-', ''))
}

function riskText(risk: Risk): string {
  return typeof risk === 'number' ? `${(risk * 100).toFixed(2)} %` : risk
}

function problemList({ error_message: problems }: Result<Risk>): HTMLElement {
  const list = make('ul', '', 'problems')
  for (const { ExtendError } of problems ?? []) list.append(make('li', ExtendError))
  return list
}

/** A form with a control for each input of the model. Numbers are typed as text, so that a wrong one is named and not swallowed. */
function buildForm(): void {
  for (const name of inputs) {
    const field = DEPLOYMENT.definitions.fields[name]
    if (field === undefined) continue
    const label = make('label', field.meaning.replace(/\.$/, ''))
    const window =
      field.window !== undefined && field.meaning.includes(field.window) ? undefined : field.window
    const without = field.excludes === undefined ? undefined : `without ${field.excludes}`
    const about = [window, without].filter((part) => part !== undefined).join('; ')
    if (about !== '') label.append(make('small', about))
    const control = document.createElement(field.type === 'code' ? 'select' : 'input')
    control.id = `field-${name}`
    control.name = name
    if (control instanceof HTMLInputElement) control.inputMode = 'decimal'
    else {
      control.append(new Option('', ''))
      if (field.type === 'code')
        for (const [code, meaning] of Object.entries(field.values)) control.append(new Option(meaning, code))
    }
    label.append(control)
    find('fields').append(label)
  }
}

function scoreForm(): void {
  const form = find('one') as HTMLFormElement
  const values = inputs.flatMap((name) => {
    const control = form.elements.namedItem(name) as HTMLInputElement | HTMLSelectElement
    const text = control.value.trim()
    const isNumber = control instanceof HTMLInputElement && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)
    return text === '' ? [] : [[name, isNumber ? Number(text) : text] as const]
  })
  const [result] = deployment.score([{ idx: 1, ...Object.fromEntries(values) }], today())
  if (result === undefined) return
  const wrong = new Set(result.error_message?.map(({ Field }) => Field))
  for (const name of inputs) find(`field-${name}`).setAttribute('aria-invalid', String(wrong.has(name)))
  const place = find('result')
  place.classList.toggle('bad', result.risk === null)
  const head =
    result.risk === null
      ? make('p', 'No risk: the record has a problem.')
      : make('p', riskText(result.risk), 'risk')
  const outcome = `Risk of readmission within ${DEPLOYMENT.model.card.horizonDays} days (${result.risk} in the API).`
  const what = result.risk === null ? [] : [make('p', outcome)]
  place.replaceChildren(head, ...what, ...(wrong.size > 0 ? [problemList(result)] : []))
}

function scoreCsv(text: string): void {
  const place = find('list')
  try {
    const records = readCsv(text)
    place.replaceChildren(...tableOf(records, deployment.score(records, today())))
  } catch (error) {
    if (!(error instanceof CsvError) && (error as { code?: unknown }).code === undefined) throw error
    place.replaceChildren(make('p', (error as Error).message, 'problems'))
  }
}

function tableOf(
  records: readonly PatientRecord[],
  results: readonly Result<Risk>[],
): readonly HTMLElement[] {
  const scored = results.filter(({ risk }) => risk !== null).length
  const rows = results.slice(0, MOST_SHOWN).map((result) => {
    const row = document.createElement('tr')
    const problems = make('td')
    problems.append(result.error_message === null ? 'none' : problemList(result))
    row.append(
      make('td', String(result.idx ?? '–')),
      make('td', result.risk === null ? 'no risk' : riskText(result.risk)),
      problems,
    )
    return row
  })
  const head = document.createElement('tr')
  head.append(...['idx', 'Risk', 'Problems'].map((name) => make('th', name)))
  const table = document.createElement('table')
  table.append(head, ...rows)
  const scroll = make('div', '', 'scroll')
  scroll.tabIndex = 0
  scroll.setAttribute('role', 'region')
  scroll.setAttribute('aria-label', 'Results of the file')
  scroll.append(table)
  const shown = records.length > MOST_SHOWN ? ` The first ${MOST_SHOWN} are shown.` : ''
  return [make('p', `${scored} of ${records.length} records have a risk.${shown}`), scroll]
}

buildForm()
find('columns').textContent = inputs.join(', ')
find('model').textContent = deployment.model
find('digest').textContent = deployment.digest
find('zone').textContent = deployment.timeZone
find('one').addEventListener('submit', (event) => {
  event.preventDefault()
  scoreForm()
})
// A result must not stand beside values that it was not made from.
find('one').addEventListener('input', () => find('result').replaceChildren())
find('file').addEventListener('change', (event) => {
  const input = event.target as HTMLInputElement
  const [file] = input.files ?? []
  // The same file may be chosen again after it was corrected.
  void file
    ?.text()
    .then(scoreCsv)
    .finally(() => (input.value = ''))
})
find('sample').addEventListener('click', () => scoreCsv(SAMPLE))
