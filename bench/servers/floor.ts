/** The bare floor: a node:http server that only reads, parses, touches `idx` and prints. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const records = JSON.parse(Buffer.concat(parts).toString()) as { idx: number }[]
    const results = records.map(({ idx }) => ({ idx, risk: 0.1234, error_message: null }))
    const body = Buffer.from(JSON.stringify(results))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`)
})
