// The title, description, summary and fields of each feature of a tool.

import { t, word } from '../../../language/language.ts'
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

export const GROUPS = [
  word('Answers'),
  word('Request and response'),
  word('Servers'),
  word('Safety'),
  word('Monitoring'),
] as const

const span = (value: unknown): string => formatSpan(Number(value))
const pieces = (...parts: readonly (string | false | undefined)[]): string => parts.filter(Boolean).join(', ')
const count = (value: unknown): number => (Array.isArray(value) ? value.length : 0)
const is =
  (path: string, ...values: readonly string[]) =>
  (draft: Draft): boolean =>
    values.includes(String(draft[path]))

const SCOPE = {
  label: t('Cache scope'),
  options: { principal: t('Per caller'), shared: t('All callers') },
} as const satisfies FieldWords
const servedTo = ({ scope }: Config): string => (scope === 'shared' ? t('for all callers') : t('per caller'))
const OPS = t(
  'A list of steps: {"op": "set", "path": "a.b", "value": 1}, {"op": "remove", "path": "a"}, {"op": "rename" or "copy", "from": "a", "to": "b"}.',
)

const WORDS: Readonly<Partial<Record<string, FeatureWords>>> = {
  cache: {
    group: 'Answers',
    title: t('Cache'),
    about: t('Reuse the response of identical calls for a set time.'),
    brief: (config) => pieces(span(Number(config.ttlSeconds) * 1000), servedTo(config)),
    fields: {
      ttlSeconds: { label: t('Lifetime, in seconds') },
      scope: SCOPE,
      maxEntryBytes: { label: t('Maximum size, in bytes') },
    },
  },
  coalesce: {
    group: 'Answers',
    title: t('Coalescing'),
    about: t('Merge identical concurrent calls into one request.'),
    brief: servedTo,
    fields: { scope: SCOPE },
  },
  mock: {
    group: 'Answers',
    title: t('Mock'),
    about: t('Return a fixed response, always or only when the backend fails.'),
    brief: ({ mode, isError, delayMs }) =>
      pieces(
        mode === 'always' ? t('always') : t('when the backend fails'),
        isError === true && t('as an error'),
        Number(delayMs) > 0 && t('after {delayMs}', { delayMs: span(delayMs) }),
      ),
    fields: {
      mode: { label: t('Answers'), options: { always: t('Always'), fallback: t('When the backend fails') } },
      response: { label: t('Response as JSON'), json: true, hint: t('Put plain text in quotes.') },
      isError: { label: t('Counts as an error') },
      delayMs: { label: t('Delay, in ms') },
    },
  },
  transform: {
    group: 'Request and response',
    title: t('Transform'),
    about: t('Set, remove and rename values of arguments and responses.'),
    brief: ({ request, response }) =>
      pieces(
        count(request) > 0 && t('{count} of the arguments', { count: count(request) }),
        count(response) > 0 && t('{count} of the answer', { count: count(response) }),
      ),
    fields: {
      request: { label: t('Arguments, as JSON'), json: true, hint: OPS },
      response: { label: t('Response, as JSON'), json: true, hint: t('The same steps, applied to the response.') },
    },
  },
  graphql: {
    group: 'Request and response',
    title: t('GraphQL document'),
    about: t('A custom query instead of the generated one. Arguments are its variables.'),
    brief: ({ query }) => t('{count} letters', { count: String(query).length }),
    fields: { query: { label: t('Query'), long: true } },
  },
  pagination: {
    group: 'Request and response',
    title: t('Pagination'),
    about: t('Fetch all pages and return them as one list.'),
    brief: ({ strategy, maxPages }) =>
      t('by {strategy}, at most {maxPages} pages', { strategy: String(strategy), maxPages: String(maxPages) }),
    fields: {
      strategy: {
        label: t('Next page'),
        options: {
          cursor: t('By cursor'),
          page: t('By page number'),
          offset: t('By offset'),
          link: t('By link'),
        },
      },
      itemsPath: { label: t('Path of the items'), hint: t('A dot path. Empty if the response is the list.') },
      maxPages: { label: t('Maximum pages') },
      cursorResponsePath: {
        label: t('Path of the cursor or link'),
        hint: t('A dot path. For a link, empty means the Link header.'),
        when: is('strategy', 'cursor', 'link'),
      },
      cursorParam: { label: t('Cursor parameter'), when: is('strategy', 'cursor') },
      pageParam: { label: t('Page parameter'), when: is('strategy', 'page') },
      startPage: { label: t('First page number'), when: is('strategy', 'page') },
      offsetParam: { label: t('Offset parameter'), when: is('strategy', 'offset') },
      limitParam: { label: t('Page size parameter'), when: is('strategy', 'page', 'offset') },
    },
  },
  streaming: {
    group: 'Request and response',
    title: t('Streaming'),
    about: t('Read an event stream to its end, report each event as progress, and return them all.'),
    brief: ({ format, maxEvents }) =>
      t('{format}, at most {maxEvents} events', { format: String(format), maxEvents: String(maxEvents) }),
    fields: {
      format: {
        label: t('Format'),
        options: { ndjson: t('One JSON value per line (NDJSON)'), sse: t('Server-sent events') },
      },
      maxEvents: { label: t('Maximum events') },
    },
  },
  contextBudget: {
    group: 'Request and response',
    title: t('Context budget'),
    about: t(
      'Keep responses short enough for a model: truncate them, summarize them with another model, or keep them here and answer questions about them.',
    ),
    brief: ({ mode, maxResponseBytes, llm }) =>
      pieces(
        formatBytes(Number(maxResponseBytes)),
        { truncate: t('truncated'), llm_summarize: t('summarized'), handle: t('kept for questions') }[String(mode)] ??
          '',
        isRecord(llm) && (llm.apiKeySet === true ? t('with a stored key') : t('without a key')),
      ),
    fields: {
      mode: {
        label: t('Long responses'),
        options: {
          truncate: t('Truncate'),
          llm_summarize: t('Summarize'),
          handle: t('Keep here, answer questions (result_query)'),
        },
      },
      maxResponseBytes: { label: t('Maximum bytes') },
      beginning: { label: t('Show the beginning of the answer'), when: is('mode', 'handle') },
      'llm.provider': {
        label: t('API type'),
        options: { openai: 'OpenAI', anthropic: t('Anthropic') },
        when: is('mode', 'llm_summarize'),
      },
      'llm.baseUrl': { label: t('API URL'), when: is('mode', 'llm_summarize') },
      'llm.model': { label: t('Model'), when: is('mode', 'llm_summarize') },
      'llm.apiKey': {
        label: t('API key'),
        secret: true,
        hint: t('None stored. It is stored encrypted and not shown again.'),
        stored: 'llm.apiKeySet',
        storedHint: t('Leave empty to keep it for the same server. Type to replace it.'),
        when: is('mode', 'llm_summarize'),
      },
      // Reported by the gateway, never sent.
      'llm.apiKeySet': { label: t('A key is stored'), when: () => false },
    },
  },
  progress: {
    group: 'Request and response',
    title: t('Progress and cancellation'),
    about: t('Report progress to callers, and cancel the request when the caller does.'),
    brief: ({ forward, cancel }) =>
      pieces(
        forward === false ? t('no progress') : t('reports progress'),
        cancel === false ? t('runs to its end') : t('cancelled with its caller'),
      ),
    fields: {
      forward: { label: t('Report progress to callers') },
      cancel: { label: t('Cancel the request when the caller cancels') },
    },
  },
  price: {
    group: 'Request and response',
    title: t('Price'),
    about: t('What calls of this tool cost; budgets and the page Context add it up.'),
    brief: ({ perCall, perMillionTokens }) =>
      pieces(
        perCall !== undefined && t('{price} per call', { price: String(perCall) }),
        perMillionTokens !== undefined && t('{price} per million tokens', { price: String(perMillionTokens) }),
      ),
    fields: {
      perCall: { label: t('Per call'), hint: t('In one currency for all tools.') },
      perMillionTokens: { label: t('Per million tokens of answers') },
    },
  },
  routing: {
    group: 'Servers',
    title: t('Routing'),
    about: t('Which of the backend’s additional servers this tool may use.'),
    brief: ({ loadBalancing, lbStrategy, canary, canaryWeight, failover }) =>
      pieces(
        loadBalancing === 'off' ? t('no balancing') : lbStrategy !== undefined && String(lbStrategy),
        canary === 'off'
          ? t('no canary')
          : canaryWeight !== undefined && t('{weight} % canary', { weight: String(canaryWeight) }),
        failover === 'off' && t('no failover'),
      ) || t('backend default'),
    fields: {
      loadBalancing: { label: t('Load balancing'), options: { inherit: t('Backend default'), off: t('Off') } },
      lbStrategy: {
        label: t('Chosen'),
        options: {
          'round-robin': t('Round robin'),
          weighted: t('Weighted'),
          'least-conn': t('Least busy'),
          random: t('Random'),
        },
        when: is('loadBalancing', 'inherit'),
      },
      canary: { label: t('Canary'), options: { inherit: t('Backend default'), off: t('Off') } },
      canaryWeight: { label: t('Share of the canary, in percent'), when: is('canary', 'inherit') },
      failover: { label: t('Failover'), options: { inherit: t('Backend default'), off: t('Off') } },
    },
  },
  ws: {
    group: 'Servers',
    title: t('WebSocket'),
    about: t('Send the arguments as one WebSocket frame; the received frames are the response.'),
    brief: ({ wsUrl, persistent }) => pieces(String(wsUrl), persistent === true && t('until it closes')),
    fields: {
      wsUrl: {
        label: t('Address'),
        wide: true,
        hint: t('ws:// or wss://. It is checked and pinned when it is saved.'),
      },
      persistent: { label: t('Read until it closes: each frame is progress, the last one the response') },
      maxMessages: { label: t('Maximum frames'), when: is('persistent', 'true') },
    },
  },
  capture: {
    group: 'Monitoring',
    title: t('Capture'),
    about: t('Store arguments and the start of the response for a limited time, without secrets and redacted values.'),
    brief: ({ args, preview, maxBodyBytes }) =>
      pieces(
        args === 'none' ? t('no arguments') : t('arguments'),
        preview === false ? t('no answer') : t('answer'),
        preview !== false &&
          maxBodyBytes !== undefined &&
          t('{maxBodyBytes} letters of it', { maxBodyBytes: String(maxBodyBytes) }),
      ),
    fields: {
      args: { label: t('Arguments are'), options: { redacted: t('Stored, cleaned'), none: t('Not stored') } },
      maxBodyBytes: {
        label: t('Stored characters of the response'),
        hint: t('Empty: as set by TRAFFIC_MAX_BODY_BYTES.'),
      },
      preview: { label: t('Store the start of the response') },
    },
  },
  monitor: {
    group: 'Monitoring',
    title: t('Monitor'),
    about: t('Call this tool on a schedule; report errors, slow responses and schema changes.'),
    brief: ({ intervalMinutes, expectPath, maxLatencyMs }) =>
      pieces(
        t('every {intervalMinutes} min', { intervalMinutes: String(intervalMinutes) }),
        expectPath !== undefined && t('expects {expectPath}', { expectPath: String(expectPath) }),
        maxLatencyMs !== undefined && t('within {maxLatencyMs}', { maxLatencyMs: span(maxLatencyMs) }),
      ),
    fields: {
      intervalMinutes: { label: t('Interval, in minutes') },
      maxLatencyMs: { label: t('Timeout, in ms'), hint: t('Empty: the tool’s own timeout.') },
      args: { label: t('Arguments, as JSON'), json: true, hint: t('Empty: none, or the example’s.') },
      exampleId: { label: t('Or use an example'), example: true },
      expectPath: { label: t('Required fields in the response'), hint: t('A dot path, such as items.0.id.') },
    },
  },
  quarantinePolicy: {
    group: 'Safety',
    title: t('Quarantine'),
    about: t('Take a tool out of use after repeated guardrail hits.'),
    brief: ({ consecutiveThreshold, action, recoveryMode, cooldownMs }) =>
      pieces(
        t('after {consecutiveThreshold} in a row', { consecutiveThreshold: String(consecutiveThreshold) }),
        action === 'observe' ? t('marks only') : action === 'force_approval' ? t('requires approval') : t('blocked'),
        recoveryMode === 'auto' && t('for {cooldownMs}', { cooldownMs: span(cooldownMs) }),
      ),
    fields: {
      consecutiveThreshold: { label: t('Consecutive hits') },
      action: {
        label: t('Action'),
        options: { block: t('Refuse calls'), force_approval: t('Require approval'), observe: t('Mark only') },
      },
      recoveryMode: { label: t('Ends'), options: { manual: t('Manually'), auto: t('Automatically') } },
      cooldownMs: { label: t('Cooldown, in ms'), when: is('recoveryMode', 'auto') },
    },
  },
}

/** A feature without labels is still listed. */
export const wordsOf = (name: string): FeatureWords =>
  WORDS[name] ?? { group: 'Safety', title: name, about: '', brief: () => 'set', fields: {} }
