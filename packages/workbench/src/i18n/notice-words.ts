/** A notice in plain words: the sentence of the service, with the names of its fields as the page calls them. */
import { DOUBT_SENTENCES } from 'patient-risk-engine/words'
import type { Notice } from '../shapes/answers.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import { subjectOf } from './field-names.ts'
import { phraseOf, type Label } from './phrases.ts'
import { fillIn } from './translate.ts'
import type { Words } from './words.ts'

/** What the sentences of the service say beside the field. One that is not known is shown as it is, in English. */
const SENTENCES: Readonly<Record<Notice['code'], RegExp>> = {
  'act-on-item': /^(?<sentence>.+)$/s,
  'outside-data': / is (?<side>below|above) (?<end>\S+), the (?:lowest|highest) value in the data of \S+\.$/,
  assumed: / is missing or not usable; \S+ takes (?:(?<value>\S+) in its place|its absence into account)\.$/,
  'incomplete-scale':
    / is the sum of the (?<items>one|\d+) items? that (?:is|are) given, and others are absent: /,
  'old-assessment': / lies more than (?<days>\d+) days back\.$/,
  contradiction:
    /^(?<one>\S+) and (?<other>\S+) cannot both be true: they say different things about the (?<what>.+)\.$/,
  'unit-doubt':
    / is unusual for a value (?:in|out) (?<received>.+) and usual for one (?:in|out) (?<likely>.+): check its unit\.$/,
  'feed-doubt': /^Of this sender, (?<field>\S+): (?<doubt>.+)\.$/s,
  'range-not-computed': /^The range of the risk was not computed: (?<why>.+)\.$/,
  'contributions-not-computed': /^The contributions were not computed: (?<why>.+)\.$/,
}

export function noticeText(words: Words, catalogue: FieldCatalogue, notice: Notice): Label {
  const { t, language } = words
  const found = SENTENCES[notice.code].exec(notice.text)?.groups
  const nameOf = (field: string): string => subjectOf(language, catalogue, field).text
  const name = nameOf(notice.field)
  if (found === undefined) {
    // A contradiction that a rule declares has a sentence of its own, which names fields in brackets.
    const { text, lang } = phraseOf(language, notice.text)
    const isField = (each: string): boolean => catalogue.fields.some((field) => field.name === each)
    const plain = text.replace(/ \((\w+)\)/g, (whole, each: string) => (isField(each) ? '' : whole))
    return lang === undefined ? { text: plain } : { text: plain, lang }
  }
  const part = (key: string): string => found[key] ?? ''
  switch (notice.code) {
    case 'act-on-item': {
      // The sentence is the scale's own.
      const sentence = phraseOf(language, part('sentence'))
      return { ...sentence, text: t('notice.act', { name, sentence: sentence.text }) }
    }
    case 'feed-doubt':
      return feedDoubt(words, name, part('doubt')) ?? phraseOf(language, notice.text)
    case 'outside-data': {
      const key = part('side') === 'above' ? 'notice.above' : 'notice.below'
      return { text: t(key, { name, end: figure(words, part('end')) }) }
    }
    case 'assumed':
      if (found['value'] === undefined) return { text: t('notice.absence', { name }) }
      return { text: t('notice.assumed', { name, value: standIn(words, part('value')) }) }
    case 'incomplete-scale': {
      const items = part('items') === 'one' ? 1 : Number(part('items'))
      return { text: t('notice.incomplete', { name, items: words.count('items', items) }) }
    }
    case 'old-assessment': {
      const scale = catalogue.scales.find(({ id }) => notice.field === `${id}_date`)
      const title = words.serviceText(scale?.title ?? notice.field)
      return { text: t('notice.old', { name: title, days: words.count('days', Number(part('days'))) }) }
    }
    case 'contradiction': {
      const what = phraseOf(language, `the ${part('what')}`)
      const one = nameOf(part('one'))
      const other = nameOf(part('other'))
      return { ...what, text: t('notice.contradiction', { one, other, what: what.text }) }
    }
    case 'unit-doubt': {
      const received = words.serviceText(part('received'))
      const likely = words.serviceText(part('likely'))
      // The unit of a total is its highest value: "of 20".
      const isTotal = part('likely').startsWith('of ')
      const bare = (unit: string): string => (isTotal ? unit.slice('of '.length) : unit)
      const parts = { name, received: bare(received), likely: bare(likely) }
      return { text: t(isTotal ? 'notice.unitTotal' : 'notice.unit', parts) }
    }
    case 'range-not-computed':
      return { text: t('notice.noRange') }
    case 'contributions-not-computed':
      return { text: t('notice.noContributions') }
  }
}

/** What is doubted of the sender, by the sentences that the service has for it; undefined for another one. */
function feedDoubt({ language, serviceText }: Words, field: string, said: string): Label | undefined {
  for (const english of Object.values(DOUBT_SENTENCES)) {
    const found = patternOf(english).exec(said)
    if (found === null) continue
    const parts = Object.entries(found.groups ?? {}).map(([key, text]) => [key, serviceText(text)] as const)
    const doubt = phraseOf(language, english)
    const whole = phraseOf(language, DOUBT_SENTENCES.ofSender)
    const filled = fillIn(doubt.text, Object.fromEntries(parts))
    return { ...doubt, ...whole, text: fillIn(whole.text, { field, doubt: filled }) }
  }
  return undefined
}

/** What a sentence with named parts looks like once they are filled in. */
function patternOf(english: string): RegExp {
  const plain = english.replace(/[.*+?^$()|[\]\\]/g, '\\$&')
  return new RegExp(`^${plain.replace(/\{(\w+)\}/g, '(?<$1>[^;]+)')}$`, 's')
}

/** A figure of a sentence in the reader's format. */
function figure(words: Words, text: string): string {
  return Number.isNaN(Number(text)) ? text : words.number(Number(text))
}

function standIn(words: Words, text: string): string {
  if (text === 'true' || text === 'false') return words.t(text === 'true' ? 'result.yes' : 'result.no')
  return figure(words, text)
}
