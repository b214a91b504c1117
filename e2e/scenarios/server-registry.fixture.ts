// A double of a registry of MCP servers (API v0.1) and of an npm registry, on loopback over HTTP.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const PAGE = 2
type Server = { readonly name: string } & Readonly<Record<string, unknown>>

export const NOTES: Server = {
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: 'io.github.ada/notes-server',
  title: 'Notes',
  description: 'Reads and writes notes',
  version: '1.2.0',
  repository: { url: 'https://github.com/ada/notes', source: 'github' },
  packages: [
    {
      registryType: 'npm',
      registryBaseUrl: 'https://registry.npmjs.org',
      identifier: 'notes-server',
      version: '1.2.0',
      transport: { type: 'stdio' },
      packageArguments: [{ type: 'named', name: '--level', value: 'high' }],
      environmentVariables: [
        { name: 'NOTES_TOKEN', description: 'Of your account', isRequired: true, isSecret: true },
        { name: 'NOTES_LANG', default: 'en' },
      ],
    },
  ],
}

export async function aServerRegistry(servers: readonly Server[]) {
  const asked: string[] = []
  let [isBroken, notModified] = [false, 0]
  const listed = (server: Server) => ({
    server,
    _meta: {
      'io.modelcontextprotocol.registry/official': {
        status: 'active',
        publishedAt: '2026-01-02T03:04:05Z',
        updatedAt: '2026-02-02T03:04:05Z',
        isLatest: true,
      },
    },
  })
  const web = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://registry.test')
    asked.push(`${url.pathname}${url.search}`)
    if (isBroken) return void response.writeHead(503).end()
    const send = (value: object): void => {
      const text = JSON.stringify(value)
      const etag = `"${createHash('sha256').update(text).digest('hex')}"`
      if (request.headers['if-none-match'] === etag) {
        notModified += 1
        return void response.writeHead(304).end()
      }
      response.writeHead(200, { 'content-type': 'application/json', etag }).end(text)
    }
    const [, name] = /^\/v0\.1\/servers\/([^/]+)\/versions\/latest$/.exec(url.pathname) ?? []
    const one = servers.find((server) => server.name === decodeURIComponent(name ?? ''))
    if (one) return send(listed(one))
    if (url.pathname === '/notes-server/1.2.0') return send({ name: 'notes-server', scripts: { postinstall: 'x' } })
    if (url.pathname !== '/v0.1/servers') return void response.writeHead(404).end('{}')
    const found = servers.filter((server) => server.name.includes(url.searchParams.get('search') ?? ''))
    const from = Number(url.searchParams.get('cursor') ?? 0)
    const more = from + PAGE < found.length ? String(from + PAGE) : undefined
    send({ servers: found.slice(from, from + PAGE).map(listed), metadata: { count: PAGE, nextCursor: more } })
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  const { port } = web.address() as AddressInfo // it listens
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    notModified: () => notModified,
    breaks(broken: boolean) {
      isBroken = broken
    },
    close: () =>
      new Promise((resolve) => {
        web.close(resolve)
        web.closeAllConnections()
      }),
  }
}
