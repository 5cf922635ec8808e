/** `patient-risk learn checklist`: prints a model's TRIPOD+AI checklist, or the page on its intended use. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { intendedUsePage, tripodChecklist } from '../../learn/report/checklist.ts'
import type { Report } from '../../learn/report/report.ts'
import { SPECIFICATION_FILE } from '../../learn/data/specification.ts'
import { learnCommand } from './learn-command.ts'
import { modelNamed } from './options.ts'

export const learnChecklist = learnCommand({
  usage: 'learn checklist --model NAME [--intended-use]',
  about: `Prints the TRIPOD+AI checklist of a model as Markdown, filled in from its card, its report and
its specification, and open where the tool cannot know. With --intended-use it prints the page
that says what the model is for and what must still be done before clinical use.`,
  options: {
    model: ['NAME', 'readmission30, or readmission30@1.0.3'],
    'intended-use': ['', 'print the page on intended use'],
  },
  required: ['model'],
  run(values, open) {
    const { catalog, print } = open()
    const { definition: model, file } = modelNamed(catalog, values.model)
    const folder = dirname(file)
    const path = join(folder, 'report.json')
    const report = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Report) : undefined
    const input = { model, hasSpecification: existsSync(join(folder, SPECIFICATION_FILE)), report }
    const page = values['intended-use'] === true ? intendedUsePage(input) : tripodChecklist(input)
    return Promise.resolve(print(page))
  },
})
