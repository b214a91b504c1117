// One MCP server per row, of packages that the command installs: how it starts, and a tool of it with what its answer holds.

export type ServerRow = {
  readonly name: string
  readonly package: string
  readonly endpoint: string
  readonly transport?: 'sse'
  /** In the folder of the packages. */
  readonly args: (port: number, folder: string) => readonly string[]
  readonly tool: string
  readonly given: object
  readonly answer: string
}

const everything = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'
const filesystem = 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js'
const memory = 'node_modules/@modelcontextprotocol/server-memory/dist/index.js'
const thinking = 'node_modules/@modelcontextprotocol/server-sequential-thinking/dist/index.js'
const echo = { tool: 'echo', given: { message: 'compat' }, answer: 'compat' }
const graph = { tool: 'read_graph', given: {}, answer: 'entities' }

/** The options of a program as one text. */
const words = (text: string): readonly string[] => text.split(' ')

/** A server of standard input and output behind a proxy that serves HTTP. */
const proxied = (port: number, ...program: readonly string[]): string[] => [
  'node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs',
  ...words(`--port ${port} --host 127.0.0.1 --`),
  process.execPath,
  ...program,
]
const superproxied = (port: number, program: string, ...more: readonly string[]): string[] => [
  'node_modules/supergateway/dist/index.js',
  '--stdio',
  `${process.execPath} ${program}`,
  ...words(`--outputTransport streamableHttp --port ${port} --logLevel none`),
  ...more,
]

/** Servers of `framework-server.mjs`. */
const FRAMEWORKS = [
  ['FastMCP', 'fastmcp', 'fastmcp'],
  ['Hono', '@hono/mcp', 'hono'],
  ['Mastra', '@mastra/mcp', 'mastra'],
  ['mcp-use', 'mcp-use', 'mcp-use'],
  ['SDK 2', '@modelcontextprotocol/server', 'sdk2'],
] as const

export const SERVERS: readonly ServerRow[] = [
  {
    name: 'Everything, Streamable HTTP',
    package: '@modelcontextprotocol/server-everything',
    endpoint: '/mcp',
    args: () => [everything, 'streamableHttp'],
    ...echo,
  },
  {
    name: 'Everything, HTTP with SSE',
    package: '@modelcontextprotocol/server-everything',
    endpoint: '/sse',
    transport: 'sse',
    args: () => [everything, 'sse'],
    ...echo,
  },
  {
    name: 'Filesystem behind mcp-proxy',
    package: '@modelcontextprotocol/server-filesystem',
    endpoint: '/mcp',
    args: (port, folder) => proxied(port, filesystem, folder),
    tool: 'list_allowed_directories',
    given: {},
    answer: 'Allowed directories',
  },
  {
    name: 'Sequential thinking behind mcp-proxy',
    package: '@modelcontextprotocol/server-sequential-thinking',
    endpoint: '/mcp',
    args: (port) => proxied(port, thinking),
    tool: 'sequentialthinking',
    given: { thought: 'compat', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
    answer: 'thoughtNumber',
  },
  {
    name: 'Memory behind mcp-proxy, HTTP with SSE',
    package: '@modelcontextprotocol/server-memory',
    endpoint: '/sse',
    transport: 'sse',
    args: (port) => proxied(port, memory),
    ...graph,
  },
  {
    name: 'Memory behind supergateway, without sessions',
    package: 'supergateway',
    endpoint: '/mcp',
    args: (port) => superproxied(port, memory),
    ...graph,
  },
  {
    name: 'Memory behind supergateway, with sessions',
    package: 'supergateway',
    endpoint: '/mcp',
    args: (port) => superproxied(port, memory, '--stateful'),
    ...graph,
  },
  ...FRAMEWORKS.map(([name, package_, framework]) => ({
    name,
    package: package_,
    endpoint: '/mcp',
    args: (port: number) => ['framework-server.mjs', framework, String(port)],
    ...echo,
  })),
]
