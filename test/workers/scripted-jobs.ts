/** A thread for tests: it does what the job says, even exit. */
import { AppError } from '../../src/errors.ts'
import { serveJobs } from '../../src/workers/pool.ts'

serveJobs(async (job) => {
  if (job === 'die') process.exit(3)
  if (job === 'throw') throw new Error('a patient called Miller')
  if (job === 'refuse') throw new AppError('BODY_NOT_ARRAY')
  if (job === 'wait') await new Promise((resolve) => setTimeout(resolve, 150))
  return { answer: job, transfer: [] }
})
