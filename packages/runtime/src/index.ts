/** What other packages use of @patient-risk/runtime. */
export { type Clock, calendarOf, isoTime, systemClock } from './clock.ts'
export {
  QueueSeal,
  type Seal,
  digestOf,
  fingerprintOf,
  makeSeal,
  sealOfRequest,
  sealRequestId,
} from './digest.ts'
export {
  AppError,
  CallerLeft,
  ERRORS,
  type ErrorCode,
  LateError,
  StoreError,
  appErrorOf,
  describeBug,
  invalid,
} from './errors.ts'
export { type FileLock, isHeld, lockFile } from './files/lock-file.ts'
export { makeFolders } from './files/make-folders.ts'
export { packageVersion } from './files/package-version.ts'
export { type TempFolder, makeTempFolder } from './files/temp-folder.ts'
export { BufferPool, POOLED_BYTES, freeNow } from './workers/buffer-pool.ts'
export {
  SEALED_EXTRA_BYTES,
  newDataKey,
  openBytes,
  openDataKey,
  sealBytes,
  sealDataKey,
  receiptKeyOf,
} from './sealed-bytes.ts'
export { type Answered, ThreadPool, serveJobs, threadEntry, threadEnv } from './workers/pool.ts'
export {
  type CallLimit,
  CommitClaims,
  NO_LIMIT,
  Rpc,
  type RpcPort,
  portOf,
  withinLimit,
} from './workers/rpc.ts'
