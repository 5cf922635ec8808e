/** What pages of models and scales have alike: where their figures are from, and what is not verified. */
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { PAGE_TEXTS } from '../catalog/words/page-texts.ts'
import { MODEL_CARD_TEXTS as T } from '../catalog/words/service-texts.ts'
import type { Say } from './inputs.ts'
import { list, paragraphs, section } from './markdown.ts'

export function origin({ source, licence }: Pick<ModelDefinition, 'source' | 'licence'>, say: Say): string {
  return paragraphs(
    section(say(T.source), source.cite, list(source.links)),
    section(say(T.licence), licence.status, say(T.shipped, { what: licence.shipped })),
  )
}

export function warning(text: string, say: Say): string {
  return `> ${say(PAGE_TEXTS.notVerified)} ${text}`
}
