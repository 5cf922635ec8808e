/** fastify alone, doing what the floor does: its own JSON parser, and nothing that knows a patient. */
import Fastify from 'fastify'

const app = Fastify({ bodyLimit: 64 * 1024 * 1024 })
app.post('/risk/api/do/v0', (request) =>
  (request.body as { idx: number }[]).map(({ idx }) => ({ idx, risk: 0.1234, error_message: null })),
)
const origin = await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`listening ${new URL(origin).port}\n`)
