// The gateway inside the desktop: started, watched, restarted; its admin API reached without the network.
import type { DesktopEvent, GatewayStatus } from '#channels'
import type { ClientRequest, ClientResponse } from '#contract'
import { createGateway, describeProblems, fatal, type Gateway, loadSettings } from '#gateway'
import { editorHost } from './pcg.ts'

export type Services = {
  start(): Promise<GatewayStatus>
  restart(): Promise<GatewayStatus>
  stop(): Promise<void>
  status(): GatewayStatus
  adminRequest(request: ClientRequest): Promise<ClientResponse>
}

type Environment = Readonly<Record<string, string | undefined>>

type Options = {
  /** Asked at every start, because a keyring that was locked may be open by now; `lack` says what is missing. */
  readonly environment: () => Promise<{ readonly env: Environment; readonly lack: string | null }>
  readonly readFile: (file: string) => string
  readonly writeLog: (line: string) => void
  /** The operating system's user, for the audit log. */
  readonly user: string
  readonly onChange: (status: GatewayStatus) => void
  readonly onEvent: (event: DesktopEvent) => void
}

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

function explained(error: unknown, env: Environment): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return `Port ${env.PORT} is used by another program. Quit that program, or start Gantry with another PORT, then restart the gateway.`
  return error instanceof Error ? error.message : String(error)
}

export function createServices(options: Options): Services {
  let gateway: Gateway | undefined
  let status: GatewayStatus = { state: 'stopped', url: null, reason: null }
  let turn: Promise<unknown> = Promise.resolve()

  const tell = (next: GatewayStatus): GatewayStatus => {
    status = next
    options.onChange(next)
    return next
  }

  /** One at a time: two impatient restarts must not make two gateways on one database. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work, work)
    turn = mine
    return mine
  }

  async function open(): Promise<GatewayStatus> {
    tell({ state: 'starting', url: null, reason: null })
    let env: Environment = {}
    let lack: string | null = null
    try {
      ;({ env, lack } = await options.environment())
      if (lack !== null) options.writeLog(`${lack}\n`)
      const loaded = loadSettings({ env, readFile: options.readFile })
      if (fatal(loaded.problems)) throw new Error(describeProblems(loaded.problems))
      if (loaded.problems.length > 0) options.writeLog(`${describeProblems(loaded.problems)}\n`)
      gateway = await createGateway({
        loaded,
        home: 'desktop',
        writeLog: options.writeLog,
        editorHost: editorHost(loaded.settings),
      })
      gateway.subscribe(options.onEvent)
      return tell({ state: 'running', url: await gateway.listen(), reason: null })
    } catch (error) {
      const reason = [explained(error, env), ...(lack === null ? [] : [lack])].join('\n')
      options.writeLog(`The gateway did not start: ${reason}\n`)
      await close()
      return tell({ state: 'stopped', url: null, reason })
    }
  }

  async function close(): Promise<void> {
    const running = gateway
    gateway = undefined
    await running?.close()
  }

  return {
    start: () => inTurn(open),
    restart: () =>
      inTurn(async () => {
        await close()
        return open()
      }),
    stop: () =>
      inTurn(async () => {
        await close()
        tell({ state: 'stopped', url: null, reason: null })
      }),
    status: () => status,
    async adminRequest(request) {
      // The window is there before the gateway is; its first questions wait instead of failing.
      if (status.state === 'starting') await turn
      return gateway?.adminRequest(request, options.user) ?? GONE
    },
  }
}
