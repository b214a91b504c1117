// A server made with FastMCP: one tool that returns its argument.
const { FastMCP } = await load('fastmcp')
const { z } = await load('zod')

/** By name, as in `clients.mjs`. */
function load(name) {
  return import(name)
}

const server = new FastMCP({ name: 'compat', version: '1.0.0' })
const parameters = z.object({ message: z.string() })
server.addTool({ name: 'echo', description: 'Returns it', parameters, execute: async ({ message }) => message })
const [port = '0'] = process.argv.slice(2)
await server.start({ transportType: 'httpStream', httpStream: { port: Number(port), endpoint: '/mcp' } })
