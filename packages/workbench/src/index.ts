/** What other packages use of @patient-risk/workbench. */
export { parseArray, parseLines } from './list/read/read-json.ts'
