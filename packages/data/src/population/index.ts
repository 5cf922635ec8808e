/** What other packages use of @patient-risk/data/population. */
export { type ExportFolder, openExport } from './export-folder.ts'
export { type PatientBundle, Population } from './population.ts'
