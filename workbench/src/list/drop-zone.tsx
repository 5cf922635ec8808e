/** Where a list comes in: dropped, chosen or pasted. It is read in the browser and goes nowhere yet. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { lookUp } from '../i18n/translate.ts'
import { useWords } from '../i18n/words.ts'
import { preferences } from '../preferences.ts'
import type { Field, FieldCatalogue } from '../shapes/fields.ts'
import { Icon } from '../ui/icon.tsx'
import { list } from './list-state.ts'
import { rememberedMatches, suggestMatches } from './match-columns.ts'
import { decodeText, readSheet } from './read-sheet.ts'
import { SheetFault } from './sheet.ts'

export function DropZone({ catalogue }: { readonly catalogue: FieldCatalogue }): VNode {
  const { t } = useWords()
  const [isOver, setOver] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<SheetFault | undefined>(undefined)
  const [pasted, setPasted] = useState('')
  const take = async (name: string, text: Promise<string> | string): Promise<void> => {
    setBusy(true)
    setFault(undefined)
    try {
      const sheet = await readSheet(name, await text)
      const matches = suggestMatches(sheet.columns, catalogue.fields, aliasesOf, rememberedMatches())
      list.patch({ stage: 'matching', sheet, matches })
    } catch (error) {
      if (!(error instanceof SheetFault)) throw error
      setFault(error)
      setBusy(false)
    }
  }
  const takeFile = (file: File | undefined): void => {
    if (file !== undefined) void take(file.name, file.arrayBuffer().then(decodeText))
  }
  const takePasted = (): void => void take(t('list.pastedName'), pasted)
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
            accept=".csv,.tsv,.txt,.json,.ndjson,.jsonl"
            disabled={isBusy}
            onChange={(event) => takeFile(event.currentTarget.files?.[0])}
          />
        </label>
      </div>
      {fault !== undefined && (
        <p class="notice bad" role="alert">
          {t(`list.fault.${fault.reason}`)}
          {fault.line !== undefined && ` ${t('list.fault.line', { line: fault.line })}`}
        </p>
      )}
      <div class="card paste">
        <label for="paste">{t('list.paste')}</label>
        <textarea
          id="paste"
          rows={5}
          spellcheck={false}
          placeholder={'id;age;sex;inpatientAdmissions;emergencyAdmissions;stayDays\n1;84;F;2;1;7'}
          value={pasted}
          onInput={(event) => setPasted(event.currentTarget.value)}
        />
        <button type="button" disabled={pasted.trim() === '' || isBusy} onClick={takePasted}>
          {t('list.usePasted')}
        </button>
      </div>
      <p class="quiet">{t('list.privacy')}</p>
    </>
  )
}

/** The other names of a field: those of the message files, in both languages, whichever is shown. */
function aliasesOf(field: Field): readonly string[] {
  const { language } = preferences.get()
  return (['en', 'es'] as const)
    .toSorted((a, b) => Number(b === language) - Number(a === language))
    .flatMap((each) => [
      lookUp(each, `field.${field.name}`) ?? '',
      ...(lookUp(each, `alias.${field.name}`) ?? '').split(','),
    ])
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
