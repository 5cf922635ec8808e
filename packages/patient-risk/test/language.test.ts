/** `--language`: what people read is in that language, and codes, names and exit codes stay. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { inFolder, runHere } from '../../../test/support/run-command.ts'

/** Words · exit code · what is printed. */
const SAID = [
  [['models', '--language', 'pt'], 0, /^lace@\S+ +Índice LACE, 2010/m],
  [['scales', '--language', 'ca'], 0, /^barthel +\d+ +Índex de Barthel/m],
  [['scales', '--language', 'pt'], 0, /^ESCALA +VERSÃO +TÍTULO +ITENS +VERIFICADA/],
  [
    ['models', 'walter', '--language', 'es'],
    0,
    /## El umbral y lo que cuesta[^]*\n2 puntos si `congestiveHeartFailure` es/,
  ],
  [['scales', 'barthel', '--language', 'pt'], 0, /`barthel_feeding` +\| Comer [^]*dependência grave/],
  [['models', '--language', 'xx'], 1, /There is no language called xx\. There are en, ca, es, pt\./],
] as const

for (const [args, expected, said] of SAID) {
  test(`patient-risk ${args.join(' ')}`, async () => {
    const { code, out, err } = await runHere([...args])
    assert.equal(code, expected, err)
    assert.match(expected === 0 ? out : err, said)
  })
}

test('score --notices --language: the texts of notices and problems; codes and ExtendError stay', async () => {
  await inFolder(async (folder) => {
    const file = join(folder, 'records.json')
    const record = { sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 60 }
    writeFileSync(
      file,
      JSON.stringify([
        { idx: 1, age: 84, ...record },
        { idx: 2, age: 'x', ...record },
      ]),
    )
    const scored = ['score', file, '--model', 'readmission30']
    const answers = async (...more: string[]): Promise<readonly Record<string, unknown>[]> => {
      const output = join(folder, 'results.json')
      const { code, err } = await runHere([...scored, '--notices', '--output', output, '--quiet', ...more])
      assert.equal(code, 0, err)
      return JSON.parse(readFileSync(output, 'utf8')) as Record<string, unknown>[]
    }
    const alone = await runHere([...scored, '--language', 'ca'])
    assert.equal(alone.code, 2)
    assert.match(alone.err, /--language goes with --notices/)
    const english = await answers()
    const text = JSON.stringify(await answers('--language', 'ca'))
    assert.match(text, /"code":"outside-data","field":"stayDays","text":"Dies d'estada és per sobre de 14/)
    assert.match(text, /"text":"Edat: no és un nombre enter\."/)
    assert.doesNotMatch(JSON.stringify(english), /"text":"age/)
    const withoutTexts = text.replace(/,"text":"(?:[^"\\]|\\.)*"/g, '')
    assert.equal(withoutTexts, JSON.stringify(english).replace(/,"text":"(?:[^"\\]|\\.)*"/g, ''))
  })
})
