/** What a service says about a sender's feed. The engine alone has no sender to watch, so its answers cannot say it. */
import assert from 'node:assert/strict'

const NOTICE = String.raw`\{"code":"feed-doubt","field":"([^"]*)","text":"(?:[^"\\]|\\.)*"\}`
/** With the comma after it, or else with the one before it: what is left has the bytes of a list without it. */
const NOTICE_IN_LIST = new RegExp(`${NOTICE},|,?${NOTICE}`, 'g')

/** The text of an answer without these notices. Every one of them must be of a field that the header of the answer names. */
export function withoutFeedDoubts(text: string, header: string | undefined): string {
  const doubted = new Set(header?.split(', ').map((each) => each.split(';')[0]))
  return text.replace(NOTICE_IN_LIST, (_notice, first?: string, second?: string) => {
    const field = first ?? second ?? ''
    assert.ok(doubted.has(field), `${field} has a notice, and the header does not name it: ${header}`)
    return ''
  })
}
