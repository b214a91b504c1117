// The gateway of the desktop: started, watched, restarted; its admin API reached without the network.
import { setTimeout as sleep } from 'node:timers/promises'
import type { DesktopEvent, GatewayStatus } from '#channels'
import type { ClientRequest, ClientResponse } from '#contract'
import { createCrashPolicy } from './crash-policy.ts'
import { CRASH_CLOSE_MS, gone, type OpenGateway, type Running } from './gateway-child.ts'
import type { Mode, Prepared } from './gateway-port.ts'
import { t, word } from './language.ts'

export type Services = ReturnType<typeof createServices>

export type ServiceOptions = {
  /** Asked at every start, because a keyring that was locked may be open by now. */
  readonly prepare: () => Promise<Prepared | { readonly locked: string }>
  readonly open: OpenGateway
  readonly writeLog: (text: string) => void
  readonly onChange: (status: GatewayStatus) => void
  readonly onEvent: (event: DesktopEvent) => void
  /** Called once per crash, with the measure that was taken. */
  readonly onCrash: (what: string) => void
  readonly monotonic: () => number
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

const WHY: Readonly<Record<Mode, string | null>> = {
  running: null,
  paused: word('Agents get no answer until it is resumed.'),
  safe: word('No agent is served, no backend is checked, no editor is open.'),
}

const whyOf = (mode: Mode): string | null => (WHY[mode] === null ? null : t(WHY[mode]))

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

const crashReason = (message: string, stays: boolean): string =>
  stays
    ? t('The gateway crashed: {message} It was in safe mode already, so it stays off.', { message })
    : t('The gateway crashed: {message}', { message })

const safeReason = (message: string, count: number): string =>
  t(
    'The gateway crashed: {message} It crashed {count} times. No agent is served, no backend is checked, no editor is open.',
    { message, count },
  )

export function createServices(options: ServiceOptions) {
  const { open, wait = (ms, signal) => sleep(ms, undefined, { signal }), writeLog } = options
  const nextStep = createCrashPolicy(options.monotonic)
  const ending = new AbortController()
  let gateway: Running | undefined
  let status = STOPPED
  const turns = createTurns()
  let recovering = false

  const tell = (next: Partial<GatewayStatus>): GatewayStatus => {
    status = { ...STOPPED, ...next }
    options.onChange(status)
    return status
  }

  async function start(mode: Mode, why = whyOf(mode)): Promise<GatewayStatus> {
    tell({ state: 'starting' })
    let lack: string | null = null
    try {
      const prepared = await options.prepare()
      if ('locked' in prepared) return tell({ state: 'locked', reason: prepared.locked })
      lack = prepared.lack
      if (lack !== null) writeLog(`${lack}\n`)
      const onCrash = (error: Error): void => void crashed(error)
      const watch = { writeLog, onEvent: options.onEvent, onCrash, signal: ending.signal }
      gateway = await open(prepared, mode, watch)
      return tell({ state: mode, url: gateway.url, reason: why, movedFrom: gateway.movedFrom })
    } catch (error) {
      const reason = [messageOf(error), ...(lack === null ? [] : [lack])].join('\n')
      writeLog(`The gateway did not start: ${reason}\n`)
      return tell({ reason })
    }
  }

  async function close(withinMs?: number): Promise<void> {
    const running = gateway
    gateway = undefined
    await running?.close(withinMs)
  }

  async function recover(message: string): Promise<void> {
    const answer = nextStep(status.state === 'safe')
    await close(CRASH_CLOSE_MS)
    tell({ reason: crashReason(message, answer.act === 'stop') })
    if (answer.act === 'restart') {
      await wait(answer.afterMs, ending.signal)
      const { state } = await start('running')
      options.onCrash(state === 'running' ? t('The gateway crashed and was started again.') : t('The gateway crashed.'))
      return
    }
    if (answer.act === 'safe') await start('safe', safeReason(message, answer.crashes))
    options.onCrash(
      answer.act === 'safe' ? t('The gateway keeps crashing; it is in safe mode.') : t('The gateway is off.'),
    )
  }

  async function crashed(error: Error): Promise<void> {
    writeLog(`The gateway crashed: ${error.stack ?? error.message}\n`)
    // A storm of errors is one crash.
    if (recovering || ending.signal.aborted) return
    recovering = true
    try {
      await turns.run(() => recover(error.message))
    } catch {
      // Aborted: the application quits.
    }
    recovering = false
  }

  return {
    start: (mode: Mode = 'running'): Promise<GatewayStatus> => turns.run(() => start(mode)),
    restart: (mode: Mode = 'running'): Promise<GatewayStatus> => turns.run(() => close().then(() => start(mode))),
    stop: (): Promise<void> => {
      ending.abort()
      return turns.run(async () => {
        await close()
        tell({})
      })
    },
    status: (): GatewayStatus => status,
    async adminRequest(request: ClientRequest): Promise<ClientResponse> {
      // The window is there before the gateway is; its first questions wait instead of failing.
      if (status.state === 'starting') await turns.settled()
      return gateway?.adminRequest(request) ?? gone()
    },
  }
}
