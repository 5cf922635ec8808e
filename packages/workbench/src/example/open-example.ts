/** Opens the example with a patient or a list on the screen. Nothing of it is sent or kept. */
import { openSource } from '../list/read/open-source.ts'
import { scoreList } from '../list/score/score-list.ts'
import { openPatient } from '../patient/change-patient.ts'
import { translate } from '../i18n/translate.ts'
import { preferences } from '../preferences.ts'
import { connectTo, service } from '../service.ts'
import { deploymentData, openOffline } from '../session.ts'
import { exampleList, EXAMPLE_PATIENT } from './example-values.ts'
import type { MakeExample } from './example-service.ts'
import { noteExample } from './leave-example.ts'

const DATA = '/workbench/example.json'
/** In a variable, so that the bundler leaves it alone: the engine is no part of the page. */
const MODULE = '/workbench/example.js'

export type ExampleKind = 'patient' | 'list'

/** Throws where the example cannot be loaded; the page then stays as it was. */
export async function openExample(kind: ExampleKind): Promise<void> {
  const page = service()
  const [response, { exampleService }] = await Promise.all([
    page.fetch(DATA),
    import(MODULE) as Promise<{ readonly exampleService: MakeExample }>,
  ])
  if (!response.ok) throw new Error('the example is not there')
  const example = exampleService(await response.text(), page)
  noteExample(page)
  connectTo(example)
  location.hash = `#/${kind}`
  await openOffline()
  const known = deploymentData.get()
  if (known.kind !== 'ready') return
  const { model, catalogue } = known
  const { language } = preferences.get()
  const name = translate(language, `example.${kind}`)
  if (kind === 'patient') openPatient(EXAMPLE_PATIENT, catalogue.fields, name)
  else {
    const text = exampleList(translate(language, 'template.identifier'), translate(language, 'example.title'))
    const bytes = new TextEncoder().encode(text)
    await openSource({ name, bytes }, catalogue)
    await scoreList(model, catalogue)
  }
}
