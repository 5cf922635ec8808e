/** What other packages use of patient-risk/cli. */
export { loadConfigured } from './catalog/load-catalog.ts'
export { UsageError } from './command.ts'
export { COMMANDS, run } from './commands.ts'
export { learnDrift, learnMonitor, learnValidate } from './learn/evaluate-model.ts'
export { learnFit } from './learn/make-model.ts'
export { printReport } from './learn/summary.ts'
export { loadRenderer, printJson, refuseTaken, writeModel, writeWhole } from './learn/write-output.ts'
export { readManual } from './manual.ts'
