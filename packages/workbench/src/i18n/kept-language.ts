/** The language that the reader chose, for a reload of the tab. Signing out forgets it. */
import { keptText } from '../storage.ts'

export const keptLanguage = keptText('tab', 'patient-risk-language')
