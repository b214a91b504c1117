// The gateway inside the desktop: started, watched, restarted; its admin API reached without the network.
import { setTimeout as sleep } from 'node:timers/promises'
import type { DesktopEvent, GatewayStatus } from '#channels'
import type { ClientRequest, ClientResponse } from '#contract'
import type { Gateway } from '#gateway'
import { createCrashPolicy } from './crash-policy.ts'
import { type Environment, explained, type Mode, openGateway, type Prepared } from './open-gateway.ts'

export type Services = {
  start(mode?: Mode): Promise<GatewayStatus>
  restart(mode?: Mode): Promise<GatewayStatus>
  stop(): Promise<void>
  /** An exception in this process was not caught: the state of the gateway is unknown. */
  crashed(error: unknown): Promise<void>
  status(): GatewayStatus
  adminRequest(request: ClientRequest): Promise<ClientResponse>
}

export type ServiceOptions = {
  /** Asked at every start, because a keyring that was locked may be open by now. */
  readonly prepare: () => Promise<Prepared | { readonly locked: string }>
  readonly readFile: (file: string) => string
  readonly writeLog: (line: string) => void
  /** The operating system's user, for the audit log. */
  readonly user: string
  readonly onChange: (status: GatewayStatus) => void
  readonly onEvent: (event: DesktopEvent) => void
  /** Called once per crash, with the measure that was taken. */
  readonly onCrash: (what: string) => void
  readonly now: () => number
  readonly open?: typeof openGateway
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/** A gateway that crashed may not know how to end. */
const CLOSE_MS = 5_000

const GONE: ClientResponse = {
  status: 503,
  headers: {},
  body: JSON.stringify({
    error: {
      code: 'SHUTTING_DOWN',
      message: 'The gateway is not running. Restart it: File → Restart Gateway.',
      request_id: '',
    },
  }),
}

const WHY: Readonly<Record<Mode, string | null>> = {
  running: null,
  paused: 'Agents get no answer until it is resumed.',
  safe: 'No agent is served, no backend is checked, no editor is open.',
}

const STOPPED: GatewayStatus = { state: 'stopped', url: null, reason: null, movedFrom: null }

/** One at a time: two impatient restarts must not make two gateways on one database. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run<T>(work: () => Promise<T>): Promise<T> {
      const mine = last.then(work, work)
      last = mine
      return mine
    },
    settled: () => last,
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export function createServices(options: ServiceOptions): Services {
  const { open = openGateway, wait = (ms, signal) => sleep(ms, undefined, { signal }), writeLog } = options
  const nextStep = createCrashPolicy(options.now)
  const ending = new AbortController()
  let gateway: Gateway | undefined
  let status = STOPPED
  const turns = createTurns()
  let recovering = false

  const tell = (next: Partial<GatewayStatus>): GatewayStatus => {
    status = { ...STOPPED, ...next }
    options.onChange(status)
    return status
  }

  async function start(mode: Mode, why = WHY[mode]): Promise<GatewayStatus> {
    tell({ state: 'starting' })
    let env: Environment = {}
    let lack: string | null = null
    try {
      const prepared = await options.prepare()
      if ('locked' in prepared) return tell({ state: 'locked', reason: prepared.locked })
      ;({ env, lack } = prepared)
      if (lack !== null) writeLog(`${lack}\n`)
      const { url, movedFrom, ...opened } = await open(prepared, mode, options)
      gateway = opened.gateway
      gateway.subscribe(options.onEvent)
      return tell({ state: mode, url, reason: why, movedFrom })
    } catch (error) {
      const reason = [explained(error, env), ...(lack === null ? [] : [lack])].join('\n')
      writeLog(`The gateway did not start: ${reason}\n`)
      return tell({ reason })
    }
  }

  async function close(): Promise<void> {
    const running = gateway
    gateway = undefined
    await running?.close()
  }

  async function recover(message: string): Promise<void> {
    const answer = nextStep(status.state === 'safe')
    await Promise.race([close().catch(() => undefined), wait(CLOSE_MS, ending.signal).catch(() => undefined)])
    const crash = `The gateway crashed: ${message}`
    tell({ reason: answer.act === 'stop' ? `${crash} It was in safe mode already, so it stays off.` : crash })
    if (answer.act === 'restart') {
      await wait(answer.afterMs, ending.signal)
      const { state } = await start('running')
      options.onCrash(state === 'running' ? 'The gateway crashed and was started again.' : 'The gateway crashed.')
      return
    }
    if (answer.act === 'safe') await start('safe', `${crash} It was the ${answer.crashes}th time. ${WHY.safe}`)
    options.onCrash(answer.act === 'safe' ? 'The gateway keeps crashing; it is in safe mode.' : 'The gateway is off.')
  }

  return {
    start: (mode = 'running') => turns.run(() => start(mode)),
    restart: (mode = 'running') => turns.run(() => close().then(() => start(mode))),
    stop: () => {
      ending.abort()
      return turns.run(async () => {
        await close()
        tell({})
      })
    },
    async crashed(error) {
      writeLog(`The gateway crashed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
      // A storm of errors is one crash.
      if (recovering || ending.signal.aborted) return
      recovering = true
      try {
        await turns.run(() => recover(messageOf(error)))
      } catch {
        // What cut the waiting short is the end of the application.
      }
      recovering = false
    },
    status: () => status,
    async adminRequest(request) {
      // The window is there before the gateway is; its first questions wait instead of failing.
      if (status.state === 'starting') await turns.settled()
      return gateway?.adminRequest(request, options.user) ?? GONE
    },
  }
}
