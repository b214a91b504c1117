// Taking a configuration to another machine: what moves, what needs a value there, what cannot move, and the folder it becomes.
import type { ClientDetail } from './admin/clients.ts'
import { type ConfigClient, type ConfigDoc, type ConfigIdentity, sortedLists } from './config-document.ts'
import { filesOf } from './handoff-files.ts'
import { referencesIn, URL_FIELDS } from './secret-query.ts'

export type Verdict = 'portable' | 'needs_value' | 'cannot_move'
export type HandoffItem = {
  readonly section: 'clients' | 'bundles' | 'composites' | 'editors'
  readonly name: string
  readonly verdict: Verdict
  readonly why: readonly string[]
  /** Variables of the other gateway, and what each holds. */
  readonly variables: readonly { readonly name: string; readonly holds: string }[]
}
/** What a document does not say: how each credential is sent, and which backends are editors of this machine. */
export type HandoffFacts = {
  readonly auth: ReadonlyMap<string, ClientDetail['upstreamAuth']>
  readonly editors: readonly string[]
}
export type HandoffFile = { readonly path: string; readonly text: string }
export type Handoff = { readonly items: readonly HandoffItem[]; readonly files: readonly HandoffFile[] }

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0)$/
const PRIVATE =
  /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|\[f[cd]|\[fe80)|\.(local|internal|lan)$|^[^.:[\]]+$/

const SOURCES = ['tools', 'curl_input', 'client_collection', 'openapi_url', 'graphql_url', 'mcp_url'] as const

function hostsOf({ registration }: ConfigClient): string[] {
  if (!registration) return []
  const urls = URL_FIELDS.flatMap((field) => registration[field] ?? [])
  const written = [registration.curl_input, registration.client_collection].flatMap((text) => text ?? [])
  // A pasted command or collection names its server somewhere in its text.
  const inside = written.flatMap((text) => JSON.stringify(text).match(/https?:\/\/[^\s"'\\{}]+/g) ?? [])
  return [...urls, ...inside].flatMap((url) => (URL.canParse(url) ? [new URL(url).hostname] : []))
}

/** `GANTRY_SECRET_<BACKEND>_<FIELD>`; two backends whose names differ in a dash only get two names. */
function createNames() {
  const taken = new Set<string>()
  return (client: string, field: string): string => {
    const wanted = `GANTRY_SECRET_${client}_${field}`.toUpperCase().replaceAll(/[^A-Z0-9_]/g, '_')
    for (let n = 1; ; n += 1) {
      const name = n === 1 ? wanted : `${wanted}_${n}`
      if (taken.has(name)) continue
      taken.add(name)
      return name
    }
  }
}
type Names = ReturnType<typeof createNames>

type Credential = { readonly client: ConfigClient; readonly variables: HandoffItem['variables'] }

/** References to what is stored here become references to the environment there. */
function withVariables(client: ConfigClient, { auth }: HandoffFacts, names: Names): Credential {
  const variables: { name: string; holds: string }[] = []
  const variable = (field: string, holds: string): { $env: string } => {
    const name = names(client.name, field)
    variables.push({ name, holds: `${holds} of ${client.name}` })
    return { $env: name }
  }
  const info = client.upstreamAuth ? auth.get(client.name) : undefined
  const upstreamAuth = ((): ConfigClient['upstreamAuth'] => {
    switch (info?.type) {
      case 'bearer':
        return { type: 'bearer', token: variable('TOKEN', 'the token') }
      case 'basic':
        return {
          type: 'basic',
          username: variable('USERNAME', 'the user name'),
          password: variable('PASSWORD', 'the password'),
        }
      case 'header': {
        const headerName = info.headerName ?? 'Authorization'
        return { type: 'header', headerName, value: variable('VALUE', `the header ${headerName}`) }
      }
      case 'query': {
        const paramName = info.paramName ?? 'key'
        return { type: 'query', paramName, value: variable('VALUE', `the parameter ${paramName}`) }
      }
      default:
        return client.upstreamAuth
    }
  })()
  // The document has these by reference already.
  for (const { name, field, param } of referencesIn(client.registration ?? {}))
    variables.push({ name, holds: `the parameter ${param} in the ${field} of ${client.name}` })
  const oauth = client.oauth && { ...client.oauth, clientSecret: variable('OAUTH_SECRET', 'the OAuth client secret') }
  const identity = client.identity && elsewhere(client.identity, variable)
  return { client: { ...client, upstreamAuth, oauth, ...(identity === undefined ? {} : { identity }) }, variables }
}

function elsewhere(
  identity: ConfigIdentity,
  variable: (field: string, holds: string) => { $env: string },
): ConfigIdentity {
  const own = 'clientSecret' in identity && identity.clientSecret !== undefined
  const resource = 'resourceClientSecret' in identity && identity.resourceClientSecret !== undefined
  return {
    ...identity,
    ...(own && { clientSecret: variable('IDENTITY_SECRET', 'the client secret of the identity') }),
    ...(resource && { resourceClientSecret: variable('RESOURCE_SECRET', 'the client secret at its server') }),
  }
}

function judgeClient(client: ConfigClient, variables: HandoffItem['variables'], sameMachine: boolean): HandoffItem {
  const hosts = hostsOf(client)
  const own = hosts.filter((host) => LOOPBACK.test(host))
  const loopback = sameMachine ? [] : own
  const nearby = hosts.filter((host) => !LOOPBACK.test(host) && PRIVATE.test(host))
  const { registration } = client
  const unkept = !registration || SOURCES.every((field) => registration[field] === undefined)
  const listed = (client.tools ?? []).filter(({ guards }) => guards?.allowedKeyHashes !== undefined)
  const stops = [
    ...(loopback.length > 0 ? [`it runs on this machine (${loopback[0]}); a server cannot reach it`] : []),
    ...(unkept
      ? ['what it was registered from held a secret and was not kept; register it on the server by hand']
      : []),
  ]
  const needs = [
    ...variables.map(({ name, holds }) => `${holds} goes into ${name}`),
    ...(client.upstreamAuth && '$secret' in client.upstreamAuth ? ['its credential has to be set on the server'] : []),
    ...(nearby.length > 0
      ? [`${nearby[0]} is a private address: the server must reach it, and have ALLOW_PRIVATE_IPS=true`]
      : []),
    ...(sameMachine && own.length > 0 ? ['it runs on this machine: the server needs ALLOW_PRIVATE_IPS=true'] : []),
    ...(listed.length > 0
      ? [
          `the allow-lists of ${listed.map(({ name }) => name).join(', ')} name keys of this gateway: list keys of the server`,
        ]
      : []),
  ]
  const verdict = stops.length > 0 ? 'cannot_move' : needs.length > 0 ? 'needs_value' : 'portable'
  return { section: 'clients', name: client.name, verdict, why: [...stops, ...needs], variables }
}

/** Whether anything was set of an editor or its tools that another editor of this name could take. */
const isSet = ({ enabled = true, guards, tags = [], tools = [] }: ConfigClient): boolean =>
  !enabled || Boolean(guards) || tags.length > 0 || tools.length > 0

function judgeEditor(name: string, set: ConfigClient | undefined): HandoffItem {
  const stays = 'an editor runs on the machine it is open on; the server opens its own with PCG_ENABLED=true'
  const goes = `what was set of its tools (${(set?.tools ?? []).length}) goes along, for the editor of this name there`
  return set
    ? { section: 'editors', name, verdict: 'needs_value', why: [stays, goes], variables: [] }
    : { section: 'editors', name, verdict: 'cannot_move', why: [stays], variables: [] }
}

const idOf = ({ section, name }: Pick<HandoffItem, 'section' | 'name'>): string => `${section}/${name}`

/** A composite goes where all of its steps go. */
const judgeComposites = ({ composites = [] }: ConfigDoc, moving: ReadonlySet<string>): HandoffItem[] =>
  composites.map(({ name, steps }) => {
    const absent = new Set(steps.map(({ targetClient }) => targetClient).filter((client) => !moving.has(client)))
    const why = [...absent].map((client) => `a step calls ${client}, which does not go along`)
    return { section: 'composites', name, verdict: why.length > 0 ? 'cannot_move' : 'portable', why, variables: [] }
  })

/** A bundle goes with what is left of it. */
const judgeBundles = (
  { bundles = [] }: ConfigDoc,
  moving: ReadonlySet<string>,
  lost: ReadonlySet<string>,
): HandoffItem[] =>
  bundles.map(({ name, tools = [], composites = [] }) => {
    const absent = new Set(tools.map(({ client }) => client).filter((client) => !moving.has(client)))
    const without = [
      ...[...absent].map((client) => `the tools of ${client}`),
      ...composites.filter((composite) => lost.has(composite)),
    ]
    const why = without.map((what) => `it goes without ${what}`)
    return { section: 'bundles', name, verdict: 'portable', why, variables: [] }
  })

/** `left` names what a person unticked, as `section/name`; what cannot move is left in any case. */
export function handoff(
  doc: ConfigDoc,
  facts: HandoffFacts,
  { left = new Set(), sameMachine = false, version, stringify }: HandoffWish,
): Handoff {
  const names = createNames()
  const isEditor = ({ name }: Pick<ConfigClient, 'name'>): boolean => facts.editors.includes(name)
  const stays = (item: HandoffItem): boolean => item.verdict === 'cannot_move' || left.has(idOf(item))
  const namesOf = (items: readonly HandoffItem[]): Set<string> => new Set(items.map(({ name }) => name))

  const made = (doc.clients ?? [])
    .filter((client) => !isEditor(client))
    .map((client) => withVariables(client, facts, names))
  const clients = made.map(({ client, variables }) => judgeClient(client, variables, sameMachine))
  const moving = namesOf(clients.filter((item) => !stays(item)))
  const composites = judgeComposites(doc, moving)
  const bundles = judgeBundles(doc, moving, namesOf(composites.filter(stays)))
  const ofEditors = (doc.clients ?? []).filter((client) => isEditor(client) && isSet(client))
  const editors = facts.editors.map((name) =>
    judgeEditor(
      name,
      ofEditors.find((client) => client.name === name),
    ),
  )

  const items = [...clients, ...bundles, ...composites, ...editors]
  const unticked = new Set(items.filter(stays).map(idOf))
  const moved = narrowed({ ...doc, clients: [...made.map(({ client }) => client), ...ofEditors] }, items, unticked)
  return { items, files: filesOf(moved, items, (item) => !unticked.has(idOf(item)), { version, stringify }) }
}

/** The document of what goes along: nothing in it names what does not. */
function narrowed(doc: ConfigDoc, items: readonly HandoffItem[], unticked: ReadonlySet<string>): ConfigDoc {
  const going = (section: HandoffItem['section']): Set<string> =>
    new Set(items.flatMap((item) => (item.section === section && !unticked.has(idOf(item)) ? [item.name] : [])))
  const [clients, editors] = [going('clients'), going('editors')]
  const [composites, bundles] = [going('composites'), going('bundles')]
  return sortedLists({
    ...doc,
    clients: (doc.clients ?? []).filter(({ name }) => clients.has(name) || editors.has(name)),
    composites: (doc.composites ?? []).filter(({ name }) => composites.has(name)),
    bundles: (doc.bundles ?? [])
      .filter(({ name }) => bundles.has(name))
      .map((bundle) => ({
        ...bundle,
        tools: (bundle.tools ?? []).filter(({ client }) => clients.has(client)),
        composites: (bundle.composites ?? []).filter((name) => composites.has(name)),
      })),
  })
}

export type HandoffWish = {
  readonly left?: ReadonlySet<string>
  /** The other gateway runs where this one does, so what lives here is there as well. */
  readonly sameMachine?: boolean
  readonly version: string
  /** YAML, from the library of the caller. */
  readonly stringify: (value: unknown) => string
}
