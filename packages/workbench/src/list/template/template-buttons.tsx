/** Downloads of an empty list with the columns of the model. */
import type { VNode } from 'preact'
import { useWords } from '../../i18n/words.ts'
import { saveFile } from '../../save-file.ts'
import type { Loaded } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { csvTemplate, xlsxTemplate } from './list-template.ts'

export function TemplateButtons(loaded: Loaded): VNode {
  const words = useWords()
  const { t } = words
  const name = `${t('template.file')}-${loaded.model.id}`
  const saveXlsx = async (): Promise<void> => {
    const { writeXlsx } = await import('../export/write-xlsx.ts')
    saveFile(`${name}.xlsx`, await writeXlsx(xlsxTemplate(words, loaded)))
  }
  return (
    <div class="card template">
      <h2>{t('template.title')}</h2>
      <p>{t('template.lead')}</p>
      <div class="actions">
        <Button onClick={() => void saveXlsx()} text={t('template.xlsx')} />
        <Button
          onClick={() => saveFile(`${name}.csv`, csvTemplate(words, loaded), 'text/csv')}
          text={t('template.csv')}
        />
      </div>
    </div>
  )
}
