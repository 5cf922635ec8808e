/** Every statement that was printed before the tree of expressions answers as the one of today. */
import { agreeWithRecorded, useRecorded } from './compare-recorded.ts'
import { recordedStatements } from './recorded.ts'

agreeWithRecorded(recordedStatements(), 400, useRecorded())
