// A real MCP upstream for tests on foreign code: the official SDK's server, on either of its transports.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { listening } from '../net/listening.fixture.ts'

export type McpSdkPeer = {
  readonly url: string
  readonly initialised: () => number
  readonly called: () => number
  readonly cancelled: () => number
  changeTools(): Promise<void>
  close(): Promise<void>
}

export async function startMcpSdkPeer(
  transport: 'streamable-http' | 'sse',
  answerAs: 'json' | 'sse' = 'sse',
): Promise<McpSdkPeer> {
  const servers: Server[] = []
  const streamable = new Map<string, StreamableHTTPServerTransport>()
  const sse = new Map<string, SSEServerTransport>()
  let called = 0
  let cancelled = 0

  function newServer(): Server {
    const server = new Server({ name: 'sdk-peer', version: '1' }, { capabilities: { tools: { listChanged: true } } })
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [
        { name: 'echo', inputSchema: { type: 'object' }, _meta: { 'vendor/x': 1 } },
        { name: 'slow', inputSchema: { type: 'object' } },
      ],
    }))
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification, _meta }) => {
      called += 1
      if (params.name === 'slow') {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        cancelled += 1
      }
      if (_meta?.progressToken !== undefined)
        await sendNotification({
          method: 'notifications/progress',
          params: { progressToken: _meta.progressToken, progress: 1 },
        })
      return { content: [{ type: 'text', text: JSON.stringify(params.arguments) }] }
    })
    servers.push(server)
    return server
  }

  async function handleStreamable(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const known = streamable.get(String(request.headers['mcp-session-id']))
    if (known) return known.handleRequest(request, response)
    if (request.headers['mcp-session-id'] !== undefined) return void response.writeHead(404).end()
    const created: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: answerAs === 'json',
      onsessioninitialized: (id) => void streamable.set(id, created),
    })
    await newServer().connect(created)
    return created.handleRequest(request, response)
  }

  async function handleSse(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      const created = new SSEServerTransport('/messages', response)
      sse.set(created.sessionId, created)
      await newServer().connect(created)
      return
    }
    const id = new URL(request.url ?? '', 'http://peer').searchParams.get('sessionId') ?? ''
    await sse.get(id)?.handlePostMessage(request, response)
  }

  const server = createServer((request, response) => {
    const handled = transport === 'sse' ? handleSse(request, response) : handleStreamable(request, response)
    handled.catch(() => response.destroy())
  })
  const { url, close } = await listening(server)
  return {
    url: `${url}${transport === 'sse' ? '/sse' : '/mcp'}`,
    initialised: () => servers.filter((each) => each.getClientVersion() !== undefined).length,
    called: () => called,
    cancelled: () => cancelled,
    async changeTools() {
      for (const each of servers) if (each.getClientVersion()) await each.sendToolListChanged()
    },
    close,
  }
}
