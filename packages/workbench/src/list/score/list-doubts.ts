/** Fields of a list that probably mean something else, as the header of an answer names them: also those that the model does not use. */
import { DOUBT_KINDS, list, type ListDoubt } from '../list-state.ts'

const HEADER = 'risk-feed-doubt'

/** The members of the structured list; units in quotes may hold commas and semicolons. */
export function doubtsIn(header: string | null): readonly ListDoubt[] {
  const plain = (header ?? '').replace(/"(?:[^"\\]|\\.)*"/g, '""')
  return plain.split(',').flatMap((member) => {
    const { field = '', kind = '' } = /^\s*(?<field>\w+);doubt=(?<kind>[a-z-]+)/.exec(member)?.groups ?? {}
    const known = DOUBT_KINDS.find((each) => each === kind)
    return known === undefined ? [] : [{ field, kind: known }]
  })
}

export function noteDoubts(headers: Headers): void {
  const doubts = doubtsIn(headers.get(HEADER))
  if (JSON.stringify(doubts) !== JSON.stringify(list.get().doubts)) list.patch({ doubts })
}
