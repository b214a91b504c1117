// What the data plane is measured against: one REST resource and the same as a tool of an MCP server, written by hand.
import { createServer } from 'node:http'

const TOOL = {
  name: 'get_item',
  description: 'Reads one item by its id',
  inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
}
const item = (id) => `{"id":${id},"name":"item ${id}","price":12.5,"tags":["a","b"],"stock":{"here":3,"there":4}}`

function answer({ id, method, params }) {
  const reply = (result) => JSON.stringify({ jsonrpc: '2.0', id, result })
  if (method === 'initialize')
    return reply({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'upstream', version: '1' },
    })
  if (method === 'tools/list') return reply({ tools: [TOOL] })
  if (method === 'tools/call') return reply({ content: [{ type: 'text', text: item(params.arguments.id) }] })
  if (method === 'ping') return reply({})
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } })
}

const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json')
  if (request.method === 'GET') {
    if (request.url === '/mcp') response.writeHead(405).end()
    else response.end(item(Number(request.url.slice('/items/'.length)) || 0))
    return
  }
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (chunk) => (text += chunk))
  request.on('end', () => {
    const message = JSON.parse(text)
    if (message.id === undefined) response.writeHead(202).end()
    else response.end(answer(message))
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`)
})
process.on('SIGTERM', () => process.exit(0))
