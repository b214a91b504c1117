// The Claude Agent SDK as a client: its program runs against a model on loopback that asks for the one call it is given.
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const load = (name) => import(name)
const MODEL = 'claude-sonnet-4-5'
const WAIT_MS = 200
const MOST_WAITS = 100

/** One message of the model as events: the call, or a word that ends the turn. */
function eventsOf(plan) {
  const block = plan ? { type: 'tool_use', id: 'toolu_1', name: plan.tool, input: {} } : { type: 'text', text: '' }
  const delta = plan
    ? { type: 'input_json_delta', partial_json: JSON.stringify(plan.args) }
    : { type: 'text_delta', text: 'Done.' }
  const usage = { input_tokens: 1, output_tokens: 1 }
  const end = { stop_reason: plan ? 'tool_use' : 'end_turn', stop_sequence: null }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: MODEL, content: [], usage }
  return [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: end, usage },
    { type: 'message_stop' },
  ]
}

async function startModel() {
  const model = { plan: undefined, result: undefined }
  const answer = async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    if (!/^\/v1\/messages(?:\?|$)/.test(request.url)) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
      return
    }
    const { messages } = JSON.parse(Buffer.concat(chunks).toString())
    const last = messages.at(-1)?.content
    const result = Array.isArray(last) ? last.find(({ type }) => type === 'tool_result') : undefined
    if (result) model.result = result
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of eventsOf(result ? undefined : model.plan))
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    response.end()
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${server.address().port}`
  return { model, url, close: () => server.close() }
}

/** Messages of the user, as they are given. */
function createPrompts() {
  const waiting = []
  let wake = () => undefined
  async function* prompts() {
    for (;;) {
      while (waiting.length > 0) yield waiting.shift()
      await new Promise((resolve) => (wake = resolve))
    }
  }
  const give = (content) => {
    waiting.push({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' })
    wake()
  }
  return { prompts, give }
}

async function connected(running) {
  for (let tries = 0; tries < MOST_WAITS; tries += 1) {
    const [server] = await running.mcpServerStatus()
    if (server?.status === 'connected') return server
    if (server?.status !== 'pending') throw new Error(`${server?.status}: ${server?.error ?? 'no reason'}`)
    await pause(WAIT_MS)
  }
  throw new Error('timed out while it connected')
}

export async function openClaudeAgent(url, headers) {
  const { query } = await load('@anthropic-ai/claude-agent-sdk')
  const { model, url: modelUrl, close } = await startModel()
  const { prompts, give } = createPrompts()
  const env = {
    PATH: process.env.PATH,
    // In the folder of the run, which is removed with it.
    HOME: mkdtempSync(join(process.cwd(), 'home-')),
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    ENABLE_TOOL_SEARCH: 'false',
  }
  const mcpServers = { gw: { type: 'http', url, headers } }
  const options = {
    env,
    mcpServers,
    strictMcpConfig: true,
    settingSources: [],
    allowedTools: ['mcp__gw'],
    model: MODEL,
  }
  const running = query({ prompt: prompts(), options })

  async function turn(plan) {
    Object.assign(model, { plan, result: undefined })
    give('Go on.')
    for (;;) {
      const { value, done } = await running.next()
      if (done) throw new Error('its process ended')
      if (value.type === 'result') return model.result
    }
  }
  await turn(undefined)
  await connected(running)
  return {
    list: async () => (await connected(running)).tools.map(({ name }) => name),
    async call(name, args) {
      const result = await turn({ tool: `mcp__gw__${name}`, args })
      const text = JSON.stringify(result?.content ?? 'no result')
      if (result?.is_error) throw new Error(text)
      return text
    },
    close: async () => {
      running.close()
      close()
    },
  }
}
