/** No defect of its own: makes the service throw where a test asks for it, with the caller's text in the error. */
const stringify = JSON.stringify.bind(JSON)
const parse = JSON.parse.bind(JSON)

JSON.stringify = ((value: unknown, ...rest: []) => {
  if (typeof value === 'string' && value.includes('FORCE-SYNC')) throw new TypeError(value)
  return stringify(value, ...rest)
}) as typeof JSON.stringify

JSON.parse = ((text: string, ...rest: []) => {
  // Uncaught: Node would print the whole line of the source, which is the body.
  if (text.includes('FORCE-LATER')) setImmediate(() => void parse(text))
  return parse(text, ...rest) as unknown
}) as typeof JSON.parse
