/** Where a list comes in: dropped, chosen or pasted. It is read in the browser and sent nowhere yet. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import { watchEnd } from '../../session.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { list } from '../list-state.ts'
import { isSaved } from '../saved/saved-file.ts'
import { openSource } from './open-source.ts'
import { ReadOptionsForm } from './read-options-form.tsx'
import type { SheetFault } from './sheet.ts'
import { SheetFaultNote } from './sheet-fault-note.tsx'

export function DropZone({ catalogue }: { readonly catalogue: FieldCatalogue }): VNode {
  const { t } = useWords()
  const [isOver, setOver] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<SheetFault | undefined>(undefined)
  const [pasted, setPasted] = useState('')
  const take = async (name: string, bytes: Promise<ArrayBuffer> | Uint8Array): Promise<void> => {
    setBusy(true)
    const hasEnded = watchEnd()
    try {
      const read = new Uint8Array(await bytes)
      if (hasEnded()) return
      if (isSaved(read)) list.patch({ saved: read })
      else setFault(await openSource({ name, bytes: read }, catalogue))
    } finally {
      setBusy(false)
    }
  }
  const takeFile = (file: File | undefined): void => {
    if (file !== undefined) void take(file.name, file.arrayBuffer())
  }
  return (
    <>
      <div
        class={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          takeFile(event.dataTransfer?.files[0])
        }}
      >
        <Icon name="up" />
        <p class="empty-title">{t('list.drop')}</p>
        <p class="quiet">{t('list.kinds')}</p>
        <label class="button primary">
          {isBusy ? t('list.reading') : t('list.choose')}
          <input
            type="file"
            class="visually-hidden"
            accept=".csv,.tsv,.txt,.xlsx,.xls,.json,.ndjson,.jsonl,.prlist"
            disabled={isBusy}
            onChange={(event) => takeFile(event.currentTarget.files?.[0])}
          />
        </label>
      </div>
      {fault !== undefined && (
        <>
          <SheetFaultNote fault={fault} />
          <ReadOptionsForm catalogue={catalogue} fault={fault} onFault={setFault} />
        </>
      )}
      <div class="card paste">
        <label for="paste">{t('list.paste')}</label>
        <textarea
          id="paste"
          rows={5}
          spellcheck={false}
          autocomplete="off"
          placeholder={'id;age;sex;inpatientAdmissions;emergencyAdmissions;stayDays\n1;84;F;2;1;7'}
          value={pasted}
          onInput={(event) => setPasted(event.currentTarget.value)}
        />
        <Button
          disabled={pasted.trim() === '' || isBusy}
          onClick={() => void take(t('list.pastedName'), new TextEncoder().encode(pasted))}
          text={t('list.usePasted')}
        />
      </div>
      <p class="quiet">{t('list.privacy')}</p>
    </>
  )
}
