/** A new version of a model of the catalogue: the same file under another version, and so with another digest. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MODEL = 'readmission30'
const VERSION = '9.0.0'
export const NEXT = `${MODEL}@${VERSION}`

/** Returns the environment in which the first deployment has the new version. */
export function useNextModel(folder: string): { readonly CONFIG: string } {
  const own = join(folder, 'next-version')
  const to = join(own, 'clinical', 'models', MODEL)
  mkdirSync(to, { recursive: true })
  for (const name of ['cases.json', `${MODEL}.json`]) {
    const text = readFileSync(join('clinical', 'models', MODEL, name), 'utf8')
    writeFileSync(join(to, name), text.replace(/"version": "\d+\.\d+\.\d+"/, `"version": "${VERSION}"`))
  }
  const CONFIG = join(own, 'config.json')
  const deployment = { name: 'readmission', basePath: '/', model: NEXT, output: 'number' }
  writeFileSync(CONFIG, JSON.stringify({ clinical: ['clinical'], deployments: [deployment] }))
  return { CONFIG }
}
