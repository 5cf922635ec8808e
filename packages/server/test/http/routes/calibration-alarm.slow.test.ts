/** Right risks raise no alarm, whichever outcomes are missing, late or sent twice. */
import { OTHER_WAYS, raisesNone } from './fed-months.ts'

raisesNone(OTHER_WAYS)
