// The tool of plane-upstream.mjs, as a server over standard input and output.
import { createInterface } from 'node:readline'

const TOOL = {
  name: 'get_item',
  description: 'Reads one item by its id',
  inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
}
const item = (id) => `{"id":${id},"name":"item ${id}","price":12.5,"tags":["a","b"],"stock":{"here":3,"there":4}}`

function resultOf(method, params) {
  if (method === 'initialize')
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'program', version: '1' },
    }
  if (method === 'tools/list') return { tools: [TOOL] }
  return method === 'tools/call' ? { content: [{ type: 'text', text: item(params.arguments.id) }] } : {}
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, params) })}\n`)
})
