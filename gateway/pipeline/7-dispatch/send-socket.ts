// A call as an exchange of messages over one WebSocket: the arguments go as a text frame, a text frame is the answer. Never sent twice. Contract 8.13.

import { credentialOf, elsewhere, withoutCredential } from '../../identity/credential-of.ts'
import { ExchangeError } from '../../net/exchange-error.ts'
import type { WebSocket } from '../../net/sockets.ts'
import { failed } from '../../outcome/failed.ts'
import { judged } from '../../outcome/judged.ts'
import type { Outcome } from '../../outcome/outcome.ts'
import { isLarge, judgedBeside } from '../../outcome/threads/index.ts'
import type { Base } from '../../records/base.ts'
import type { Backend, Injected, Registry, Tool, UpstreamCredential } from '../../registry/backend.ts'
import { TokenUnavailable } from '../../registry/credentials.ts'
import { type SocketPlace, socketOf } from '../../registry/socket-pin.ts'
import { byteCount } from '../../text/amounts.ts'
import { foreignText } from '../../text/foreign-text.ts'
import type { ToolCall } from '../call.ts'
import { withParam } from './pages.ts'
import { MOST_TOLD, NO_ROOM_NOW, ofError, type SendContext, type SendSettings } from './send-http.ts'
import { orTokenless, withoutToken } from './without-token.ts'

type Parts = Pick<Base, 'outbound' | 'monotonic'> & {
  readonly registry: Pick<Registry, 'credential'>
  readonly settings: SendSettings
}
type Config = NonNullable<Tool['config']['ws']>

/** What was received, or why nothing was. */
type ReceivedFrame = { readonly frame: Buffer } | { readonly failed: Outcome }

const known = new WeakMap<Tool, { readonly backend: Backend; readonly place: SocketPlace | undefined }>()

/** Tools and backends are replaced when they change, so it is worked out once. */
function placeOf({ backend, tool }: ToolCall): SocketPlace | undefined {
  const found = known.get(tool)
  if (found?.backend === backend) return found.place
  const place = socketOf(backend, tool)
  known.set(tool, { backend, place })
  return place
}

export function createSocketSender({ outbound, registry, settings, monotonic }: Parts) {
  return async function send(call: ToolCall, config: Config, context: SendContext): Promise<Outcome> {
    const { backend } = call
    const place = placeOf(call)
    if (place === undefined) return failed('internal', 'Internal error', false)
    const since = monotonic()
    // Waiting for a token, and for the connection, is part of the attempt.
    const left = (): number => Math.max(1, context.timeoutMs - (monotonic() - since))
    const found = place.here ? credentialOf(call, registry.credential) : withoutCredential(call)
    const credential = found && (await Promise.resolve(found).catch(orTokenless))
    if (credential instanceof TokenUnavailable) return withoutToken(credential, backend)
    if (call.acting && !credential?.sentTo(place.pin.origin)) return withoutToken(elsewhere(), backend)
    try {
      const socket = await opened(place, credential?.sentTo(place.pin.origin), context, left())
      const events = await exchanged(socket, call, config, context, credential, left())
      return 'failed' in events ? events.failed : answer(events.frame, call, context, credential)
    } catch (error) {
      if (error instanceof ExchangeError) return ofError(error, call, context.timeoutMs)
      throw error
    }
  }

  function opened(
    { pin, path }: SocketPlace,
    sent: Injected | undefined,
    { traceparent, onStart }: SendContext,
    deadlineMs: number,
  ): Promise<WebSocket> {
    const key = sent?.query
    const dialling = outbound.socket(pin, {
      path: key ? withParam(path, key.name, key.value) : path,
      headers: { ...(traceparent === undefined ? {} : { traceparent }), ...sent?.headers },
      deadlineMs,
      maxMessageBytes: settings.MAX_RESPONSE_BYTES,
    })
    onStart(dialling.cancel)
    return dialling.opened
  }

  function answer(
    frame: Buffer,
    { requestId, backend }: ToolCall,
    { account, shaping: { redact, transform } }: SendContext,
    credential: UpstreamCredential | undefined,
  ): Outcome | Promise<Outcome> {
    if (frame.length === 0) return { kind: 'ok', result: { content: [{ type: 'text', text: '' }] } }
    if (!account.take(frame.length)) return failed('response_too_large', NO_ROOM_NOW, true)
    const shaping = {
      requestId,
      secrets: credential?.secrets ?? [],
      redact,
      transform,
      structured: settings.STRUCTURED_OUTPUT,
      maxDepth: settings.MAX_JSON_DEPTH,
    }
    const shape = isLarge(frame) ? judgedBeside : judged
    return shape(
      { status: undefined, contentType: 'text/plain', body: frame },
      { name: backend.name, isGraphql: false },
      shaping,
    )
  }

  function exchanged(
    socket: WebSocket,
    call: ToolCall,
    { persistent, maxMessages }: Config,
    { timeoutMs, shaping: { tellsPieces }, onStart }: SendContext,
    credential: UpstreamCredential | undefined,
    leftMs: number,
  ): Promise<ReceivedFrame> {
    const { args, backend, onProgress } = call
    const bad = (what: string): ReceivedFrame => ({
      failed: failed('bad_response', `Bad response from ${backend.name}: ${what}`, false),
    })
    const because = (error: ExchangeError): ReceivedFrame => ({ failed: ofError(error, call, timeoutMs) })
    return new Promise((resolve) => {
      let last: Buffer | undefined
      let count = 0
      /** The last message of a persistent exchange is its answer when the other side or the time ends it. */
      const lastOr = (error: ExchangeError): ReceivedFrame => (persistent && last ? { frame: last } : because(error))
      const timer = setTimeout(() => end(lastOr(new ExchangeError('timeout', 'no answer in time'))), leftMs)
      function end(events: ReceivedFrame, code = 1000): void {
        clearTimeout(timer)
        socket.off('message', onMessage)
        resolve(events)
        socket.close(code)
      }
      function onMessage(data: Buffer, binary: boolean): void {
        if (binary) {
          end(bad('a binary frame, where text is expected'), 1003)
          return
        }
        last = data
        count += 1
        if (!persistent) {
          end({ frame: data })
          return
        }
        // Cut first, half a credential could be left of one.
        const text =
          tellsPieces && data.length <= MOST_TOLD
            ? foreignText(data.toString(), { secrets: credential?.secrets ?? [] })
            : undefined
        onProgress?.(count, undefined, text)
        if (count >= maxMessages) end({ frame: data })
      }
      socket.on('message', onMessage)
      socket.on('error', (error) => {
        const tooLarge = 'code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'
        const limit = `the answer exceeds the limit of ${byteCount(settings.MAX_RESPONSE_BYTES)}`
        end(tooLarge ? because(new ExchangeError('too_large', limit)) : bad('it broke the WebSocket protocol'))
      })
      socket.once('close', () => end(lastOr(new ExchangeError('network', 'connection closed by the other side'))))
      onStart(() => end(because(new ExchangeError('cancelled', 'the request was cancelled')), 1001))
      socket.resume()
      socket.send(JSON.stringify(args))
    })
  }
}
