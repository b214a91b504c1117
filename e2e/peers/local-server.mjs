// A small MCP server over standard input and output, for tests. Its first argument says how it behaves.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const [mode = 'good', ...rest] = process.argv.slice(2)
const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)
const MODERN = '2026-07-28'

if (mode === 'exit') {
  process.stderr.write(`${rest.join(' ')}\n`)
  process.exit(3)
}
if (mode === 'noisy') process.stdout.write('Starting up\nLoading…\n')
// Ends by KILL alone.
if (mode === 'deaf' || mode === 'stubborn') {
  process.on('SIGTERM', () => undefined)
  setInterval(() => undefined, 1000)
}
// With one that stays in the group, and one that leaves it.
if (mode === 'family' || mode === 'stubborn') {
  const stay = 'process.on("SIGTERM",()=>{});setInterval(()=>{},1000)'
  spawn(process.execPath, ['-e', stay], { stdio: ['ignore', 'inherit', 'ignore'] })
  spawn(process.execPath, ['-e', stay], { stdio: 'ignore', detached: true }).unref()
}
// One that leaves the group, and has none of our environment.
if (mode === 'hidden') spawn('/bin/sleep', ['1000'], { stdio: 'ignore', detached: true, env: {} }).unref()
// A child and, of that, a detached one; their numbers are written to a file.
if (mode === 'generations') {
  const wait = 'setInterval(()=>{},1000)'
  const child = `const { pid } = require('child_process').spawn(process.execPath, ['-e', '${wait}'], { detached: true, stdio: 'ignore' });
    require('fs').writeFileSync(process.argv[1], [process.ppid, process.pid, pid].join(' '));${wait}`
  spawn(process.execPath, ['-e', child, rest[0]], { stdio: 'ignore' })
}

const TOOLS = ['echo', 'env', 'big', 'long', 'slow', 'die', 'ask', 'log', 'pid'].map((name) => ({
  name,
  description: `The tool ${name}`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' }, count: { type: 'number' } } },
}))
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] })
let lastId = 0
const asked = new Map()
const held = []

async function call(id, { name, arguments: args = {}, _meta: meta = {} }) {
  const answer = (result) => write({ jsonrpc: '2.0', id, result })
  switch (name) {
    case 'echo':
      if (args.count > 0) held.push(Buffer.alloc(args.count, 1))
      return answer(text(args.text))
    case 'env':
      return answer(text(JSON.stringify(process.env)))
    case 'pid':
      return answer(text(process.pid))
    case 'big':
      return answer(text('x'.repeat(args.count)))
    case 'long':
      process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":"${'y'.repeat(args.count)}"}\n`)
      return undefined
    case 'slow':
      if (meta.progressToken !== undefined)
        write({
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken: meta.progressToken, progress: 1 },
        })
      return void setTimeout(() => answer(text('done')), args.count)
    case 'die':
      process.stderr.write('Fatal: it is over\n')
      return process.exit(7)
    case 'log':
      process.stderr.write(`${args.text}\n`)
      return answer(text('logged'))
    case 'ask': {
      const asking = `ask-${(lastId += 1)}`
      write({ jsonrpc: '2.0', id: asking, method: 'roots/list' })
      asked.set(asking, (given) => answer(text(JSON.stringify(given))))
      return undefined
    }
    default:
      return write({ jsonrpc: '2.0', id, error: { code: -32602, message: `Unknown tool: ${name}` } })
  }
}

const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line)
  if (method === undefined) return asked.get(id)?.(result ?? error)
  if (mode === 'silent' || id === undefined) return undefined
  const answer = (value) => write({ jsonrpc: '2.0', id, result: value })
  switch (method) {
    case 'initialize':
      if (mode === 'modern') return write({ jsonrpc: '2.0', id, error: { code: -32022, message: 'too old' } })
      return answer({
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'fixture', version: '1' },
      })
    case 'server/discover':
      if (mode !== 'modern') break
      return answer({ supportedVersions: [MODERN], capabilities: { tools: {} } })
    case 'ping':
      return answer({})
    case 'tools/list':
      return answer({ tools: TOOLS, ...(mode === 'modern' ? { resultType: 'complete', ttlMs: 0 } : {}) })
    case 'tools/call':
      return call(id, params)
  }
  return write({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } })
})
// A wrapper may hold the input open for ever; this one obeys.
lines.on('close', () => {
  if (mode !== 'stubborn') process.exit(0)
})
