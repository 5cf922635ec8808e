/** The form for single rows on random tables of every model. */
import { MODELS } from './cases.ts'
import { agreeOnLookups, useLookups } from './lookup-tables.ts'

agreeOnLookups(useLookups(), MODELS, 1_000)
