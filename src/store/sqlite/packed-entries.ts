/** Entries of the audit as one text, which crosses to the thread of the store far faster than as many objects do. */
import type { AuditEntry } from '../audit/audit-row.ts'

const LINES = 4

/** No part holds a line feed: ids are printable, and the text is JSON on one line. */
export function packEntries(entries: readonly AuditEntry[]): string {
  return entries
    .map(({ at, requestId, keyId, text }) => `${at}\n${requestId}\n${keyId ?? ''}\n${text}`)
    .join('\n')
}

export function unpackEntries(packed: string): readonly AuditEntry[] {
  const lines = packed.split('\n')
  const entries: AuditEntry[] = []
  for (let line = 0; line + LINES <= lines.length; line += LINES) {
    const [at, requestId, keyId, text] = lines.slice(line, line + LINES) as [string, string, string, string]
    entries.push({ at: Number(at), requestId, keyId: keyId === '' ? null : keyId, text })
  }
  return entries
}
