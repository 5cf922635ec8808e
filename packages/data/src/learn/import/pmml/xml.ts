/** An XML file as elements that know their line. Document types, and with them entities of a file's own, are refused. */
import sax from 'sax'
import { ReadingBudget } from '../reading-budget.ts'
import { NotSupported } from '../source.ts'

const MOST_CHARACTERS = 20_000_000
/** Far deeper than trees that a model may have. */
const MOST_DEPTH = 500
/** Five times as many as a file of this size has where it is a model. */
const MOST_ELEMENTS = 1_000_000

export class Element {
  readonly children: Element[] = []
  text = ''
  readonly name: string
  readonly line: number
  readonly attributes: ReadonlyMap<string, string>
  /** Of the file, so that work is refused with the element that asks for it. */
  private readonly budget: ReadingBudget

  constructor(
    name: string,
    line: number,
    attributes: ReadonlyMap<string, string>,
    budget = new ReadingBudget(),
  ) {
    this.name = name
    this.line = line
    this.attributes = attributes
    this.budget = budget
  }

  get place(): string {
    return `${this.name} in line ${this.line}`
  }

  /** Counts work that this element asks for. */
  take(steps: number): void {
    this.budget.take(steps, this.place)
  }

  all(...names: readonly string[]): readonly Element[] {
    return this.children.filter(({ name }) => names.includes(name))
  }

  first(...names: readonly string[]): Element | undefined {
    return this.children.find(({ name }) => names.includes(name))
  }

  need(...names: readonly string[]): Element {
    return this.first(...names) ?? this.refuse(`has no ${names.join(' or ')}`)
  }

  get(name: string): string | undefined {
    return this.attributes.get(name)
  }

  string(name: string): string {
    return this.get(name) ?? this.refuse(`has no ${name}`)
  }

  number(name: string, otherwise?: number): number {
    if (otherwise !== undefined && this.get(name) === undefined) return otherwise
    return this.numberIn(this.string(name))
  }

  numberIn(text: string): number {
    const number = text.trim() === '' ? Number.NaN : Number(text)
    return Number.isFinite(number) ? number : this.refuse(`${JSON.stringify(text)} is not a number`)
  }

  /** An attribute whose values differ in what they mean; others than these cannot be taken over. The first is the default. */
  oneOf<Word extends string>(name: string, words: readonly Word[], given = this.get(name) ?? words[0]): Word {
    const word = words.find((each) => each === given)
    return (
      word ?? this.refuse(`${name} ${JSON.stringify(given)} cannot be expressed; ${words.join(', ')} can`)
    )
  }

  refuse(why: string): never {
    throw new NotSupported(this.place, why)
  }
}

export function readXml(text: string): Element {
  if (text.length > MOST_CHARACTERS) throw new NotSupported('the file', 'is larger than 20 MB')
  const parser = sax.parser(true, { strictEntities: true } as sax.SAXOptions)
  const budget = new ReadingBudget()
  const top = new Element('', 1, new Map(), budget)
  let elements = 0
  const open = [top]
  const inside = (): Element => open[open.length - 1] ?? top
  let line = 1
  const refuse = (why: string): never => {
    throw new NotSupported(`line ${parser.line + 1}`, why)
  }
  parser.onerror = (error) => refuse(`is not well-formed XML: ${error.message.split('\n')[0]}`)
  parser.ondoctype = () => refuse('has a document type, which is not read')
  Object.assign(parser, { onopentagstart: () => (line = parser.line + 1) })
  parser.onopentag = ({ name, attributes }) => {
    const pairs = Object.entries(attributes).map(([key, value]) => [key, String(value)] as const)
    const element = new Element(localName(name), line, new Map(pairs), budget)
    if (++elements > MOST_ELEMENTS) refuse(`has more than ${MOST_ELEMENTS.toLocaleString('en')} elements`)
    // Extensions say nothing that the standard gives a meaning.
    if (element.name !== 'Extension') inside().children.push(element)
    // The first of them stands for the file.
    if (open.push(element) - 1 > MOST_DEPTH) refuse(`is nested more than ${MOST_DEPTH} deep`)
  }
  parser.onclosetag = () => open.pop()
  parser.ontext = (part) => (inside().text += part)
  parser.oncdata = (part) => (inside().text += part)
  parser.write(text).close()
  return top.children[0] ?? refuse('has no element')
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** The parts of an Array: separated by spaces, or in quotes where a part has some itself. */
export function wordsIn(text: string): readonly string[] {
  return [...text.matchAll(/"((?:\\"|[^"])*)"|\S+/g)].map(
    ([all, quoted]) => quoted?.replaceAll('\\"', '"') ?? all,
  )
}
