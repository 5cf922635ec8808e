/** What a field, a scale or a part of a scale may be called. */

const NAME = /^[a-z][A-Za-z0-9]*$/

/** Words of the interface, which no field may take. */
const INTERFACE_WORDS: readonly string[] = ['idx', 'record', 'risk']

/** What is wrong with a name, or undefined. */
export function nameFault(name: string): string | undefined {
  if (!NAME.test(name)) return 'a name starts with a lower-case letter and has letters and digits only'
  // Every object of the language answers to these words, so a table of fields would find what nobody put in.
  if (name in Object.prototype) return `${name} is a word of the programming language and cannot be a name`
  return undefined
}

export function fieldNameFault(name: string): string | undefined {
  if (INTERFACE_WORDS.includes(name)) return `${name} is a word of the interface and cannot name a field`
  return nameFault(name)
}
