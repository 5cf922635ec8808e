/** A patient of the body, and what belongs to it. */
import type { Entry } from './entry.ts'

export interface Subject {
  readonly patient: Entry
  /** The resources that name it as their subject. */
  readonly entries: readonly Entry[]
  /** Resources by their type that may belong to the patient and are not used: their subject is not clear, or they are not readable. */
  readonly leftOut: ReadonlyMap<string, readonly Entry[]>
  /** Resources of types that are not read, which name an Encounter that was not sent, and may be of the patient. */
  readonly naming: () => readonly Entry[]
  /** A resource of the patient that occurs twice with different content. */
  readonly conflict: Entry | undefined
  /** Another Patient with the same identifier: they may be one person. */
  readonly twin: Entry | undefined
  /** Whether the record was merged into another one, as it or the other one says. */
  readonly isReplaced: boolean
  /** Whether a link says that more of the patient is kept in another record. */
  readonly isElsewhere: boolean
}
