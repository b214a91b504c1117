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

export const GROUPS = ['Answers', 'What is sent and what comes back', 'Where it goes', 'Safety', 'Watching'] as const

const span = (value: unknown): string => formatSpan(Number(value))
const pieces = (...parts: readonly (string | false | undefined)[]): string => parts.filter(Boolean).join(', ')
const count = (value: unknown): number => (Array.isArray(value) ? value.length : 0)
const is =
  (path: string, ...values: readonly string[]) =>
  (draft: Draft): boolean =>
    values.includes(String(draft[path]))

const SCOPE = {
  label: 'One answer serves',
  options: { principal: 'The caller who got it', shared: 'Every caller' },
} as const satisfies FieldWords
const servedTo = ({ scope }: Config): string => (scope === 'shared' ? 'for every caller' : 'for each caller')
const OPS =
  'A list of steps: {"op": "set", "path": "a.b", "value": 1}, {"op": "remove", "path": "a"}, {"op": "rename" or "copy", "from": "a", "to": "b"}.'

const WORDS: Readonly<Partial<Record<string, FeatureWords>>> = {
  cache: {
    group: 'Answers',
    title: 'Cache',
    about: 'The same call within a while gets the same answer, and the backend is not asked.',
    brief: (config) => pieces(span(Number(config.ttlSeconds) * 1000), servedTo(config)),
    fields: {
      ttlSeconds: { label: 'Kept for, in seconds' },
      scope: SCOPE,
      maxEntryBytes: { label: 'Largest answer kept, in bytes' },
    },
  },
  coalesce: {
    group: 'Answers',
    title: 'Coalescing',
    about: 'The same call made several times at once is one request.',
    brief: servedTo,
    fields: { scope: SCOPE },
  },
  mock: {
    group: 'Answers',
    title: 'Mock',
    about: 'Answers in the backend’s place: always, or where the backend could not.',
    brief: ({ mode, isError, delayMs }) =>
      pieces(
        mode === 'always' ? 'always' : 'where the backend fails',
        isError === true && 'as an error',
        Number(delayMs) > 0 && `after ${span(delayMs)}`,
      ),
    fields: {
      mode: { label: 'Answers', options: { always: 'Always', fallback: 'Where the backend fails' } },
      response: { label: 'The answer, as JSON', json: true, hint: 'A plain text stands in quotes.' },
      isError: { label: 'It counts as an error' },
      delayMs: { label: 'Waits before, in ms' },
    },
  },
  transform: {
    group: 'What is sent and what comes back',
    title: 'Transform',
    about: 'Sets, removes and renames values of the arguments and of the answer.',
    brief: ({ request, response }) =>
      pieces(
        count(request) > 0 && `${count(request)} of the arguments`,
        count(response) > 0 && `${count(response)} of the answer`,
      ),
    fields: {
      request: { label: 'Of the arguments, as JSON', json: true, hint: OPS },
      response: { label: 'Of the answer, as JSON', json: true, hint: 'The same steps, on the JSON that came back.' },
    },
  },
  graphql: {
    group: 'What is sent and what comes back',
    title: 'GraphQL document',
    about: 'A query of your own, in place of the one made from the schema. Arguments are its variables.',
    brief: ({ query }) => `${String(query).length} letters`,
    fields: { query: { label: 'Query', long: true } },
  },
  pagination: {
    group: 'What is sent and what comes back',
    title: 'Pagination',
    about: 'Reads page after page, and answers with all of them as one list.',
    brief: ({ strategy, maxPages }) => `by ${String(strategy)}, at most ${String(maxPages)} pages`,
    fields: {
      strategy: {
        label: 'The next page is found',
        options: {
          cursor: 'By a cursor in the answer',
          page: 'By its number',
          offset: 'By how many came',
          link: 'By a link',
        },
      },
      itemsPath: { label: 'Where the items are', hint: 'A dot path. Empty where the answer is the list itself.' },
      maxPages: { label: 'At most so many pages' },
      cursorResponsePath: {
        label: 'Where the answer has the cursor or the link',
        hint: 'A dot path. For a link, empty means the Link header.',
        when: is('strategy', 'cursor', 'link'),
      },
      cursorParam: { label: 'Parameter for the cursor', when: is('strategy', 'cursor') },
      pageParam: { label: 'Parameter for the page', when: is('strategy', 'page') },
      startPage: { label: 'Number of the first page', when: is('strategy', 'page') },
      offsetParam: { label: 'Parameter for the offset', when: is('strategy', 'offset') },
      limitParam: { label: 'Parameter for the size of a page', when: is('strategy', 'page', 'offset') },
    },
  },
  streaming: {
    group: 'What is sent and what comes back',
    title: 'Streaming',
    about: 'Reads a stream of events to its end, tells each as progress, and answers with all.',
    brief: ({ format, maxEvents }) => `${String(format)}, at most ${String(maxEvents)} events`,
    fields: {
      format: { label: 'Format', options: { ndjson: 'One JSON a line (NDJSON)', sse: 'Server-sent events' } },
      maxEvents: { label: 'At most so many events' },
    },
  },
  contextBudget: {
    group: 'What is sent and what comes back',
    title: 'Context budget',
    about: 'Keeps answers short enough for a model: cut off, or summed up by another model.',
    brief: ({ mode, maxResponseBytes, llm }) =>
      pieces(
        formatBytes(Number(maxResponseBytes)),
        mode === 'truncate' ? 'cut off' : 'summed up',
        isRecord(llm) && (llm.apiKeySet === true ? 'with a stored key' : 'without a key'),
      ),
    fields: {
      mode: { label: 'What is too long', options: { truncate: 'Is cut off', llm_summarize: 'Is summed up' } },
      maxResponseBytes: { label: 'At most so many bytes' },
      'llm.provider': {
        label: 'Kind of API',
        options: { openai: 'OpenAI', anthropic: 'Anthropic' },
        when: is('mode', 'llm_summarize'),
      },
      'llm.baseUrl': { label: 'Its address', when: is('mode', 'llm_summarize') },
      'llm.model': { label: 'Model', when: is('mode', 'llm_summarize') },
      'llm.apiKey': {
        label: 'Its key',
        secret: true,
        hint: 'None is stored. What you type is stored encrypted and never shown again.',
        stored: 'llm.apiKeySet',
        storedHint: 'Empty keeps it, while the address leads to the same server; what you type replaces it.',
        when: is('mode', 'llm_summarize'),
      },
      // Reported by the gateway, never sent.
      'llm.apiKeySet': { label: 'A key is set', when: () => false },
    },
  },
  progress: {
    group: 'What is sent and what comes back',
    title: 'Progress and cancelling',
    about: 'Whether a caller hears how far a call is, and the backend that a caller gave up.',
    brief: ({ forward, cancel }) =>
      pieces(
        forward === false ? 'progress is not told' : 'progress is told',
        cancel === false ? 'runs to its end' : 'ends with its caller',
      ),
    fields: {
      forward: { label: 'Callers hear how far it is' },
      cancel: { label: 'The request ends when its caller gives up' },
    },
  },
  routing: {
    group: 'Where it goes',
    title: 'Routing',
    about: 'Which of its backend’s other servers the calls of this tool may go to.',
    brief: ({ loadBalancing, lbStrategy, canary, canaryWeight, failover }) =>
      pieces(
        loadBalancing === 'off' ? 'no balancing' : lbStrategy !== undefined && String(lbStrategy),
        canary === 'off' ? 'no canary' : canaryWeight !== undefined && `${String(canaryWeight)} % canary`,
        failover === 'off' && 'no failover',
      ) || 'as its backend',
    fields: {
      loadBalancing: { label: 'Load balancing', options: { inherit: 'As its backend', off: 'Off' } },
      lbStrategy: {
        label: 'Chosen',
        options: {
          'round-robin': 'In turn',
          weighted: 'By weight',
          'least-conn': 'The least busy',
          random: 'At random',
        },
        when: is('loadBalancing', 'inherit'),
      },
      canary: { label: 'Canary', options: { inherit: 'As its backend', off: 'Off' } },
      canaryWeight: { label: 'Share of the canary, in percent', when: is('canary', 'inherit') },
      failover: { label: 'Failover', options: { inherit: 'As its backend', off: 'Off' } },
    },
  },
  ws: {
    group: 'Where it goes',
    title: 'WebSocket',
    about: 'Sends the arguments as one frame over a WebSocket; its frames are the answer.',
    brief: ({ wsUrl, persistent }) => pieces(String(wsUrl), persistent === true && 'until it closes'),
    fields: {
      wsUrl: { label: 'Address', wide: true, hint: 'ws:// or wss://. It is checked and pinned when it is saved.' },
      persistent: { label: 'Read until it closes: every frame is progress, the last one the answer' },
      maxMessages: { label: 'At most so many frames', when: is('persistent', 'true') },
    },
  },
  capture: {
    group: 'Watching',
    title: 'Capture',
    about: 'Keeps what was sent and how the answer began, for a while. Secrets and redacted values never.',
    brief: ({ args, preview, maxBodyBytes }) =>
      pieces(
        args === 'none' ? 'no arguments' : 'arguments',
        preview === false ? 'no answer' : 'answer',
        preview !== false && maxBodyBytes !== undefined && `${String(maxBodyBytes)} letters of it`,
      ),
    fields: {
      args: { label: 'Arguments are', options: { redacted: 'Kept, cleaned', none: 'Not kept' } },
      maxBodyBytes: { label: 'Letters kept of an answer', hint: 'Empty means as TRAFFIC_MAX_BODY_BYTES says.' },
      preview: { label: 'The beginning of the answer is kept' },
    },
  },
  monitor: {
    group: 'Watching',
    title: 'Monitor',
    about:
      'The gateway calls the tool again and again, looks whether its source still tells the same, and says what is wrong.',
    brief: ({ intervalMinutes, expectPath, maxLatencyMs }) =>
      pieces(
        `every ${String(intervalMinutes)} min`,
        expectPath !== undefined && `expects ${String(expectPath)}`,
        maxLatencyMs !== undefined && `within ${span(maxLatencyMs)}`,
      ),
    fields: {
      intervalMinutes: { label: 'Minutes from run to run' },
      maxLatencyMs: { label: 'It fails after, in ms', hint: 'Empty: an answer may take what the tool allows.' },
      args: { label: 'Arguments, as JSON', json: true, hint: 'Empty: none, or those of the example below.' },
      exampleId: { label: 'Or the arguments of an example', example: true },
      expectPath: { label: 'The answer must have', hint: 'A dot path, such as items.0.id.' },
    },
  },
  quarantinePolicy: {
    group: 'Safety',
    title: 'Quarantine',
    about: 'Takes a tool out of use once its guardrails were hit so many times in a row.',
    brief: ({ consecutiveThreshold, action, recoveryMode, cooldownMs }) =>
      pieces(
        `after ${String(consecutiveThreshold)} in a row`,
        action === 'observe' ? 'only marked' : action === 'force_approval' ? 'asks a person' : 'blocked',
        recoveryMode === 'auto' && `for ${span(cooldownMs)}`,
      ),
    fields: {
      consecutiveThreshold: { label: 'After so many hits in a row' },
      action: {
        label: 'Its calls',
        options: { block: 'Are refused', force_approval: 'Wait for a person', observe: 'Pass, and it is marked' },
      },
      recoveryMode: { label: 'It ends', options: { manual: 'When a person ends it', auto: 'By itself' } },
      cooldownMs: { label: 'After, in ms', when: is('recoveryMode', 'auto') },
    },
  },
}

/** A feature without labels is still listed. */
export const wordsOf = (name: string): FeatureWords =>
  WORDS[name] ?? { group: 'Safety', title: name, about: '', brief: () => 'set', fields: {} }
