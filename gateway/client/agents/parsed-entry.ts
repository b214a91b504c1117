// What an entry of an agent's file says: where it leads and with which key. And the entry for an address and a key.
import { AGENT_ENTRIES, type AgentId } from '../../contract/agent-entry.ts'
import type { AgentTarget } from '../../contract/agent-records.ts'
import { isRecord } from '../../mcp/record.ts'
import type { Entry } from './entry-file.ts'

type ParsedEntry = { readonly url: URL; readonly target: AgentTarget; readonly key: string | null }

/** Where the bridge for agents that only start programs looks for its key: the arguments of a program are no secret. */
export const KEY_VARIABLE = 'GANTRY_KEY'

const PATHS = { client: '/mcp/', bundle: '/mcp-custom/' } as const
const ADDRESS_FIELDS = ['url', 'httpUrl', 'serverUrl'] as const

const textIn = (value: unknown, name: string): string | undefined => {
  const found = isRecord(value) ? value[name] : undefined
  return typeof found === 'string' ? found : undefined
}

export const addressOf = (origin: string, { scope, name }: AgentTarget): string => origin + PATHS[scope] + name

export function targetOf({ pathname }: URL): AgentTarget | undefined {
  const [, prefix, name] = /^(\/mcp\/|\/mcp-custom\/)([a-z0-9][a-z0-9_-]*)$/.exec(pathname) ?? []
  return name === undefined ? undefined : { scope: prefix === PATHS.client ? 'client' : 'bundle', name }
}

const urlPlace = (args: readonly unknown[]): number => args.indexOf('--url') + 1

function addressIn(entry: Entry): string | undefined {
  if (!Array.isArray(entry.args)) return ADDRESS_FIELDS.map((field) => textIn(entry, field)).find(Boolean)
  const place = urlPlace(entry.args)
  const url: unknown = place > 0 ? entry.args[place] : undefined
  return typeof url === 'string' ? url : undefined
}

function keyIn(entry: Entry): string | null {
  const authorization = textIn(entry.headers, 'Authorization') ?? textIn(entry.http_headers, 'Authorization')
  return /^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? textIn(entry.env, KEY_VARIABLE) ?? null
}

/** Undefined for an entry that leads to no endpoint of a gateway. */
export function factsOf(entry: unknown): ParsedEntry | undefined {
  if (!isRecord(entry)) return undefined
  const address = addressIn(entry)
  if (address === undefined || !URL.canParse(address)) return undefined
  const url = new URL(address)
  const target = targetOf(url)
  return target && { url, target, key: keyIn(entry) }
}

/** The same entry with another address; everything else that a person has set in it stays. */
export function movedTo(entry: Entry, url: string): Entry {
  if (!Array.isArray(entry.args)) {
    const field = ADDRESS_FIELDS.find((each) => textIn(entry, each) !== undefined)
    return field ? { ...entry, [field]: url } : entry
  }
  return { ...entry, args: entry.args.with(urlPlace(entry.args), url) }
}

/** The same entry with another key. */
export function withKey(entry: Entry, key: string): Entry {
  const replaced = Object.entries(entry).map(([name, value]): [string, unknown] => {
    if (!isRecord(value)) return [name, value]
    if (name === 'env') return [name, { ...value, [KEY_VARIABLE]: key }]
    return name === 'headers' || name === 'http_headers'
      ? [name, { ...value, Authorization: `Bearer ${key}` }]
      : [name, value]
  })
  return Object.fromEntries(replaced)
}

export type Bridge = { readonly node: string; readonly file: string }

/** `bridge` is for agents whose entries are programs. */
export function entryFor(agent: AgentId, url: string, key: string, bridge: Bridge | undefined): Entry {
  const { entry } = AGENT_ENTRIES[agent]
  if (entry) return entry({ url, bearer: `Bearer ${key}` })
  return { command: bridge?.node ?? 'node', args: [bridge?.file ?? '', '--url', url], env: { [KEY_VARIABLE]: key } }
}
