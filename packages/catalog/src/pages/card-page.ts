/** The public part of a model's card, as a page without scripts: what it predicts, for whom, from what, and its limits. */
import { readFileSync } from 'node:fs'
import { digestOf } from '@patient-risk/runtime'
import type { Deployment } from '../catalog/deployment.ts'
import type { FieldCatalogue } from '../catalog/describe-fields.ts'
import { groupCalibration } from './group-calibration.ts'
import { inputTable } from './inputs.ts'
import { percent, type table } from './markdown.ts'
import { deathBefore, horizon } from './model-page.ts'

const STYLE = readFileSync(new URL('../../../../api/model-card.css', import.meta.url), 'utf8')

/** One style inside the page, and nothing that is loaded. */
export const CARD_POLICY = `default-src 'none'; style-src 'sha256-${digestOf(STYLE)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

export function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`)
}

/** A text of a clinical file, with its names of fields as code. */
function words(text: string | number = ''): string {
  return escapeText(String(text)).replace(/`([^`]+)`/g, '<code>$1</code>')
}

const element = (name: string, contents: readonly string[]): string =>
  contents.map((content) => `<${name}>${content}</${name}>`).join('')

export function cardPage({ model, digest, output }: Deployment, fields: FieldCatalogue): string {
  const { title, version, id, card, source, licence } = model.definition
  const facts = {
    Predicts: card.outcome,
    Horizon: horizon(card.horizonDays),
    'Death before the outcome': deathBefore(card),
    Answer: output.kind === 'number' ? 'A probability' : `Yes from a risk of ${percent(output.threshold)}`,
    Model: `\`${id}\` ${version}`,
    'Digest of the model': `\`sha-256=:${model.digest}:\``,
    'Digest of the deployment': `\`sha-256=:${digest}:\``,
  }
  const [about, groups] = groupCalibration(model.report, htmlTable, true)
  const links = (source.links ?? []).map(escapeText).map((link) => `<a href="${link}">${link}</a>`)
  const sections = {
    'Intended use': element('p', [words(card.intendedUse)]),
    'For whom': element('p', [card.population, card.setting, `Users: ${card.users}`].map(words)),
    Inputs: inputTable(model.definition, fields, htmlTable) + element('p', [words(card.missingData)]),
    ...(groups !== undefined && { Calibration: element('p', [words(about)]) + groups }),
    Limits: `<ul>${element('li', card.limits.map(words))}</ul>`,
    Source: element('p', [words(source.cite), ...links]),
    Licence: element('p', [words(licence.status), `Shipped: ${words(licence.shipped)}`]),
  }
  const terms = Object.entries(facts).map(([name, text]) => `<dt>${name}</dt><dd>${words(text)}</dd>`)
  const parts = Object.entries(sections).map(([name, content]) => `<h2>${name}</h2>${content}`)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeText(title)}</title><style>${STYLE}</style></head>
<body><main><p class="kind">Model card</p><h1>${escapeText(title)}</h1><p class="lead">${words(card.summary)}</p>
<dl>${terms.join('')}</dl>${element('section', parts)}</main></body></html>`
}

function htmlTable(...[head, rows]: Parameters<typeof table>): string {
  const cell = (text: string | number | undefined, column: number): string =>
    `<td data-name="${head[column] ?? ''}">${words(text)}</td>`
  const body = rows.map((row) => row.map(cell).join(''))
  return `<table><thead><tr>${element('th', head)}</tr></thead><tbody>${element('tr', body)}</tbody></table>`
}
