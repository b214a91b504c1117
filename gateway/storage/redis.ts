// The connection to Redis or Valkey. Every wait on it has a bound, and a server that is away is asked again in the background.
import { createHash } from 'node:crypto'
import { arm, disarm } from '../net/deadlines.ts'
import type { Log } from '../telemetry/log.ts'
import { milliseconds } from '../text/amounts.ts'

export type Redis = {
  /** Rejects at once while the server is away. */
  run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown>
  up(): boolean
  close(): Promise<void>
}
type Script = { readonly text: string; readonly sha: string }

type RedisOptions = {
  readonly url: string
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly onUp: (up: boolean) => void
  readonly onCommand: () => void
  /** How long a command may take. */
  readonly commandMs?: number
}

const COMMAND_MS = 250
const PROBE_MS = 200
const CONNECT_MS = 2000
const QUEUE_MOST = 10_000

export const scriptOf = (text: string): Script => ({ text, sha: createHash('sha1').update(text).digest('hex') })

export class RedisAwayError extends Error {}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const deadline = arm(ms, () => reject(new RedisAwayError(`Redis did not answer within ${milliseconds(ms)}`)))
    work.then(resolve, reject).finally(() => disarm(deadline))
  })
}

export async function connectRedis({
  url,
  log,
  onUp,
  onCommand,
  commandMs = COMMAND_MS,
}: RedisOptions): Promise<Redis> {
  // Only where it is used: an instance by itself does not load the client.
  const { createClient } = await import('@redis/client')
  const client = createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: QUEUE_MOST,
    socket: {
      connectTimeout: CONNECT_MS,
      reconnectStrategy: (retries) => Math.min(500, 25 * 2 ** Math.min(retries, 5)),
    },
  })
  let up = false
  let probing = false
  let closed = false
  const is = (now: boolean, error?: unknown): void => {
    if (up === now || closed) return
    up = now
    onUp(now)
    if (now) log.info('Redis answers')
    else log.warn('Redis does not answer', { error })
  }
  // Without a listener an error of the connection would end the process.
  client.on('error', (error: unknown) => is(false, error))
  async function probe(): Promise<void> {
    if (up || probing || closed || !client.isReady) return
    probing = true
    // A frozen server gets one probe, which is answered when it continues.
    await client.ping().then(
      () => is(true),
      () => undefined,
    )
    probing = false
  }
  const timer = setInterval(() => void probe(), PROBE_MS)
  timer.unref()
  // A start does not depend on Redis: connecting goes on in the background.
  const connecting = client.connect().catch((error: unknown) => log.warn('Redis could not be reached', { error }))
  await within(CONNECT_MS, connecting).catch(() => undefined)
  await within(commandMs, probe()).catch(() => undefined)
  if (!up) log.warn('Redis does not answer at the start')
  onUp(up)

  const evaluate = ({ text, sha }: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> => {
    const given = { keys: [...keys], arguments: [...args] }
    return client.evalSha(sha, given).catch((error: unknown) => {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return client.eval(text, given)
    })
  }

  return {
    async run(script, keys, args) {
      if (!up) throw new RedisAwayError('Redis does not answer')
      onCommand()
      try {
        return await within(commandMs, evaluate(script, keys, args))
      } catch (error) {
        is(false, error)
        throw error
      }
    },
    up: () => up,
    async close() {
      closed = true
      clearInterval(timer)
      if (client.isOpen) client.destroy()
      await connecting
    },
  }
}
