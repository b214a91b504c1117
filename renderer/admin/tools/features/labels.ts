// The title, description, summary and fields of each feature of a tool.
import type { Draft, FieldWords } from '../../../ui/form/fields.ts'
import { isRecord } from '../../../ui/form/shape.ts'
import { formatBytes, formatSpan } from '../../../ui/format.ts'

/** `example`: it names an example of the tool. */
type FeatureField = FieldWords & { readonly example?: true }
type Config = Readonly<Record<string, unknown>>
export type FeatureWords = {
  readonly group: (typeof GROUPS)[number]
  readonly title: string
  readonly about: string
  readonly brief: (config: Config) => string
  readonly fields: Readonly<Record<string, FeatureField>>
}

export const GROUPS = ['Answers', 'Request and response', 'Servers', 'Safety', 'Monitoring'] as const

const span = (value: unknown): string => formatSpan(Number(value))
const pieces = (...parts: readonly (string | false | undefined)[]): string => parts.filter(Boolean).join(', ')
const count = (value: unknown): number => (Array.isArray(value) ? value.length : 0)
const is =
  (path: string, ...values: readonly string[]) =>
  (draft: Draft): boolean =>
    values.includes(String(draft[path]))

const SCOPE = {
  label: 'Cache scope',
  options: { principal: 'Per caller', shared: 'All callers' },
} as const satisfies FieldWords
const servedTo = ({ scope }: Config): string => (scope === 'shared' ? 'for all callers' : 'per caller')
const OPS =
  'A list of steps: {"op": "set", "path": "a.b", "value": 1}, {"op": "remove", "path": "a"}, {"op": "rename" or "copy", "from": "a", "to": "b"}.'

const WORDS: Readonly<Partial<Record<string, FeatureWords>>> = {
  cache: {
    group: 'Answers',
    title: 'Cache',
    about: 'Reuse the response of identical calls for a set time.',
    brief: (config) => pieces(span(Number(config.ttlSeconds) * 1000), servedTo(config)),
    fields: {
      ttlSeconds: { label: 'Lifetime, in seconds' },
      scope: SCOPE,
      maxEntryBytes: { label: 'Maximum size, in bytes' },
    },
  },
  coalesce: {
    group: 'Answers',
    title: 'Coalescing',
    about: 'Merge identical concurrent calls into one request.',
    brief: servedTo,
    fields: { scope: SCOPE },
  },
  mock: {
    group: 'Answers',
    title: 'Mock',
    about: 'Return a fixed response, always or only when the backend fails.',
    brief: ({ mode, isError, delayMs }) =>
      pieces(
        mode === 'always' ? 'always' : 'when the backend fails',
        isError === true && 'as an error',
        Number(delayMs) > 0 && `after ${span(delayMs)}`,
      ),
    fields: {
      mode: { label: 'Answers', options: { always: 'Always', fallback: 'When the backend fails' } },
      response: { label: 'Response as JSON', json: true, hint: 'Put plain text in quotes.' },
      isError: { label: 'Counts as an error' },
      delayMs: { label: 'Delay, in ms' },
    },
  },
  transform: {
    group: 'Request and response',
    title: 'Transform',
    about: 'Set, remove and rename values of arguments and responses.',
    brief: ({ request, response }) =>
      pieces(
        count(request) > 0 && `${count(request)} of the arguments`,
        count(response) > 0 && `${count(response)} of the answer`,
      ),
    fields: {
      request: { label: 'Arguments, as JSON', json: true, hint: OPS },
      response: { label: 'Response, as JSON', json: true, hint: 'The same steps, applied to the response.' },
    },
  },
  graphql: {
    group: 'Request and response',
    title: 'GraphQL document',
    about: 'A custom query instead of the generated one. Arguments are its variables.',
    brief: ({ query }) => `${String(query).length} letters`,
    fields: { query: { label: 'Query', long: true } },
  },
  pagination: {
    group: 'Request and response',
    title: 'Pagination',
    about: 'Fetch all pages and return them as one list.',
    brief: ({ strategy, maxPages }) => `by ${String(strategy)}, at most ${String(maxPages)} pages`,
    fields: {
      strategy: {
        label: 'Next page',
        options: {
          cursor: 'By cursor',
          page: 'By page number',
          offset: 'By offset',
          link: 'By link',
        },
      },
      itemsPath: { label: 'Path of the items', hint: 'A dot path. Empty if the response is the list.' },
      maxPages: { label: 'Maximum pages' },
      cursorResponsePath: {
        label: 'Path of the cursor or link',
        hint: 'A dot path. For a link, empty means the Link header.',
        when: is('strategy', 'cursor', 'link'),
      },
      cursorParam: { label: 'Cursor parameter', when: is('strategy', 'cursor') },
      pageParam: { label: 'Page parameter', when: is('strategy', 'page') },
      startPage: { label: 'First page number', when: is('strategy', 'page') },
      offsetParam: { label: 'Offset parameter', when: is('strategy', 'offset') },
      limitParam: { label: 'Page size parameter', when: is('strategy', 'page', 'offset') },
    },
  },
  streaming: {
    group: 'Request and response',
    title: 'Streaming',
    about: 'Read an event stream to its end, report each event as progress, and return them all.',
    brief: ({ format, maxEvents }) => `${String(format)}, at most ${String(maxEvents)} events`,
    fields: {
      format: { label: 'Format', options: { ndjson: 'One JSON value per line (NDJSON)', sse: 'Server-sent events' } },
      maxEvents: { label: 'Maximum events' },
    },
  },
  contextBudget: {
    group: 'Request and response',
    title: 'Context budget',
    about: 'Keep responses short enough for a model: truncate them, or summarize them with another model.',
    brief: ({ mode, maxResponseBytes, llm }) =>
      pieces(
        formatBytes(Number(maxResponseBytes)),
        mode === 'truncate' ? 'truncated' : 'summarized',
        isRecord(llm) && (llm.apiKeySet === true ? 'with a stored key' : 'without a key'),
      ),
    fields: {
      mode: { label: 'Long responses', options: { truncate: 'Truncate', llm_summarize: 'Summarize' } },
      maxResponseBytes: { label: 'Maximum bytes' },
      'llm.provider': {
        label: 'API type',
        options: { openai: 'OpenAI', anthropic: 'Anthropic' },
        when: is('mode', 'llm_summarize'),
      },
      'llm.baseUrl': { label: 'API URL', when: is('mode', 'llm_summarize') },
      'llm.model': { label: 'Model', when: is('mode', 'llm_summarize') },
      'llm.apiKey': {
        label: 'API key',
        secret: true,
        hint: 'None stored. It is stored encrypted and not shown again.',
        stored: 'llm.apiKeySet',
        storedHint: 'Leave empty to keep it for the same server. Type to replace it.',
        when: is('mode', 'llm_summarize'),
      },
      // Reported by the gateway, never sent.
      'llm.apiKeySet': { label: 'A key is stored', when: () => false },
    },
  },
  progress: {
    group: 'Request and response',
    title: 'Progress and cancellation',
    about: 'Report progress to callers, and cancel the request when the caller does.',
    brief: ({ forward, cancel }) =>
      pieces(
        forward === false ? 'no progress' : 'reports progress',
        cancel === false ? 'runs to its end' : 'cancelled with its caller',
      ),
    fields: {
      forward: { label: 'Report progress to callers' },
      cancel: { label: 'Cancel the request when the caller cancels' },
    },
  },
  routing: {
    group: 'Servers',
    title: 'Routing',
    about: 'Which of the backend’s additional servers this tool may use.',
    brief: ({ loadBalancing, lbStrategy, canary, canaryWeight, failover }) =>
      pieces(
        loadBalancing === 'off' ? 'no balancing' : lbStrategy !== undefined && String(lbStrategy),
        canary === 'off' ? 'no canary' : canaryWeight !== undefined && `${String(canaryWeight)} % canary`,
        failover === 'off' && 'no failover',
      ) || 'backend default',
    fields: {
      loadBalancing: { label: 'Load balancing', options: { inherit: 'Backend default', off: 'Off' } },
      lbStrategy: {
        label: 'Chosen',
        options: {
          'round-robin': 'Round robin',
          weighted: 'Weighted',
          'least-conn': 'Least busy',
          random: 'Random',
        },
        when: is('loadBalancing', 'inherit'),
      },
      canary: { label: 'Canary', options: { inherit: 'Backend default', off: 'Off' } },
      canaryWeight: { label: 'Share of the canary, in percent', when: is('canary', 'inherit') },
      failover: { label: 'Failover', options: { inherit: 'Backend default', off: 'Off' } },
    },
  },
  ws: {
    group: 'Servers',
    title: 'WebSocket',
    about: 'Send the arguments as one WebSocket frame; the received frames are the response.',
    brief: ({ wsUrl, persistent }) => pieces(String(wsUrl), persistent === true && 'until it closes'),
    fields: {
      wsUrl: { label: 'Address', wide: true, hint: 'ws:// or wss://. It is checked and pinned when it is saved.' },
      persistent: { label: 'Read until it closes: each frame is progress, the last one the response' },
      maxMessages: { label: 'Maximum frames', when: is('persistent', 'true') },
    },
  },
  capture: {
    group: 'Monitoring',
    title: 'Capture',
    about: 'Store arguments and the start of the response for a limited time, without secrets and redacted values.',
    brief: ({ args, preview, maxBodyBytes }) =>
      pieces(
        args === 'none' ? 'no arguments' : 'arguments',
        preview === false ? 'no answer' : 'answer',
        preview !== false && maxBodyBytes !== undefined && `${String(maxBodyBytes)} letters of it`,
      ),
    fields: {
      args: { label: 'Arguments are', options: { redacted: 'Stored, cleaned', none: 'Not stored' } },
      maxBodyBytes: { label: 'Stored characters of the response', hint: 'Empty: as set by TRAFFIC_MAX_BODY_BYTES.' },
      preview: { label: 'Store the start of the response' },
    },
  },
  monitor: {
    group: 'Monitoring',
    title: 'Monitor',
    about: 'Call this tool on a schedule; report errors, slow responses and schema changes.',
    brief: ({ intervalMinutes, expectPath, maxLatencyMs }) =>
      pieces(
        `every ${String(intervalMinutes)} min`,
        expectPath !== undefined && `expects ${String(expectPath)}`,
        maxLatencyMs !== undefined && `within ${span(maxLatencyMs)}`,
      ),
    fields: {
      intervalMinutes: { label: 'Interval, in minutes' },
      maxLatencyMs: { label: 'Timeout, in ms', hint: 'Empty: the tool’s own timeout.' },
      args: { label: 'Arguments, as JSON', json: true, hint: 'Empty: none, or the example’s.' },
      exampleId: { label: 'Or use an example', example: true },
      expectPath: { label: 'Required fields in the response', hint: 'A dot path, such as items.0.id.' },
    },
  },
  quarantinePolicy: {
    group: 'Safety',
    title: 'Quarantine',
    about: 'Take a tool out of use after repeated guardrail hits.',
    brief: ({ consecutiveThreshold, action, recoveryMode, cooldownMs }) =>
      pieces(
        `after ${String(consecutiveThreshold)} in a row`,
        action === 'observe' ? 'marks only' : action === 'force_approval' ? 'requires approval' : 'blocked',
        recoveryMode === 'auto' && `for ${span(cooldownMs)}`,
      ),
    fields: {
      consecutiveThreshold: { label: 'Consecutive hits' },
      action: {
        label: 'Action',
        options: { block: 'Refuse calls', force_approval: 'Require approval', observe: 'Mark only' },
      },
      recoveryMode: { label: 'Ends', options: { manual: 'Manually', auto: 'Automatically' } },
      cooldownMs: { label: 'Cooldown, in ms', when: is('recoveryMode', 'auto') },
    },
  },
}

/** A feature without labels is still listed. */
export const wordsOf = (name: string): FeatureWords =>
  WORDS[name] ?? { group: 'Safety', title: name, about: '', brief: () => 'set', fields: {} }
