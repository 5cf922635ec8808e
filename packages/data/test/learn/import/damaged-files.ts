/** Model files with one thing wrong: each value replaced or left out, each line or element left out, and the end cut off. */

export interface Damaged {
  /** Where, and what stands there instead. */
  readonly what: string
  readonly text: string
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** As they are written in a file, so that what JSON cannot say is among them. */
const VALUES = [
  'null',
  '"x"',
  '""',
  '[]',
  '{}',
  '-1',
  'NaN',
  '1e400',
  '0.5',
  'true',
  '"9999999999"',
  '9999999999',
]
/** Of a long list, the first two and the last are damaged. */
const ENDS = 2

export function* damagedJson(text: string): Generator<Damaged> {
  const whole = JSON.parse(text.replace(/\bNaN\b(?=[,\]])/g, 'null')) as Json
  const mark = '@@here@@'
  for (const place of placesIn(whole)) {
    const marked = JSON.stringify(changed(whole, place, mark))
    for (const value of VALUES)
      yield { what: `${place.join('.')} is ${value}`, text: marked.replace(JSON.stringify(mark), value) }
    yield {
      what: `${place.join('.')} is left out`,
      text: JSON.stringify(changed(whole, place, undefined)),
    }
  }
  yield* cutOff(text)
}

type Place = readonly (string | number)[]

function* placesIn(value: Json, before: Place = []): Generator<Place> {
  if (typeof value !== 'object' || value === null) return
  const keys = Array.isArray(value) ? ends(value.length) : Object.keys(value)
  for (const key of keys) {
    yield [...before, key]
    yield* placesIn((value as Readonly<Record<string, Json>>)[key] as Json, [...before, key])
  }
}

function ends(length: number): readonly number[] {
  const all = Array.from({ length }, (_, at) => at)
  return length <= ENDS + 1 ? all : [...all.slice(0, ENDS), length - 1]
}

function changed(value: Json, [key, ...rest]: Place, by: string | undefined): Json {
  if (key === undefined) return by as string
  const copy: Record<string, Json> | Json[] = Array.isArray(value)
    ? [...(value as Json[])]
    : { ...(value as object) }
  const keys = copy as Record<string | number, Json>
  if (rest.length === 0 && by === undefined) {
    if (Array.isArray(copy)) copy.splice(Number(key), 1)
    else Reflect.deleteProperty(copy, key)
  } else keys[key] = changed(keys[key] as Json, rest, by)
  return copy
}

const WORDS = ['null', 'x', '[]', '-1', 'nan', 'inf', '1e400', '0.5', '9999999999', '']

/** LightGBM's text: lines of a key and words. */
export function* damagedLines(text: string): Generator<Damaged> {
  const lines = text.split('\n')
  const withLine = (at: number, ...by: readonly string[]): string =>
    [...lines.slice(0, at), ...by, ...lines.slice(at + 1)].join('\n')
  for (const [at, line] of lines.entries()) {
    if (line === '') continue
    yield { what: `${line.slice(0, 20)} is left out`, text: withLine(at) }
    if (line.startsWith('pandas_categorical:'))
      for (const json of VALUES)
        yield { what: `pandas_categorical is ${json}`, text: withLine(at, `pandas_categorical:${json}`) }
    const [key = '', value = ''] = line.split(/=(.*)/s)
    const words = value.split(' ')
    for (const place of ends(value === '' ? 0 : words.length))
      for (const word of WORDS) {
        const all = words.with(place, word).filter((each) => each !== '')
        yield { what: `${key}[${place}] is ${word}`, text: withLine(at, `${key}=${all.join(' ')}`) }
      }
  }
  yield* cutOff(text)
}

/** XML: each attribute and each element. */
export function* damagedXml(text: string): Generator<Damaged> {
  const at = (place: number): string => `line ${text.slice(0, place).split('\n').length}, `
  for (const { index, 0: whole, 1: name = '' } of text.matchAll(/ ([\w:-]+)="[^"]*"/g)) {
    const around = (by: string): string => text.slice(0, index) + by + text.slice(index + whole.length)
    for (const word of WORDS)
      yield { what: `${at(index)}${whole.trim()} is ${word}`, text: around(` ${name}="${word}"`) }
    yield { what: `${at(index)}${whole.trim()} is left out`, text: around('') }
  }
  for (const { index, 0: tag, 1: name = '' } of text.matchAll(/<(\w+)[^>]*>/g)) {
    const end = tag.endsWith('/>') ? index + tag.length : endOf(text, name, index)
    yield { what: `${at(index)}${tag} is left out`, text: text.slice(0, index) + text.slice(end) }
  }
  yield* cutOff(text)
}

/** Where the element that begins at a place ends. */
function endOf(text: string, name: string, from: number): number {
  let depth = 0
  for (const { index, 0: tag } of text.slice(from).matchAll(new RegExp(`</?${name}\\b[^>]*>`, 'g'))) {
    depth += tag.startsWith('</') ? -1 : Number(!tag.endsWith('/>'))
    if (depth === 0) return from + index + tag.length
  }
  return text.length
}

/** A table of coefficients: each cell, row and column. */
export function* damagedTable(text: string): Generator<Damaged> {
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','))
  const written = (cells: readonly (readonly string[])[]): string =>
    `${cells.map((row) => row.join(',')).join('\n')}\n`
  for (const [at, row] of rows.entries()) {
    yield { what: `row ${at} is left out`, text: written(rows.toSpliced(at, 1)) }
    for (const [place, cell] of row.entries())
      for (const word of WORDS)
        yield { what: `row ${at}, ${cell} is ${word}`, text: written(rows.with(at, row.with(place, word))) }
  }
  for (const place of rows[0]?.keys() ?? [])
    yield { what: `column ${place} is left out`, text: written(rows.map((row) => row.toSpliced(place, 1))) }
  yield* cutOff(text)
}

const CUTS = 40

function* cutOff(text: string): Generator<Damaged> {
  for (let at = 0; at < CUTS; at++) {
    const end = Math.floor((text.length * at) / CUTS)
    yield { what: `cut off after ${end} characters`, text: text.slice(0, end) }
  }
}
