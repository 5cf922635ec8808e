/** The random expressions of every kind of node again, many more of them and with the random seed of `npm run test:all`. */
process.env['EXPRESSIONS'] ??= '150'
await import('./nodes.test.ts')

export {}
