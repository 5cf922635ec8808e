/** The page with a deployment in it: one HTML file that answers by itself, without a service. */
import { existsSync, readFileSync } from 'node:fs'
import { type Catalog, type Deployment, packDeployment } from '@patient-risk/catalog'
import { describeCatalogue, describeDeployment, describeModel } from '@patient-risk/catalog/pages'
import { pagePacks } from '@patient-risk/catalog/languages'
import { checksumOf } from 'patient-risk-engine'
import { NOT_BUILT, OFFLINE_PAGE } from './built-page.ts'
import { Refusal } from './command.ts'

const START = '<script type="application/json" id="deployment">'
const END = '</script>'

/** `today` is the day on which the page is made, as DD-MM-YYYY: a reader sees how old it is. */
export function offlinePage(catalog: Catalog, deployment: Deployment, today: string): string {
  if (!existsSync(OFFLINE_PAGE)) throw new Refusal(NOT_BUILT)
  const { report } = deployment.model
  const data = {
    made: today,
    packed: packDeployment(catalog, deployment),
    // Nothing in the page compares the answers with those of another model.
    summary: describeDeployment({ ...deployment, shadow: undefined }),
    model: describeModel(catalog, deployment),
    fields: describeCatalogue(catalog, deployment),
    languages: pagePacks(catalog, [deployment]),
    ...(report === undefined ? {} : { report }),
  }
  // The pack has a checksum of its own. This one also covers what people read: units, limits, titles.
  const whole = JSON.stringify({ checksum: checksumOf(data), ...data })
  // A clinical file may hold any text. Without this one "</script>" in it would end the data.
  const json = whole.replaceAll('<', '\\u003c')
  const [before, after, ...more] = readFileSync(OFFLINE_PAGE, 'utf8').split(START + END)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error('the built page has no single place for a deployment')
  return `${before}${START}${json}${END}${after}`
}
