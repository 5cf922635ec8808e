/** The text of each page of a PDF that Chromium has written. */
import { inflateSync } from 'node:zlib'

interface PdfObject {
  readonly head: string
  /** The bytes of its stream, where it has one. */
  readonly stream: string
}

/** One text a page, in the order in which it was drawn, without spaces: a PDF places words and does not separate them. */
export function pdfPages(bytes: Buffer): readonly string[] {
  const objects = readObjects(bytes.toString('latin1'))
  const unicode = new Map<string, ReadonlyMap<string, string>>()
  const lettersOf = (font: string): ReadonlyMap<string, string> => {
    const known = unicode.get(font)
    if (known !== undefined) return known
    const map = /\/ToUnicode (\d+) 0 R/.exec(objects.get(font)?.head ?? '')?.[1] ?? ''
    const made = readLetters(objects.get(map)?.stream ?? '')
    unicode.set(font, made)
    return made
  }
  return [...objects.values()]
    .filter(({ head }) => /\/Type \/Page\b(?!s)/.test(head))
    .map(({ head }) => {
      const fonts = new Map([...head.matchAll(/\/(F\d+) (\d+) 0 R/g)].map((each) => [each[1], each[2] ?? '']))
      const content = objects.get(/\/Contents (\d+) 0 R/.exec(head)?.[1] ?? '')?.stream ?? ''
      let letters: ReadonlyMap<string, string> = new Map()
      let text = ''
      for (const [, font, glyphs = ''] of content.matchAll(/\/(F\d+) [\d.]+ Tf|<([0-9A-F]+)>/gi)) {
        if (font !== undefined) letters = lettersOf(fonts.get(font) ?? '')
        else
          text += (glyphs.match(/.{4}/g) ?? [])
            .map((glyph) => letters.get(glyph.toUpperCase()) ?? '')
            .join('')
      }
      return text.replace(/\s/g, '')
    })
}

function readObjects(text: string): ReadonlyMap<string, PdfObject> {
  const objects = new Map<string, PdfObject>()
  for (const [, id = '', body = ''] of text.matchAll(/\n(\d+) 0 obj\n(.*?)\nendobj/gs)) {
    const [head = '', rest] = body.split(/\nstream\n|>> stream\n/, 2)
    const raw = Buffer.from((rest ?? '').replace(/\nendstream\s*$/, ''), 'latin1')
    objects.set(id, {
      head,
      stream: head.includes('FlateDecode') ? inflateSync(raw).toString('latin1') : (rest ?? ''),
    })
  }
  return objects
}

/** Which letters the numbers of glyphs stand for. */
function readLetters(map: string): ReadonlyMap<string, string> {
  const letters = new Map<string, string>()
  const letter = (hex: string): string => Buffer.from(hex, 'hex').swap16().toString('utf16le')
  for (const [, block = ''] of map.matchAll(/beginbfchar(.*?)endbfchar/gs)) {
    for (const [, glyph = '', hex = ''] of block.matchAll(/<([0-9A-F]{4})> <([0-9A-F]+)>/gi))
      letters.set(glyph.toUpperCase(), letter(hex))
  }
  for (const [, block = ''] of map.matchAll(/beginbfrange(.*?)endbfrange/gs)) {
    for (const [, from = '', to = '', hex = ''] of block.matchAll(
      /<([0-9A-F]{4})> <([0-9A-F]{4})> <([0-9A-F]{4})>/gi,
    )) {
      const start = parseInt(from, 16)
      for (let glyph = start; glyph <= parseInt(to, 16); glyph++) {
        const name = glyph.toString(16).padStart(4, '0').toUpperCase()
        letters.set(name, String.fromCharCode(parseInt(hex, 16) + glyph - start))
      }
    }
  }
  return letters
}
