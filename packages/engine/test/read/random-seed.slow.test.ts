/** The property tests and the planted faults again, with many more records and the random seed of `npm run test:all`. */
process.env['RECORDS'] ??= '100000'
process.env['RUNS'] ??= '300'
await import('../bad-records.test.ts')
await import('../properties.test.ts')

export {}
