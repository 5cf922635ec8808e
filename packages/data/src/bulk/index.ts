/** What other packages use of @patient-risk/data/bulk. */
export { ChangedFolder } from './changed/changed-folder.ts'
export type { FolderReport } from './changed/folder-report.ts'
export { MANIFEST } from './changed/manifest.ts'
export { REASONS_TO_SCORE, type ReasonToScore } from './changed/plan-changes.ts'
export { CHUNKS_WITHOUT_THREADS, CHUNK_BYTES } from './lines/chunk-pool.ts'
export { type RowsShape, scoreLines, writeForm } from './lines/score-lines.ts'
export { PART_COLUMNS } from './output/publish.ts'
export { WriteError, tempNames, withOutputLock, writing } from './output/sink.ts'
export {
  type AnswerSource,
  CHANGE_COLUMN,
  type Progress,
  RESULT_PARTS,
  type ResultPart,
  type RunInput,
  SOURCE_COLUMNS,
  type ScoreRun,
} from './run.ts'
export { FUTURE_DATE, type InputDoubt, type RunReport, Summary, count } from './summary.ts'
export type { ColumnOptions } from './tables/table-source.ts'
