/** Spreadsheets, for the page and for `score`: it runs in a browser, too. */
export { readXlsxRows } from './read-xlsx.ts'
export { type Cell, SpreadsheetFault, type TableRow, type Workbook } from './spreadsheet.ts'
