/** `patient-risk learn checklist`: prints a model's TRIPOD+AI checklist, or the page on its intended use. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseJson } from 'patient-risk-engine/read'
import { intendedUsePage, tripodChecklist, type Report, SPECIFICATION_FILE } from '@patient-risk/data/learn'
import { learnCommand } from './learn-command.ts'
import { modelNamed } from './options.ts'

export const learnChecklist = learnCommand(
  { texts: ['model'], flags: ['intended-use'], required: ['model'] },
  (values, open) => {
    const { catalog, print } = open()
    const { definition: model, file } = modelNamed(catalog, values.model)
    const folder = dirname(file)
    const path = join(folder, 'report.json')
    const report = existsSync(path) ? (parseJson(readFileSync(path, 'utf8')) as Report) : undefined
    const input = { model, hasSpecification: existsSync(join(folder, SPECIFICATION_FILE)), report }
    return print(values['intended-use'] === true ? intendedUsePage(input) : tripodChecklist(input))
  },
)
