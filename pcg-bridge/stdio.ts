// The bridge alone: `node pcg-bridge/stdio.ts --stdio [--project <dir>]` is an MCP server over stdin and stdout.
import { homedir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { type BridgeResult, openEmbeddedBackend } from './bridge.ts'

const USAGE = 'node pcg-bridge/stdio.ts --stdio [--project <folder>] [--inspection]'

function asResult(answer: BridgeResult): CallToolResult {
  if (!answer.ok)
    return { isError: true, content: [{ type: 'text', text: answer.message }], _meta: { 'pcg/code': answer.code } }
  return { content: [{ type: 'text', text: JSON.stringify(answer.result) }], structuredContent: { ...answer.result } }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { stdio: { type: 'boolean' }, project: { type: 'string' }, inspection: { type: 'boolean' } },
  })
  if (!values.stdio) {
    process.stderr.write(`${USAGE}\n`)
    process.exitCode = 2
    return
  }
  const projectDir = path.resolve(values.project ?? path.join(homedir(), 'Gantry', 'pcg-project'))
  process.stderr.write(`pcg-bridge: the project is ${projectDir}\n`)
  const bridge = await openEmbeddedBackend({ name: 'pcg', projectDir })
  const extra = values.inspection ? bridge.inspection : null
  const tools = [...bridge.tools, ...(extra?.tools ?? [])].map((tool) => ({
    ...tool,
    inputSchema: { ...tool.inputSchema, type: 'object' as const },
    annotations: { ...tool.annotations, title: tool.title },
  }))

  const server = new Server({ name: 'pcg-bridge', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const owner = extra?.tools.some((tool) => tool.name === params.name) ? extra : bridge
    return asResult(await owner.call(params.name, params.arguments, { actor: 'stdio', signal }))
  })
  server.onclose = () => {
    void bridge.close()
  }
  await server.connect(new StdioServerTransport())
  process.stdin.once('end', () => {
    void server.close()
  })
}

await main()
