/** Why a file could not be read, and where. */
import type { VNode } from 'preact'
import { useWords } from '../../i18n/words.ts'
import type { SheetFault } from './sheet.ts'

export function SheetFaultNote({ fault }: { readonly fault: SheetFault }): VNode {
  const { t, number } = useWords()
  return (
    <p class="notice bad" role="alert">
      {t(`list.fault.${fault.reason}`)}
      {fault.line !== undefined && ` ${t('list.fault.line', { line: number(fault.line) })}`}
    </p>
  )
}
