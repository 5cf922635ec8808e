/** What other packages use of patient-risk-engine/cells: how texts of a file are written, for the page and the command line alike. */
export { DATE_FORMS, type DateForm, dateForm, hasDecimalCommas, separatorIn } from './text-forms.ts'
