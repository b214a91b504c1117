// The practical limit: Fastify in, one undici pool out, a tool call becomes a request, and nothing is checked, counted or kept.
import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
import { Pool } from 'undici'

const { UPSTREAM, KIND, LIST_FILE } = process.env
const pool = new Pool(UPSTREAM, { connections: 128, pipelining: 1 })
const list = LIST_FILE
  ? readFileSync(LIST_FILE, 'utf8')
  : '{"tools":[{"name":"get_item","inputSchema":{"type":"object"}}]}'
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

const viaRest = ({ arguments: { id } }) => pool.request({ method: 'GET', path: `/items/${encodeURIComponent(id)}` })
const viaMcp = (params) =>
  pool.request({
    method: 'POST',
    path: '/mcp',
    headers: json,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })

const app = Fastify({ logger: false })
app.removeAllContentTypeParsers()
app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
  done(null, JSON.parse(body)),
)
app.get('/livez', () => ({ status: 'ok' }))
app.post('/mcp/:name', async ({ body: { id, method, params } }, reply) => {
  if (id === undefined) return reply.code(202).send()
  reply.header('content-type', 'application/json')
  const sendResult = (result) => reply.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`)
  if (method === 'initialize')
    return sendResult(
      JSON.stringify({ protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: 'bare' } }),
    )
  if (method === 'tools/list') return sendResult(list)
  if (KIND === 'mcp') {
    const answer = await (await viaMcp(params)).body.json()
    return sendResult(JSON.stringify(answer.result))
  }
  const text = await (await viaRest(params)).body.text()
  return sendResult(`{"content":[{"type":"text","text":${JSON.stringify(text)}}]}`)
})
const url = await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`listening on ${url}\n`)
process.on('SIGTERM', () => process.exit(0))
