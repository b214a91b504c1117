// One client per row, of packages that the command installs beside this file: how it connects, lists and calls.
import { join } from 'node:path'
import { openClaudeAgent } from './claude-agent.mjs'

/** By name, so that no tool takes these packages for dependencies of the project. */
const load = (name) => import(name)
const root = process.cwd()
const program = (path) => join(root, 'node_modules', path)
const textOf = (result) => JSON.stringify(result?.content ?? result)

async function connected(client, transport) {
  await client.connect(transport)
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => textOf(await client.callTool({ name, arguments: args })),
    close: () => client.close(),
  }
}

async function sdk1(transport) {
  const { Client } = await load('@modelcontextprotocol/sdk/client/index.js')
  return connected(new Client({ name: 'compat', version: '1' }), transport)
}

const sdk2 = (mode) => async (url, headers) => {
  const { Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client')
  const client = new Client({ name: 'compat', version: '1' }, { versionNegotiation: { mode } })
  return connected(client, new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
}

/** A program that speaks stdio, driven by the SDK. */
const bridge = (path, argsOf) => async (url, headers) => {
  const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js')
  const args = [program(path), ...argsOf(url, Object.entries(headers))]
  return sdk1(new StdioClientTransport({ command: process.execPath, args, cwd: root, stderr: 'ignore' }))
}

async function inspected(url, headers, ...args) {
  const { execFile } = await load('node:child_process')
  const given = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`])
  const command = [program('@modelcontextprotocol/inspector/clients/launcher/build/index.js'), '--cli', url]
  const options = ['--transport', 'http', ...given, '--stored-auth-only', ...args, '--format', 'json']
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...command, ...options], { cwd: root }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr || String(error)))
      else resolve(JSON.parse(stdout).result)
    })
  })
}

export const CLIENTS = {
  'SDK 1': {
    package: '@modelcontextprotocol/sdk',
    async open(url, headers) {
      const { StreamableHTTPClientTransport } = await load('@modelcontextprotocol/sdk/client/streamableHttp.js')
      return sdk1(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
    },
  },
  'SDK 2, legacy era': { package: '@modelcontextprotocol/client', open: sdk2('legacy') },
  'SDK 2, modern era': { package: '@modelcontextprotocol/client', open: sdk2({ pin: '2026-07-28' }) },
  'AI SDK': {
    package: '@ai-sdk/mcp',
    async open(url, headers) {
      const { createMCPClient } = await load('@ai-sdk/mcp')
      const client = await createMCPClient({ transport: { type: 'http', url, headers } })
      const tools = await client.tools()
      return {
        list: async () => Object.keys(await client.tools()),
        call: async (name, args) => textOf(await tools[name].execute(args, { toolCallId: '1', messages: [] })),
        close: () => client.close(),
      }
    },
  },
  'LangChain adapters': {
    package: '@langchain/mcp-adapters',
    async open(url, headers) {
      const { MultiServerMCPClient } = await load('@langchain/mcp-adapters')
      const client = new MultiServerMCPClient({ mcpServers: { gw: { transport: 'http', url, headers } } })
      const tools = await client.getTools()
      return {
        list: async () => (await client.getTools()).map(({ name }) => name),
        call: async (name, args) => textOf(await tools.find((tool) => tool.name === name).invoke(args)),
        close: () => client.close(),
      }
    },
  },
  'OpenAI Agents': {
    package: '@openai/agents',
    async open(url, headers) {
      const { MCPServerStreamableHttp } = await load('@openai/agents')
      const server = new MCPServerStreamableHttp({ url, name: 'gw', requestInit: { headers } })
      await server.connect()
      return {
        list: async () => (await server.listTools()).map(({ name }) => name),
        call: async (name, args) => textOf(await server.callTool(name, args)),
        close: () => server.close(),
      }
    },
  },
  Mastra: {
    package: '@mastra/mcp',
    async open(url, headers) {
      const { MCPClient } = await load('@mastra/mcp')
      const client = new MCPClient({ servers: { gw: { url: new URL(url), requestInit: { headers } } } })
      const { tools, errors = {} } = await client.listToolsWithErrors()
      if (Object.keys(errors).length > 0) throw new Error(JSON.stringify(errors))
      return {
        list: async () => Object.keys(await client.listTools()).map((name) => name.replace(/^gw_/, '')),
        call: async (name, args) => textOf(await tools[`gw_${name}`].execute(args)),
        close: () => client.disconnect(),
      }
    },
  },
  'mcp-use': {
    package: 'mcp-use-client',
    async open(url, headers) {
      const { MCPClient } = await load('mcp-use-client/client')
      const client = new MCPClient({ mcpServers: { gw: { url, headers } } })
      const session = await client.createSession('gw')
      return {
        list: async () => (await session.listTools()).map(({ name }) => name),
        call: async (name, args) => textOf(await session.callTool(name, args)),
        close: () => client.closeAllSessions(),
      }
    },
  },
  'Claude Agent SDK': { package: '@anthropic-ai/claude-agent-sdk', open: openClaudeAgent },
  mcporter: {
    package: 'mcporter',
    async open(url, headers) {
      const { createRuntime } = await load('mcporter')
      const server = { name: 'gw', command: { kind: 'http', url: new URL(url), headers } }
      const runtime = await createRuntime({ servers: [server] })
      return {
        list: async () => (await runtime.listTools('gw')).map(({ name }) => name),
        call: async (name, args) => textOf(await runtime.callTool('gw', name, { args })),
        close: () => runtime.close(),
      }
    },
  },
  supergateway: {
    package: 'supergateway',
    open: bridge('supergateway/dist/index.js', (url, headers) => [
      '--streamableHttp',
      url,
      '--logLevel',
      'none',
      ...headers.flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ]),
  },
  'mcp-remote': {
    package: 'mcp-remote',
    open: bridge('mcp-remote/dist/proxy.js', (url, headers) => [
      url,
      '--allow-http',
      ...headers.flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ]),
  },
  Inspector: {
    package: '@modelcontextprotocol/inspector',
    open: async (url, headers) => ({
      list: async () => (await inspected(url, headers, '--method', 'tools/list')).tools.map(({ name }) => name),
      call: async (name, args) =>
        textOf(
          await inspected(
            url,
            headers,
            '--method',
            'tools/call',
            '--tool-name',
            name,
            ...Object.entries(args).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`]),
          ),
        ),
      close: async () => undefined,
    }),
  },
}
