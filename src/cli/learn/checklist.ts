/** `patient-risk learn checklist`: a model's TRIPOD+AI checklist, or its page on intended use. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { intendedUsePage, tripodChecklist } from '../../learn/checklist.ts'
import type { Report } from '../../learn/report/report.ts'
import { SPECIFICATION_FILE } from '../../learn/specification.ts'
import { type Command, readWords } from '../command.ts'
import { inContext } from './context.ts'
import { LEARN_HELP } from './help.ts'
import { modelNamed, required } from './options.ts'

export const learnChecklist: Command = {
  help: LEARN_HELP.checklist,
  run(words) {
    const { values } = readWords(words, { model: { type: 'string' }, 'intended-use': { type: 'boolean' } })
    const name = required('model', values.model)
    return inContext(undefined, ({ catalog }) => {
      const { definition: model, file } = modelNamed(catalog, name)
      const folder = dirname(file)
      const path = join(folder, 'report.json')
      const report = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Report) : undefined
      const input = {
        model,
        hasSpecification: existsSync(join(folder, SPECIFICATION_FILE)),
        ...(report === undefined ? {} : { report }),
      }
      process.stdout.write(values['intended-use'] === true ? intendedUsePage(input) : tripodChecklist(input))
      return Promise.resolve(0)
    })
  },
}
