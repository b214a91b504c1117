// A server made with a framework: one tool that returns its argument. Arguments: the framework, the port.
import { createServer } from 'node:http'

/** By name, as in `clients.mjs`. */
const load = (name) => import(name)
const { z } = await load('zod')
const [framework = '', given = '0'] = process.argv.slice(2)
const port = Number(given)
const host = '127.0.0.1'
const about = { name: 'compat', version: '1.0.0' }
const schema = z.object({ message: z.string() })
const described = { description: 'Returns it', inputSchema: schema }
const echo = async ({ message }) => ({ content: [{ type: 'text', text: message }] })

const FRAMEWORKS = {
  async fastmcp() {
    const { FastMCP } = await load('fastmcp')
    const server = new FastMCP(about)
    const execute = async ({ message }) => message
    server.addTool({ name: 'echo', description: 'Returns it', parameters: schema, execute })
    await server.start({ transportType: 'httpStream', httpStream: { port, endpoint: '/mcp' } })
  },
  async hono() {
    const { StreamableHTTPTransport } = await load('@hono/mcp')
    const { serve } = await load('@hono/node-server')
    const { McpServer } = await load('@modelcontextprotocol/sdk/server/mcp.js')
    const { Hono } = await load('hono')
    const app = new Hono()
    app.all('/mcp', async (context) => {
      const server = new McpServer(about)
      server.registerTool('echo', { ...described, inputSchema: schema.shape }, echo)
      const transport = new StreamableHTTPTransport()
      await server.connect(transport)
      return transport.handleRequest(context)
    })
    serve({ fetch: app.fetch, port, hostname: host })
  },
  async mastra() {
    const { createTool } = await load('@mastra/core/tools')
    const { MCPServer } = await load('@mastra/mcp')
    const tools = { echo: createTool({ id: 'echo', ...described, execute: async ({ message }) => ({ message }) }) }
    const server = new MCPServer({ ...about, tools })
    createServer((req, res) => {
      const url = new URL(req.url ?? '', `http://${host}:${port}`)
      void server.startHTTP({ url, httpPath: '/mcp', req, res })
    }).listen(port, host)
  },
  async 'mcp-use'() {
    const { MCPServer } = await load('mcp-use')
    const server = new MCPServer({ ...about, host })
    server.tool({ name: 'echo', ...described }, echo)
    await server.listen(port)
  },
  async sdk2() {
    const { toNodeHandler } = await load('@modelcontextprotocol/node')
    const { createMcpHandler, McpServer } = await load('@modelcontextprotocol/server')
    const handler = createMcpHandler(() => {
      const server = new McpServer(about)
      server.registerTool('echo', described, echo)
      return server
    })
    createServer(toNodeHandler(handler)).listen(port, host)
  },
}
await FRAMEWORKS[framework]()
