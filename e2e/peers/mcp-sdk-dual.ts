// A real MCP server of both eras, made with version 2 of the official SDK: sessions or none for legacy clients, pushed questions or rounds.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  createMcpHandler,
  inputRequired,
  isLegacyRequest,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { listening } from '../../gateway/net/listening.fixture.ts'

export type DualPeer = {
  readonly url: string
  /** The era of each call of a tool, in order of arrival. */
  readonly calls: ('legacy' | 'modern')[]
  close(): Promise<void>
}
type Options = {
  /** Legacy clients get a session; else each of their requests is served on its own. */
  readonly sessions: boolean
  readonly tools?: boolean
}

const FORM = {
  mode: 'form' as const,
  message: 'Who?',
  requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' as const } } },
}
const SAMPLE = {
  maxTokens: 8,
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Capital?' } }],
}
const TOOLS = ['push_form', 'push_sample', 'push_roots', 'rounds_form'].map((name) => ({
  name,
  description: `The tool ${name}`,
  inputSchema: { type: 'object' as const },
}))
const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] })

export async function startDualPeer({ sessions, tools = true }: Options): Promise<DualPeer> {
  const calls: DualPeer['calls'] = []
  const open = new Map<string, WebStandardStreamableHTTPServerTransport>()

  function serverOf(era: 'legacy' | 'modern'): Server {
    const capabilities = { ...(tools ? { tools: {} } : {}), resources: {} }
    const server = new Server({ name: 'dual', version: '1' }, { capabilities })
    server.setRequestHandler('resources/list', () => ({ resources: [{ uri: 'dual://era', name: 'era' }] }))
    server.setRequestHandler('resources/read', ({ params: { uri } }) => ({ contents: [{ uri, text: era }] }))
    if (!tools) return server
    server.setRequestHandler('tools/list', () => ({ tools: TOOLS }))
    server.setRequestHandler('tools/call', async ({ params: { name } }, { mcpReq }) => {
      calls.push(era)
      // On the stream of the call: the SDK drops a question for a stream that its client has not opened yet.
      const onStream = { relatedRequestId: mcpReq.id }
      if (name === 'push_form') return text(await server.elicitInput(FORM, onStream))
      if (name === 'push_sample') return text(await server.createMessage(SAMPLE, onStream))
      if (name === 'push_roots') return text(await server.listRoots({}, onStream))
      const given = mcpReq.inputResponses?.form
      return given === undefined ? inputRequired({ inputRequests: { form: inputRequired.elicit(FORM) } }) : text(given)
    })
    return server
  }

  async function inSession(request: Request): Promise<Response> {
    const known = open.get(request.headers.get('mcp-session-id') ?? '')
    if (known) return known.handleRequest(request)
    if (request.headers.has('mcp-session-id')) return new Response(null, { status: 404 })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void open.set(id, transport),
    })
    await serverOf('legacy').connect(transport)
    return transport.handleRequest(request)
  }

  const handler = createMcpHandler(({ era }) => serverOf(era), { legacy: sessions ? 'reject' : 'stateless' })
  const answer = async (request: Request): Promise<Response> =>
    sessions && (await isLegacyRequest(request)) ? inSession(request) : handler.fetch(request)

  const server = createServer((request, response) => {
    serve(request, response, answer).catch(() => response.destroy())
  })
  const { url } = await listening(server)
  return {
    url: `${url}/mcp`,
    calls,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      await handler.close()
    },
  }
}

/** A request of Node as one of the web, and the answer back. */
async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const { method = 'GET', url = '/', headers } = request
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer) // a request without encoding has no other
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
  const answered = await answer(
    new Request(new URL(url, `http://${headers.host}`), {
      method,
      headers: pairs,
      signal: gone.signal,
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    }),
  )
  response.writeHead(answered.status, Object.fromEntries(answered.headers))
  response.flushHeaders()
  for await (const chunk of answered.body ?? []) response.write(chunk)
  response.end()
}
