/** The public part of a model's card, as a page without scripts: what it predicts, for whom, from what, and its limits. */
import { readFileSync } from 'node:fs'
import { digestOf } from '@patient-risk/runtime'
import type { Competing } from 'patient-risk-engine/definition'
import { type Sentence, type Words, sentenceIn } from 'patient-risk-engine/words'
import type { Deployment } from '../catalog/deployment.ts'
import type { FieldCatalogue } from '../catalog/describe-fields.ts'
import { catalogueIn, modelIn } from '../catalog/words/described-in.ts'
import { MODEL_CARD_TEXTS } from '../catalog/words/service-texts.ts'
import { groupCalibration } from './group-calibration.ts'
import { inputTable } from './inputs.ts'
import { percent, type table } from './markdown.ts'

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

/** The page in a language; in English without one. What a language lacks, and figures of a report, are marked as English. */
export function cardPage(deployment: Deployment, english: FieldCatalogue, language?: Words): string {
  const { model, digest, output } = deployment
  const definition = language === undefined ? model.definition : modelIn(language, model.definition)
  const fields = language === undefined ? english : catalogueIn(language, english)
  const { title, version, id, card, source, licence } = definition
  const say = (text: string, parts: Sentence['parts'] = {}): string => sentenceIn(language, { text, parts })
  const T = MODEL_CARD_TEXTS
  const answer =
    output.kind === 'number' ? say(T.probability) : say(T.yesFrom, { threshold: percent(output.threshold) })
  const facts = {
    [T.predicts]: card.outcome,
    [T.horizon]: horizonIn(say, card.horizonDays),
    [T.death]: say(DEATH[card.competing ?? 'unstated']),
    [T.answer]: answer,
    [T.model]: `\`${id}\` ${version}`,
    [T.modelDigest]: `\`sha-256=:${model.digest}:\``,
    [T.deploymentDigest]: `\`sha-256=:${digest}:\``,
  }
  const [about, groups] = groupCalibration(model.report, htmlTable, true)
  const links = (source.links ?? []).map(escapeText).map((link) => `<a href="${link}">${link}</a>`)
  const inputs = inputTable(definition, fields, htmlTable, language)
  const sections = {
    [T.intendedUse]: element('p', [words(card.intendedUse)]),
    [T.forWhom]: element(
      'p',
      [card.population, card.setting, say(T.users, { users: card.users })].map(words),
    ),
    [T.inputs]: inputs + element('p', [words(card.missingData)]),
    ...(groups !== undefined && {
      [T.calibration]: inEnglishOf(language, element('p', [words(about)]) + groups),
    }),
    [T.limits]: `<ul>${element('li', card.limits.map(words))}</ul>`,
    [T.source]: inEnglishOf(language, element('p', [words(source.cite), ...links])),
    [T.licence]: inEnglishOf(
      language,
      element('p', [words(licence.status), words(say(T.shipped, { what: licence.shipped }))]),
    ),
  }
  const terms = Object.entries(facts).map(
    ([name, text]) => `<dt>${escapeText(say(name))}</dt><dd>${words(text)}</dd>`,
  )
  const parts = Object.entries(sections).map(
    ([name, content]) => `<h2>${escapeText(say(name))}</h2>${content}`,
  )
  return `<!doctype html>
<html lang="${language?.language ?? 'en'}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeText(title)}</title><style>${STYLE}</style></head>
<body><main><p class="kind">${escapeText(say(T.kind))}</p><h1>${escapeText(title)}</h1><p class="lead">${words(card.summary)}</p>
<dl>${terms.join('')}</dl>${element('section', parts)}</main></body></html>`
}

const DEATH: Readonly<Record<Competing, string>> = {
  none: MODEL_CARD_TEXTS.deathNone,
  event: MODEL_CARD_TEXTS.deathEvent,
  censored: MODEL_CARD_TEXTS.deathCensored,
  impossible: MODEL_CARD_TEXTS.deathImpossible,
  unstated: MODEL_CARD_TEXTS.deathUnstated,
}

function horizonIn(say: (text: string, parts?: Sentence['parts']) => string, days: number): string {
  if (days === 365 || days === 366) return say(MODEL_CARD_TEXTS.year)
  if (days > 366) return say(MODEL_CARD_TEXTS.years, { n: Math.round(days / 365.25) })
  return say(MODEL_CARD_TEXTS.days, { n: days })
}

/** A part that has no translation, marked for those who listen to the page. */
function inEnglishOf(language: Words | undefined, html: string): string {
  return language === undefined ? html : `<div lang="en">${html}</div>`
}

function htmlTable(...[head, rows]: Parameters<typeof table>): string {
  const cell = (text: string | number | undefined, column: number): string =>
    `<td data-name="${escapeText(head[column] ?? '')}">${words(text)}</td>`
  const body = rows.map((row) => row.map(cell).join(''))
  return `<table><thead><tr>${element('th', head.map(escapeText))}</tr></thead><tbody>${element('tr', body)}</tbody></table>`
}
