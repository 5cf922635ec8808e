/** Loaded before the trials: plants the defect that the environment names, while the source file is loaded. */
import { registerHooks } from 'node:module'
import { PLANTS } from './plants.ts'

const plant = PLANTS[process.env['PLANT'] ?? '']
if (plant === undefined) throw new Error('PLANT names no planted defect')

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith(`/src/adapters/fhir/${plant.file}`)) return loaded
    const given = loaded.source
    const source = typeof given === 'string' ? given : Buffer.from(given as Uint8Array).toString()
    if (!source.includes(plant.text)) throw new Error(`${plant.file} does not hold the text of the defect`)
    return { ...loaded, source: source.replace(plant.text, plant.instead) }
  },
})
