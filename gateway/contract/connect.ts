// How each known client is set up for an endpoint: the file, its content, what to do with it. Contract 7.5.
import { z } from 'zod'
import { AGENT_ENTRIES } from './agent-entry.ts'

export const CONNECT_CLIENTS = [
  'claude-code',
  'claude-desktop',
  'cursor',
  'vscode',
  'windsurf',
  'continue',
  'codex',
  'generic-json',
  'curl',
  'typescript',
  'python',
] as const
export type ConnectClientId = (typeof CONNECT_CLIENTS)[number]

export const ConnectClient = z.object({
  id: z.enum(CONNECT_CLIENTS),
  label: z.string(),
  filename: z.string(),
  snippet: z.string(),
  /** What does the same in a terminal. */
  command: z.string().nullable(),
  instructions: z.array(z.string()),
  deepLink: z.string().nullable(),
})
export type ConnectClient = z.infer<typeof ConnectClient>

/** Stands for a key that cannot be shown. */
export const KEY_PLACEHOLDER = '<MCP_KEY>'

export type Endpoint = {
  /** What the server is called in the client. */
  readonly name: string
  readonly url: string
  /** Null leaves a placeholder, and out what would work only with a key. */
  readonly key: string | null
  readonly deepLinks: boolean
}

const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
/** The whole file of an agent that has nothing else in it. */
const fileOf = (id: Exclude<keyof typeof AGENT_ENTRIES, 'claude-desktop'>, { name, url, bearer }: Bearing): string =>
  pretty({ [AGENT_ENTRIES[id].container]: { [name]: AGENT_ENTRIES[id].entry({ url, bearer }) } })
const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

type Written = Omit<ConnectClient, 'id' | 'command'> & { readonly command?: string }
type Bearing = Endpoint & { readonly bearer: string }
const WRITERS: Readonly<Record<ConnectClientId, (endpoint: Bearing) => Written>> = {
  'claude-code': (endpoint) => ({
    label: AGENT_ENTRIES['claude-code'].label,
    filename: '.mcp.json',
    snippet: fileOf('claude-code', endpoint),
    instructions: [
      'Save this as .mcp.json in the folder of your project, or add the entry to the one you have.',
      'Or run the command, which adds it for every project.',
      'Start claude in that folder and accept the server when it asks.',
    ],
    command: `claude mcp add --transport http --scope user ${endpoint.name} '${endpoint.url}' --header 'Authorization: ${endpoint.bearer}'`,
    deepLink: null,
  }),
  'claude-desktop': ({ name, url, bearer }) => ({
    label: AGENT_ENTRIES['claude-desktop'].label,
    filename: 'claude_desktop_config.json',
    snippet: pretty({
      mcpServers: {
        [name]: {
          command: 'npx',
          args: ['-y', 'mcp-remote', url, '--allow-http', '--header', 'Authorization:${AUTH}'],
          env: { AUTH: bearer },
        },
      },
    }),
    instructions: [
      'Open Settings → Developer → Edit Config and add the entry under mcpServers. It needs Node.js for npx.',
      'Quit Claude Desktop and start it again.',
    ],
    deepLink: null,
  }),
  cursor: (endpoint) => {
    const { name, key, deepLinks } = endpoint
    const server = AGENT_ENTRIES.cursor.entry(endpoint)
    const query = new URLSearchParams({ name, config: base64(JSON.stringify(server)) }).toString()
    return {
      label: AGENT_ENTRIES.cursor.label,
      filename: '.cursor/mcp.json',
      snippet: fileOf('cursor', endpoint),
      instructions: [
        'Save this as .cursor/mcp.json in your project, or as ~/.cursor/mcp.json for every project.',
        'Open Settings → MCP and switch the server on.',
      ],
      deepLink: deepLinks && key !== null ? `cursor://anysphere.cursor-deeplink/mcp/install?${query}` : null,
    }
  },
  vscode: (endpoint) => {
    const { name, url, deepLinks } = endpoint
    // The link asks for the key: inside the link it would stay in the history of every program that opens it.
    const input = { type: 'promptString', id: 'gantry-key', description: `Key for ${name}`, password: true }
    const asked = { name, type: 'http', url, headers: { Authorization: 'Bearer ${input:gantry-key}' }, inputs: [input] }
    return {
      label: AGENT_ENTRIES.vscode.label,
      filename: '.vscode/mcp.json',
      snippet: fileOf('vscode', endpoint),
      instructions: [
        'Save this as .vscode/mcp.json in your project, and press Start above the server’s name.',
        'The button opens VS Code, which asks for the key.',
      ].slice(0, deepLinks ? 2 : 1),
      deepLink: deepLinks ? `vscode:mcp/install?${encodeURIComponent(JSON.stringify(asked))}` : null,
    }
  },
  windsurf: (endpoint) => ({
    label: AGENT_ENTRIES.windsurf.label,
    filename: '~/.codeium/windsurf/mcp_config.json',
    snippet: fileOf('windsurf', endpoint),
    instructions: [
      'Add the entry to ~/.codeium/windsurf/mcp_config.json.',
      'Press Refresh in the MCP panel of Cascade.',
    ],
    deepLink: null,
  }),
  continue: ({ name, url, bearer }) => ({
    label: 'Continue',
    filename: `.continue/mcpServers/${name}.yaml`,
    // A JSON string is a YAML string.
    snippet: [
      `name: ${JSON.stringify(name)}`,
      'version: 0.0.1',
      'schema: v1',
      'mcpServers:',
      `  - name: ${JSON.stringify(name)}`,
      '    type: streamable-http',
      `    url: ${JSON.stringify(url)}`,
      '    requestOptions:',
      '      headers:',
      `        Authorization: ${JSON.stringify(bearer)}`,
      '',
    ].join('\n'),
    instructions: ['Save this under the path above in your project.', 'Use agent mode: other modes call no tools.'],
    deepLink: null,
  }),
  codex: ({ name, url, key }) => {
    const variable = `${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_KEY`
    return {
      label: AGENT_ENTRIES.codex.label,
      filename: '~/.codex/config.toml',
      // A JSON string is a TOML string.
      snippet: [
        `[mcp_servers.${JSON.stringify(name)}]`,
        `url = ${JSON.stringify(url)}`,
        `bearer_token_env_var = ${JSON.stringify(variable)}`,
        '',
      ].join('\n'),
      instructions: ['Add this to ~/.codex/config.toml.', 'Set the key with the command before you start codex.'],
      command: `export ${variable}='${key ?? KEY_PLACEHOLDER}'`,
      deepLink: null,
    }
  },
  'generic-json': ({ name, url, bearer }) => ({
    label: 'Any other client',
    filename: 'mcp.json',
    snippet: pretty({ mcpServers: { [name]: { type: 'http', url, headers: { Authorization: bearer } } } }),
    instructions: ['Add the entry to the mcpServers of your client; the transport is Streamable HTTP.'],
    deepLink: null,
  }),
  curl: ({ url, bearer }) => ({
    label: 'curl',
    filename: 'Terminal',
    // The stateless era: one request is a whole conversation.
    snippet: [
      `curl -sS '${url}' \\`,
      `  -H 'Authorization: ${bearer}' \\`,
      "  -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \\",
      `  -d '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}'`,
      '',
    ].join('\n'),
    instructions: ['Lists the tools. For a call, send the method tools/call with a name and arguments.'],
    deepLink: null,
  }),
  typescript: ({ url, bearer }) => ({
    label: 'TypeScript',
    filename: 'agent.ts',
    snippet: [
      "import { Client } from '@modelcontextprotocol/sdk/client/index.js'",
      "import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'",
      '',
      "const client = new Client({ name: 'my-agent', version: '1.0.0' })",
      'await client.connect(',
      `  new StreamableHTTPClientTransport(new URL(${JSON.stringify(url)}), {`,
      `    requestInit: { headers: { Authorization: ${JSON.stringify(bearer)} } },`,
      '  }),',
      ')',
      'console.log(await client.listTools())',
      '',
    ].join('\n'),
    instructions: ['Run npm install @modelcontextprotocol/sdk first.', 'Then call tools with client.callTool.'],
    deepLink: null,
  }),
  python: ({ url, bearer }) => ({
    label: 'Python',
    filename: 'agent.py',
    // A JSON string is a Python string.
    snippet: [
      'import asyncio',
      'from mcp import ClientSession',
      'from mcp.client.streamable_http import streamablehttp_client',
      '',
      'async def main():',
      `    headers = {"Authorization": ${JSON.stringify(bearer)}}`,
      `    async with streamablehttp_client(${JSON.stringify(url)}, headers=headers) as (read, write, _):`,
      '        async with ClientSession(read, write) as session:',
      '            await session.initialize()',
      '            print(await session.list_tools())',
      '',
      'asyncio.run(main())',
      '',
    ].join('\n'),
    instructions: ['Run pip install mcp first.', 'Then call tools with session.call_tool.'],
    deepLink: null,
  }),
}

export function connectClients(endpoint: Endpoint): ConnectClient[] {
  const bearer = `Bearer ${endpoint.key ?? KEY_PLACEHOLDER}`
  return CONNECT_CLIENTS.map((id) => {
    const { command = null, ...written } = WRITERS[id]({ ...endpoint, bearer })
    return { id, command, ...written }
  })
}
