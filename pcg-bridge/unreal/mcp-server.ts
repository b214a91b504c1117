// Unreal 5.8's own MCP server, for what Python cannot do: one session, its three tools, its answers.
import { PcgError } from '../editor/editor.ts'
import { isRecord, type Json, parseBounded } from './bounded-json.ts'
import { ask, isLoopback } from './http.ts'

export const MCP_URL = 'http://127.0.0.1:8000/mcp'
const PROTOCOL = '2025-03-26'
const HANDSHAKE_MS = 5000

export type UnrealMcp = {
  readonly address: string
  readonly version: string | null
  /** Full name of the toolset, short name of the tool. Answers what the tool returned. */
  call(toolset: string, tool: string, args: Json, timeoutMs: number): Promise<unknown>
  /** The text of its description. */
  describe(toolset: string): Promise<string>
  close(): Promise<void>
}

/** The data of the event that answers our id; a stream may stay open after it. */
function fromStream(text: string, id: number | null): unknown {
  for (const event of text.split(/\r?\n\r?\n/)) {
    const data = event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trimStart())
      .join('\n')
    if (data === '') continue
    try {
      const value = parseBounded(data)
      if (isRecord(value) && value['id'] === id) return value
    } catch {
      // Not complete yet, or not for us.
    }
  }
  return null
}

function textOf(result: Json): string {
  const content = Array.isArray(result['content']) ? result['content'] : []
  return content
    .flatMap((block) => (isRecord(block) && typeof block['text'] === 'string' ? [block['text']] : []))
    .join('\n')
}

export async function openUnrealMcp(given: string = MCP_URL, timeoutMs = HANDSHAKE_MS): Promise<UnrealMcp> {
  const url = new URL(given)
  if (url.protocol !== 'http:' || !isLoopback(url.hostname))
    throw new PcgError(
      'INVALID_ARGUMENT',
      `Unreal's MCP server is on this machine only: give an address such as ${MCP_URL}`,
    )
  let session: string | null = null
  let version: string | null = null
  let serial = 0

  async function post(method: string, params: Json | undefined, waitMs: number, notify = false) {
    const id = notify ? null : (serial += 1)
    const reply = await ask({
      method: 'POST',
      url,
      headers: {
        Accept: 'application/json, text/event-stream',
        ...(session === null ? {} : { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': PROTOCOL }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...(notify ? {} : { id }), method, ...(params ? { params } : {}) }),
      timeoutMs: waitMs,
      isLast: (event) => fromStream(event, id) !== null,
    })
    if (notify || reply.status < 200 || reply.status > 299) return { reply, answer: null }
    const streamed = (reply.headers['content-type'] ?? '').includes('text/event-stream')
    return { reply, answer: streamed ? fromStream(reply.text, id) : parseBounded(reply.text) }
  }

  async function handshake(): Promise<void> {
    session = null
    const clientInfo = { name: 'gantry', version: '1' }
    const { reply, answer } = await post(
      'initialize',
      { protocolVersion: PROTOCOL, capabilities: {}, clientInfo },
      timeoutMs,
    )
    const result = isRecord(answer) && isRecord(answer['result']) ? answer['result'] : null
    const server = result && isRecord(result['serverInfo']) ? result['serverInfo'] : null
    if (!server || !/unreal/i.test(String(server['name'])))
      throw new PcgError('EDITOR_UNAVAILABLE', `What answers at ${url.host} is not the MCP server of an Unreal editor`)
    version = String(server['version'] ?? '') || null
    const id = reply.headers['mcp-session-id']
    session = typeof id === 'string' ? id : null
    await post('notifications/initialized', undefined, timeoutMs, true)
  }

  async function tool(name: string, args: Json, waitMs: number, again = true): Promise<string> {
    const { reply, answer } = await post('tools/call', { name, arguments: args }, waitMs)
    // The editor was restarted: nothing was called, so a new session may call it.
    if (again && (reply.status === 404 || reply.status === 400)) {
      await handshake()
      return tool(name, args, waitMs, false)
    }
    if (!isRecord(answer)) throw new PcgError('EDITOR_ERROR', `Unreal's MCP server answered ${reply.status}`)
    const { result, error } = answer
    if (isRecord(error))
      throw new PcgError('EDITOR_ERROR', `Unreal's MCP server: ${String(error['message']).slice(0, 300)}`)
    if (!isRecord(result)) throw new PcgError('EDITOR_ERROR', "Unreal's MCP server answered without a result")
    if (result['isError'] === true)
      throw new PcgError('EDITOR_ERROR', textOf(result).slice(0, 300) || 'The tool failed')
    return textOf(result)
  }

  await handshake()
  return {
    address: url.href,
    get version() {
      return version
    },
    async call(toolset_name, tool_name, args, waitMs) {
      const text = await tool('call_tool', { toolset_name, tool_name, arguments: args }, waitMs)
      return parseBounded(text)
    },
    describe: (toolset_name) => tool('describe_toolset', { toolset_name }, timeoutMs),
    async close() {
      if (session === null) return
      const headers = { 'Mcp-Session-Id': session }
      // The session ends with the editor anyway.
      await ask({ method: 'DELETE', url, headers, timeoutMs: 1000 }).catch(() => undefined)
    },
  }
}
