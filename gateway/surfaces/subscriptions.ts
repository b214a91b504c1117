// `subscriptions/listen`: the modern era's way to hear of changes, an open answer that is acknowledged first and ends with a result.
import { randomUUID } from 'node:crypto'
import { GatewayError } from '../contract/error.ts'
import { openSse } from '../http/sse.ts'
import type { Streams } from '../http/streams.ts'
import { LISTS, type ListKind } from '../mcp/connection.ts'
import { META_SERVER, META_SUBSCRIPTION } from '../mcp/era.ts'
import { notificationText, RPC, RpcError, type RpcParams, type RpcRequest, resultText } from '../mcp/json-rpc.ts'
import { isRecord, type JsonRecord } from '../mcp/message.ts'
import type { Backend } from '../registry/backend.ts'
import type { Forms } from './answer-forms.ts'
import { principalOf } from './client-capabilities.ts'
import type { ServerInfo } from './handlers.ts'
import type { ListChanges } from './list-changes.ts'
import type { NotificationStreams } from './notification-streams.ts'
import { mayHear, reachesAllOf } from './outside.ts'
import { endsWith, type Post } from './post.ts'
import { originOf } from './relay-call.ts'
import { errorOf } from './relayed.ts'
import type { Surface } from './surface.ts'

export type Subscriptions = ReturnType<typeof createSubscriptions>

type Parts = {
  readonly listChanges: ListChanges
  readonly notificationStreams: NotificationStreams
  readonly backendOf: (surface: Surface) => Backend | undefined
  /** What the surface's upstream can tell of. */
  readonly capabilities: (post: Post) => Promise<JsonRecord>
  readonly streams: Streams
  readonly server: ServerInfo
  readonly most: number
}

type Wanted = { readonly kinds: readonly ListKind[]; readonly uris: readonly string[] }

/** Of one principal; the others remain for all other principals. */
const MOST_EACH = 32
const MOST_URIS = 256
const MOST_URI = 8_192

/** Throws when the client takes no stream. */
export function streamsOnly({ sse }: Forms): void {
  if (!sse) throw new GatewayError('NOT_ACCEPTABLE', 'Accept must admit text/event-stream')
}

/** What was asked for and can be had. Without a filter the changes of tools are meant. */
function accepted({ notifications }: RpcParams, capabilities: JsonRecord): Wanted {
  const filter: JsonRecord = isRecord(notifications) ? notifications : {}
  const can = (kind: ListKind, what: string): boolean => {
    const declared = capabilities[kind]
    return isRecord(declared) && declared[what] === true
  }
  const kinds = LISTS.filter((kind) =>
    kind === 'tools'
      ? notifications === undefined || filter.toolsListChanged === true
      : filter[`${kind}ListChanged`] === true && can(kind, 'listChanged'),
  )
  const asked: readonly unknown[] = Array.isArray(filter.resourceSubscriptions) ? filter.resourceSubscriptions : []
  const uris = asked.filter((uri): uri is string => typeof uri === 'string' && uri.length <= MOST_URI)
  return { kinds, uris: can('resources', 'subscribe') ? [...new Set(uris)].slice(0, MOST_URIS) : [] }
}

export function createSubscriptions({
  listChanges,
  notificationStreams,
  backendOf,
  capabilities,
  streams,
  server,
  most,
}: Parts) {
  const open = new Map<string, { readonly surface: string; readonly principal: string; readonly end: () => void }>()

  function checkRoom(principal: string): void {
    const mine = [...open.values()].filter((each) => each.principal === principal).length
    if (open.size < most && mine < MOST_EACH) return
    throw new RpcError(RPC.server, 'SESSION_CAPACITY', 'Too many subscriptions are open; end one first', {
      status: 503,
      headers: { 'retry-after': '5' },
      data: { retryAfterMs: 5_000 },
    })
  }

  return {
    async listen(post: Post, { id, params }: RpcRequest): Promise<void> {
      const { request, reply, surface, forms, caller } = post
      streamsOnly(forms)
      const principal = principalOf(post)
      checkRoom(principal)
      const upstream = backendOf(surface)
      const backend = upstream && reachesAllOf(upstream, caller) ? upstream : undefined
      const { kinds, uris } = accepted(params, backend ? await capabilities(post) : {})
      const key = randomUUID()
      const hear =
        backend && uris.length > 0
          ? await notificationStreams.resources(
              { surface, ...originOf(post) },
              `listen:${key}`,
              uris,
              (method, text) => {
                if (method === 'notifications/resources/updated' && uris.includes(String(text.uri))) tell(method, text)
              },
            )
          : undefined
      if (hear && 'kind' in hear) throw errorOf(hear, post, 'subscriptions/listen', params)
      // Others were opened while the upstream was asked.
      checkRoom(principal)
      const tag = { [META_SUBSCRIPTION]: id }
      const farewell = {
        event: 'message',
        data: resultText(id, JSON.stringify({ resultType: 'complete', _meta: { ...tag, [META_SERVER]: server } })),
      }
      const stream = openSse(request, reply, streams, { farewell: () => farewell })
      endsWith(caller, stream)
      const tell = (method: string, more: RpcParams = {}): void => {
        const _meta = { ...(isRecord(more._meta) ? more._meta : {}), ...tag }
        void stream.send({ event: 'message', data: notificationText(method, { ...more, _meta }) })
      }
      const end = (): void => {
        stream.send(farewell)
        stream.close()
      }
      open.set(key, { surface: surface.id, principal, end })
      stream.onClose(() => open.delete(key))

      tell('notifications/subscriptions/acknowledged', {
        notifications: {
          ...Object.fromEntries(kinds.map((kind) => [`${kind}ListChanged`, true])),
          ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
        },
      })
      for (const kind of kinds)
        stream.onClose(
          listChanges.subscribe(surface.id, kind, () => {
            if (mayHear(kind, surface, caller)) tell(`notifications/${kind}/list_changed`)
          }),
        )
      if (hear) stream.onClose(hear().close)
    },
    /** The surface is gone: its listeners are answered. */
    endWhere(matches: (surface: string) => boolean): void {
      for (const { surface, end } of open.values()) if (matches(surface)) end()
    },
  }
}
