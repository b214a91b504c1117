// Serves the built admin application. The files are listed once at start, so no path of a request reaches the disk.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { GatewayError } from '../contract/error.ts'
import { acceptedEncoding, type Encoding } from './accept-encoding.ts'
import { UI_CONTENT_SECURITY_POLICY } from './security-headers.ts'

export type AdminUiOptions = { readonly enabled: boolean; readonly directory: string | null }

type Asset = {
  readonly path: string
  readonly type: string
  /** Read at its first request: a start does not wait for the hash of every file. */
  readonly etag: () => string
  readonly immutable: boolean
  readonly packed: readonly Encoding[]
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}
const SUFFIX: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' }
/** The bundler puts files whose name carries their hash here; such a file never changes. */
const HASHED = /^assets\/.+-[A-Za-z0-9_-]{8,}\.[a-z0-9]+$/

const NOT_BUILT = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Gantry</title>
<h1>The admin application is not built</h1>
<p>The gateway itself is running. Build the application (<code>npm start</code> does so) and start the gateway again.</p>
</html>
`

/** Step by step: what reads a folder `recursive`ly follows links to other folders. */
function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return filesIn(path)
    return entry.isFile() ? [path] : []
  })
}

function etagOf(path: string): () => string {
  let etag: string | undefined
  return () => (etag ??= `"${createHash('sha256').update(readFileSync(path)).digest('base64url').slice(0, 27)}"`)
}

function listAssets(directory: string): ReadonlyMap<string, Asset> {
  const files = filesIn(directory)
  const present = new Set(files)
  const assets = new Map<string, Asset>()
  for (const path of files) {
    const extension = extname(path)
    if (extension === '.br' || extension === '.gz') continue
    const name = relative(directory, path).split(sep).join('/')
    assets.set(name, {
      path,
      type: TYPES[extension] ?? 'application/octet-stream',
      etag: etagOf(path),
      immutable: HASHED.test(name),
      packed: (['br', 'gzip'] as const).filter((encoding) => present.has(path + SUFFIX[encoding])),
    })
  }
  return assets
}

async function sendAsset(asset: Asset, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const etag = asset.etag()
  reply
    .header('cache-control', asset.immutable ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('content-security-policy', UI_CONTENT_SECURITY_POLICY)
    .header('etag', etag)
  if (asset.packed.length > 0) reply.header('vary', 'Accept-Encoding')
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  const encoding = acceptedEncoding(request.headers['accept-encoding'], asset.packed)
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  return reply.type(asset.type).send(await readFile(asset.path + (encoding === undefined ? '' : SUFFIX[encoding])))
}

/** A page the browser navigates to, as opposed to a script, style or fetch that asks for a missing file. */
function isNavigation(request: FastifyRequest, name: string): boolean {
  const destination = request.headers['sec-fetch-dest']
  if (destination !== undefined && destination !== 'document' && destination !== 'empty') return false
  if (name.startsWith('assets/') || extname(name) !== '') return false
  const accept = request.headers.accept ?? '*/*'
  return accept.includes('text/html') || accept.includes('*/*')
}

export function registerAdminUi(app: FastifyInstance, { enabled, directory }: AdminUiOptions): void {
  if (!enabled) return
  app.get('/', (_request, reply) => {
    reply.redirect('/admin', 302)
  })
  const assets = directory !== null && existsSync(directory) ? listAssets(directory) : new Map<string, Asset>()
  const index = assets.get('index.html')
  const missing = () => new GatewayError('NOT_FOUND', 'The admin application has no such file')

  const serve = async (name: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const asset = name === '' ? index : assets.get(name)
    if (asset !== undefined) return sendAsset(asset, request, reply)
    if (!isNavigation(request, name)) throw missing()
    if (index !== undefined) return sendAsset(index, request, reply)
    return reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(NOT_BUILT)
  }
  app.get('/admin', (request, reply) => serve('', request, reply))
  app.get<{ Params: { '*': string } }>('/admin/*', (request, reply) => serve(request.params['*'], request, reply))
}
