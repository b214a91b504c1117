// The server catalogue: reads a registry through the outbound door, keeps what it read, and shows that while the registry does not answer.
import type { CatalogPage, ListedServer, ServerPackage, ShownServer } from '../../contract/admin/server-catalog.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Actor } from '../../contract/role.ts'
import type { Outbound, OutboundResponse } from '../../net/outbound.ts'
import type { Base } from '../../records/base.ts'
import { createCatalogCache, cursorIn } from './catalog-cache.ts'
import { entryIn, listIn } from './registry-answer.ts'

type Deps = Pick<Base, 'settings' | 'database' | 'outbound' | 'clock' | 'log'>
type InstallScript = ShownServer['installScripts'][number]

const OFFICIAL = 'https://registry.modelcontextprotocol.io'
const NPM = 'https://registry.npmjs.org'
const DEADLINE_MS = 10_000
const MOST_BYTES = 4_194_304
const PAGE_SIZE = 30
const RUN_AT_INSTALL = ['preinstall', 'install', 'postinstall']

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
const baseOf = (url: string): string => url.replace(/\/$/, '')

/** Named in the environment, not by a request: its address is not checked. */
const getting = (outbound: Outbound, url: string, etag: string | null = null): Promise<OutboundResponse> =>
  outbound.request({
    url,
    headers: { accept: 'application/json', ...(etag === null ? {} : { 'if-none-match': etag }) },
    deadlineMs: DEADLINE_MS,
    maxBytes: MOST_BYTES,
    trusted: true,
  })

async function installScript(outbound: Outbound, npm: string, one: ServerPackage): Promise<InstallScript> {
  const { kind, identifier, version, registry } = one
  // Python packages are installed from wheels only; images and bundles have no such step.
  if (kind === 'pypi' || kind === 'oci' || kind === 'mcpb') return 'none'
  if (kind !== 'npm' || registry !== null || version === null) return 'unknown'
  try {
    const at = `${npm}/${encodeURIComponent(identifier)}/${encodeURIComponent(version)}`
    const { status, body } = await getting(outbound, at)
    if (status !== 200) return 'unknown'
    const { scripts = {} } = JSON.parse(body.toString('utf8')) as { readonly scripts?: object } // throws for others
    return RUN_AT_INSTALL.some((name) => Object.hasOwn(scripts, name)) ? 'not_run' : 'none'
  } catch {
    return 'unknown'
  }
}

export function createServerCatalog({ settings, outbound, ...deps }: Deps) {
  const url = baseOf(settings.SERVER_CATALOG_URL ?? OFFICIAL)
  const npm = baseOf(settings.NPM_REGISTRY_URL ?? NPM)
  const { clock } = deps
  const cache = createCatalogCache(url, deps)
  const unreadable = (problem: string): GatewayError =>
    new GatewayError('DISCOVERY_ERROR', `The server registry ${url} cannot be read: ${problem}`)

  /** The proof is a rule of the official registry; another may not ask for one. */
  const judged = (entry: ListedServer): ListedServer =>
    url === OFFICIAL ? entry : { ...entry, publisher: { ...entry.publisher, proof: 'none' } }

  async function search(words: string, cursor: string | undefined): Promise<CatalogPage> {
    const query = new URLSearchParams({ version: 'latest', limit: String(PAGE_SIZE) })
    if (words !== '') query.set('search', words)
    if (cursor !== undefined) query.set('cursor', cursor)
    const key = query.toString()
    const kept = await cache.read()
    const known = kept?.pages.find((page) => page.key === key)
    if (kept && known && cache.isFresh(known)) return cache.page(kept, known, known.readAt, null)
    try {
      const { status, headers, body } = await getting(outbound, `${url}/v0.1/servers?${key}`, known?.etag)
      const readAt = clock.now()
      if (status === 304 && kept && known) {
        await cache.keep({ ...known, readAt }, [])
        return cache.page(kept, known, readAt, null)
      }
      if (status !== 200) throw new Error(`it answered ${status}`)
      const list = listIn(JSON.parse(body.toString('utf8')))
      if (list === undefined) throw new Error('its answer is no list of servers')
      const { nextCursor } = list
      const items = list.entries.map(judged)
      const names = items.map(({ name }) => name)
      await cache.keep({ key, etag: headers.etag ?? null, readAt, nextCursor, names }, items)
      return { items, ...cursorIn(list), source: cache.sourceAt(readAt) }
    } catch (error) {
      const problem = reasonOf(error)
      if (kept === undefined) throw unreadable(problem)
      return known ? cache.page(kept, known, known.readAt, problem) : cache.offline(kept, words, problem)
    }
  }

  async function entryNamed(name: string): Promise<Pick<ShownServer, 'entry' | 'source'>> {
    try {
      const { status, body } = await getting(
        outbound,
        `${url}/v0.1/servers/${encodeURIComponent(name)}/versions/latest`,
      )
      if (status === 404)
        throw new GatewayError('CATALOG_ENTRY_NOT_FOUND', `Not found in the server registry: "${name}"`)
      if (status !== 200) throw new Error(`it answered ${status}`)
      const entry = entryIn(JSON.parse(body.toString('utf8')))
      if (entry?.name !== name) throw new Error('its answer is not this server')
      const own = judged(entry)
      await cache.keep(undefined, [own])
      return { entry: own, source: cache.sourceAt(clock.now()) }
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'CATALOG_ENTRY_NOT_FOUND') throw error
      const kept = (await cache.read())?.entries.find(({ entry }) => entry.name === name)
      if (kept === undefined) throw unreadable(reasonOf(error))
      return { entry: kept.entry, source: cache.sourceAt(kept.readAt, reasonOf(error)) }
    }
  }

  function requireOn(): void {
    if (!settings.SERVER_CATALOG_ENABLED)
      throw new GatewayError('NOT_CONFIGURED', 'The server catalog is off on this gateway (SERVER_CATALOG_ENABLED)')
  }

  return {
    async search(_actor: Actor, given: { readonly search: string; readonly cursor?: string | undefined }) {
      requireOn()
      return search(given.search, given.cursor)
    },
    async get(_actor: Actor, { name }: { readonly name: string }): Promise<ShownServer> {
      requireOn()
      const shown = await entryNamed(name)
      const scripts = shown.entry.packages.map((one) => installScript(outbound, npm, one))
      return { ...shown, installScripts: await Promise.all(scripts) }
    },
  }
}
