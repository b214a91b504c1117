// Large answers are read, cleaned and written beside the main thread, by the same functions as small ones.
import type { Pagination } from '../../contract/admin/shaping-features.ts'
import { type Incoming, LargeResult } from '../../mcp/message.ts'
import { ExchangeError } from '../../net/exchange-error.ts'
import { LARGE_BYTES } from '../../net/memory-budget.ts'
import { parseExact } from '../../text/exact-json.ts'
import type { Withheld } from '../../text/foreign-text.ts'
import type { Collected, PageBody, PageRead } from '../collected.ts'
import { failed } from '../failed.ts'
import type { Answering, HttpAnswer } from '../judged.ts'
import type { CallToolResult, Outcome } from '../outcome.ts'
import { contentOf, type RelayedAs } from '../relayed-result.ts'
import type { Shaping } from '../shape.ts'
import { Overgrown, type Transformation } from '../transform.ts'
import { recordOf, resultOf, type Written, writtenOf } from '../written.ts'
import type { Job, Made, ShapingData, TransformData, WithheldData } from './jobs.ts'
import { runBeside, ThreadEnded } from './threads.ts'

export const isLarge = (size: { readonly length: number }): boolean => size.length >= LARGE_BYTES

const TOO_MUCH = 'the answer takes more memory or time to read than there is'

const withheldData = ({ secrets, redact }: Withheld): WithheldData => ({ secrets, redactPaths: redact?.paths })
const transformData = (transform: Transformation | undefined): TransformData =>
  transform && { ops: transform.ops, mostBytes: transform.mostBytes }

/** Memory that nothing else looks into is handed over; of any other, a copy. */
function handedOver(bytes: Uint8Array): { readonly bytes: Uint8Array; readonly memory: readonly ArrayBuffer[] } {
  const { buffer, byteLength } = bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) return { bytes, memory: [buffer] }
  const copy = Uint8Array.from(bytes)
  return { bytes: copy, memory: [copy.buffer] }
}

async function outcomeOf(making: Promise<Made>): Promise<Outcome> {
  const made = await making.catch((error: unknown): Made => {
    if (error instanceof ThreadEnded)
      return { outcome: failed('response_too_large', `Response too large: ${TOO_MUCH}`, false) }
    throw error
  })
  if ('overgrown' in made) throw new Overgrown(made.overgrown)
  const { outcome, result, relayed } = made
  if (outcome.kind === 'refused') return outcome
  if (relayed && outcome.kind === 'ok')
    return { ...outcome, result: resultOf(relayed, contentOf), relayed: recordOf(relayed) }
  return result ? { ...outcome, result: resultOf(result) } : outcome
}

const shapingData = ({ secrets, redact, transform, ...rest }: Shaping): ShapingData => ({
  ...rest,
  ...withheldData({ secrets, redact }),
  transform: transformData(transform),
})

/** The body is gone afterwards. */
export function judgedBeside({ body, ...answer }: HttpAnswer, from: Answering, given: Shaping): Promise<Outcome> {
  const shaping = shapingData(given)
  const { bytes, memory } = handedOver(body)
  return outcomeOf(runBeside('body', { answer: { ...answer, body: bytes }, from, shaping }, memory))
}

/** A body that lies in memory with others is not copied with them. */
const alone = ({ body, contentType }: PageBody) => ({ body: Uint8Array.from(body), contentType })

export const pageBeside = (config: Pagination, page: PageBody, maxDepth: number): Promise<PageRead | undefined> =>
  runBeside('page', { config, page: alone(page), maxDepth })

export function collectedBeside({ pieces, ...collected }: Collected, status: number, given: Shaping): Promise<Outcome> {
  const parts = pieces.of === 'pages' ? { ...pieces, pages: pieces.pages.map(alone) } : pieces
  return outcomeOf(runBeside('collected', { collected, pieces: parts, status, shaping: shapingData(given) }))
}

/** A copy, which may be handed over while the result itself is still in use. */
function copied(written: Written) {
  const members = Uint8Array.from(written.members)
  return { written: { ...written, members }, memory: [members.buffer] }
}

/** Undefined when nothing in the result speaks to the model. */
export async function scannedBeside(given: Written): Promise<CallToolResult | undefined> {
  const { written, memory } = copied(given)
  const marked = await runBeside('scan', { written }, memory)
  return marked && resultOf(marked)
}

/** As `excerptOf`. */
export function excerptBeside(given: Written): Promise<CallToolResult> {
  const { written, memory } = copied(given)
  return runBeside('excerpt', { written }, memory)
}

/** As `hasPath`. */
export function hasPathBeside(given: Written, path: string): Promise<boolean> {
  const { written, memory } = copied(given)
  return runBeside('hasPath', { written, path }, memory)
}

/** As `toolOutcome`. The result is gone afterwards. */
export function toolOutcomeBeside(
  { json }: LargeResult,
  from: string,
  withheld: Withheld,
  transform: Transformation | undefined,
): Promise<Outcome> {
  const { bytes, memory } = handedOver(json)
  const job = { json: bytes, from, withheld: withheldData(withheld), transform: transformData(transform) }
  return outcomeOf(runBeside('toolResult', job, memory))
}

/** As `relayedOutcome`. The result is gone afterwards. */
export function relayedOutcomeBeside(
  { json }: LargeResult,
  from: string,
  as: RelayedAs,
  withheld: Withheld,
): Promise<Outcome> {
  const { bytes, memory } = handedOver(json)
  return outcomeOf(runBeside('relayed', { json: bytes, from, as, withheld: withheldData(withheld) }, memory))
}

/** A result as `kept/` keeps it, sealed, and what a reader is shown of it. Undefined where it holds no data. */
export function sealedBeside(handle: string, result: CallToolResult) {
  const known = writtenOf(result)
  if (known === undefined) return runBeside('keep', { handle, result: { plain: result } })
  const { written, memory } = copied(known)
  return runBeside('keep', { handle, result: { written } }, memory)
}

export const queriedBeside = (job: Job<'query'>) => runBeside('query', job)
export const exportedBeside = (job: Job<'export'>) => runBeside('export', job)
export const pickedBeside = (job: Job<'pick'>) => runBeside('pick', job)

const orTooLarge = (error: unknown): never => {
  throw error instanceof ThreadEnded ? new ExchangeError('too_large', TOO_MUCH) : error
}

/** As `readMessages`, with a `LargeResult` instead of each that is one. */
export async function messagesBeside(text: string | Buffer, maxDepth: number): Promise<readonly Incoming[]> {
  const { bytes, memory } = typeof text === 'string' ? { bytes: text, memory: [] } : handedOver(text)
  const done = await runBeside('messages', { text: bytes, maxDepth }, memory).catch(orTooLarge)
  if ('problem' in done) throw new ExchangeError('bad_response', done.problem)
  return done.outlines.map((outline) => {
    const message = parseExact(outline.message) as Incoming // written by the other thread
    const large = outline.result && new LargeResult(outline.result)
    return message.kind === 'response' && large ? { ...message, answer: { result: large } } : message
  })
}

/** A list in a result, in pieces of JSON. Undefined when it holds none. */
export function listBeside({ json }: LargeResult, field: string) {
  const { bytes, memory } = handedOver(json)
  return runBeside('list', { json: bytes, field }, memory).catch(orTooLarge)
}
