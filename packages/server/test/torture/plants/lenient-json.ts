/** A planted defect: the parser forgives a comma too many. */
const parse = JSON.parse.bind(JSON)

JSON.parse = (text: string, ...rest: [] | [(this: unknown, key: string, value: unknown) => unknown]) =>
  parse(text.replace(/,(\s*[\]}])/g, '$1'), ...rest) as unknown
