/** The command line: every command there is. */
import { auditReplay } from './audit-replay.ts'
import { auditExport, auditList, auditVerify } from './audit.ts'
import { check } from './check.ts'
import type { Command } from './command.ts'
import { keysCreate, keysList, keysRevoke, keysRotate } from './keys.ts'
import { learnDrift } from './learn-drift.ts'
import { learnFit } from './learn-fit.ts'
import { learnRecalibrate } from './learn-recalibrate.ts'
import { learnValidate } from './learn-validate.ts'
import { models } from './models.ts'
import { run } from './run.ts'
import { scales } from './scales.ts'
import { score } from './score.ts'
import { serve } from './serve.ts'
import { template } from './template.ts'

const COMMANDS: readonly Command[] = [
  serve,
  score,
  keysCreate,
  keysList,
  keysRotate,
  keysRevoke,
  auditList,
  auditVerify,
  auditExport,
  auditReplay,
  check,
  models,
  scales,
  template,
  learnFit,
  learnValidate,
  learnRecalibrate,
  learnDrift,
]

process.exitCode = await run(COMMANDS, process.argv.slice(2))
