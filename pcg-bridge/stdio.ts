// The bridge alone: `node pcg-bridge/stdio.ts --stdio [--project <dir>]` is an MCP server over stdin and stdout.
import { homedir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { CallResult } from './contract/index.ts'
import { openEmbeddedEditor } from './embedded/index.ts'
import { createHosted } from './hosted/hosted.ts'

const USAGE = 'node pcg-bridge/stdio.ts --stdio [--project <folder>] [--inspection]'

function asResult(answer: CallResult): CallToolResult {
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
  const hosted = createHosted({
    editor: await openEmbeddedEditor({ directory: projectDir }),
    sidecarDir: path.join(projectDir, 'Saved', 'layouts'),
    queueMax: 32,
    callTimeoutMs: 60_000,
  })
  const extra = values.inspection ? hosted.inspection : null
  const tools = [...hosted.tools.tools, ...(extra?.tools ?? [])].map((tool) => ({
    ...tool,
    inputSchema: { ...tool.inputSchema, type: 'object' as const },
    annotations: { ...tool.annotations, title: tool.title },
  }))

  const server = new Server({ name: 'pcg-bridge', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const owner = extra?.tools.some((tool) => tool.name === params.name) ? extra : hosted.tools
    return asResult(await owner.call(params.name, params.arguments, { actor: 'stdio', source: 'mcp', signal }))
  })
  server.onclose = () => {
    void hosted.close()
  }
  await server.connect(new StdioServerTransport())
  process.stdin.once('end', () => {
    void server.close()
  })
}

await main()
