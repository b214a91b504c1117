// Passes on what is no call of a tool: resources, prompts, completion, logging, as the upstream answers them.
import { cleanMetadata } from '../discovery/sanitize.ts'
import type { Account } from '../net/room.ts'
import { cleanValue, cleanText as withoutSecrets } from '../pipeline/5-dispatch/clean.ts'
import { orTokenless, withoutToken } from '../pipeline/5-dispatch/without-token.ts'
import type { Failed, Refused, Talk } from '../pipeline/call.ts'
import type { Backend } from '../registry/backend.ts'
import { TokenUnavailable } from '../registry/credentials.ts'
import type { Connection } from './connection.ts'
import { safeIcons } from './icons.ts'
import { untilAnswered } from './input-required.ts'
import { isRecord, type JsonRecord } from './message.ts'
import { noticesTo, ofError, progressTo, requestsTo, type SenderParts, withoutHop } from './send.ts'

export type PassRequest = {
  readonly backend: Backend
  readonly method: string
  readonly params: JsonRecord
  readonly talk: Talk
  /** The field of the result that lists things to be shown to a model. */
  readonly list?: string | undefined
  readonly timeoutMs: number
  readonly traceparent: string | undefined
  readonly account: Account
  readonly onStart: (cancel: () => void) => void
  readonly onProgress: ((progress: number, total?: number, message?: string) => void) | undefined
}

/** A result, the upstream's own error, or why there is neither. */
export type Passed =
  | { readonly kind: 'ok'; readonly result: JsonRecord; readonly asks: boolean }
  | { readonly kind: 'fault'; readonly code: number; readonly message: string; readonly data: JsonRecord }
  | Failed
  | Refused

export type Pass = (request: PassRequest) => Promise<Passed>

const ENVELOPE_DEPTH = 4
const MESSAGE_MAX = 1_024
const TEXTS: ReadonlySet<string> = new Set(['title', 'description'])

export function createPass({ connectionOf, credential, settings, onListChanged }: SenderParts): Pass {
  return async ({ backend, method, params, talk, list, timeoutMs, traceparent, account, onStart, onProgress }) => {
    const connection: Connection = connectionOf(backend)
    const secretsOf = async (): Promise<readonly string[]> => (await credential(backend.name))?.secrets ?? []
    const before = await secretsOf().catch(orTokenless)
    if (before instanceof TokenUnavailable) return withoutToken(before, backend)
    const laterSecrets = (): Promise<readonly string[]> =>
      secretsOf().catch((error: unknown) => (orTokenless(error), before))
    try {
      const settled = await untilAnswered(
        backend.name,
        talk,
        before,
        (inputs) =>
          connection.request({
            method,
            params,
            inputs,
            timeoutMs,
            maxBytes: settings.MAX_RESPONSE_BYTES,
            maxDepth: settings.MAX_JSON_DEPTH + ENVELOPE_DEPTH,
            conversation: talk.conversation,
            logLevel: talk.logLevel,
            traceparent,
            account,
            onStart,
            onProgress: progressTo({ onProgress }, before),
            onNotification: noticesTo(talk, before, (kind) => onListChanged(backend.name, kind)),
            onServerRequest: requestsTo(talk, before),
          }),
        onStart,
      )
      if ('failure' in settled) return settled.failure
      if ('asked' in settled) return { kind: 'ok', result: settled.asked, asks: true }
      const secrets = [...new Set([...before, ...(await laterSecrets())])]
      const { answer } = settled
      if ('error' in answer) {
        const { code, message, data } = answer.error
        const clean = cleanValue(data, secrets)
        const text = withoutSecrets(message, secrets).slice(0, MESSAGE_MAX)
        return { kind: 'fault', code, message: text, data: isRecord(clean) ? clean : {} }
      }
      if (!isRecord(answer.result))
        return {
          kind: 'failed',
          failure: 'bad_response',
          text: `Bad response from ${backend.name}: its result is no object`,
          retryable: true,
        }
      const own = withoutHop(answer.result)
      const shown = list === undefined ? own : { ...own, [list]: shownList(own[list]) }
      // A record stays one: only its strings are cleaned.
      return { kind: 'ok', result: cleanValue(shown, secrets) as JsonRecord, asks: false }
    } catch (error) {
      return ofError(error, backend, timeoutMs, await laterSecrets())
    }
  }
}

/** What things are called goes to a model as it is; what says what it should do does not. */
function shownList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return []
  return value.filter(isRecord).map(shownEntry)
}

function shownEntry(entry: JsonRecord): JsonRecord {
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]: [string, unknown]) => {
      if (TEXTS.has(key) && typeof value === 'string') return [key, cleanMetadata(value)]
      if (key === 'arguments' && Array.isArray(value)) return [key, value.filter(isRecord).map(shownEntry)]
      if (key === 'icons') return [key, safeIcons(value)]
      return [key, value]
    }),
  )
}
