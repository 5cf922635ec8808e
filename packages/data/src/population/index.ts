/** What other packages use of @patient-risk/data/population. */
export { type ExportFolder, openExport } from './export-folder.ts'
export type { PatientBundle } from './patient-bundle.ts'
export { Population } from './population.ts'
