// The gateway inside the desktop: started, watched, restarted; its admin API reached without the network.

import type { GatewayStatus } from '#channels'
import type { ClientRequest, ClientResponse } from '#contract'
import { createGateway, describeProblems, type Gateway, loadSettings } from '#gateway'

export type Services = {
  start(): Promise<GatewayStatus>
  restart(): Promise<GatewayStatus>
  stop(): Promise<void>
  status(): GatewayStatus
  adminRequest(request: ClientRequest): Promise<ClientResponse>
}

type Options = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly readFile: (file: string) => string
  readonly writeLog: (line: string) => void
  /** The operating system's user, for the audit log. */
  readonly user: string
  readonly onChange: (status: GatewayStatus) => void
  readonly onEvent: (event: { topic: string; data: unknown }) => void
}

const GONE: ClientResponse = {
  status: 503,
  headers: {},
  body: JSON.stringify({
    error: { code: 'SHUTTING_DOWN', message: 'The gateway is not running; restart it from the banner', request_id: '' },
  }),
}

export function createServices(options: Options): Services {
  let gateway: Gateway | undefined
  let status: GatewayStatus = { state: 'stopped', url: null, reason: null }

  const tell = (next: GatewayStatus): GatewayStatus => {
    status = next
    options.onChange(next)
    return next
  }

  async function start(): Promise<GatewayStatus> {
    tell({ state: 'starting', url: null, reason: null })
    try {
      const loaded = loadSettings({ env: options.env, readFile: options.readFile })
      if (loaded.fatal) throw new Error(describeProblems(loaded.problems))
      gateway = await createGateway({ loaded, home: 'desktop', writeLog: options.writeLog })
      gateway.subscribe(options.onEvent)
      const url = await gateway.listen()
      return tell({ state: 'running', url, reason: null })
    } catch (error) {
      await stop()
      return tell({ state: 'stopped', url: null, reason: error instanceof Error ? error.message : String(error) })
    }
  }

  async function stop(): Promise<void> {
    const running = gateway
    gateway = undefined
    await running?.close()
  }

  return {
    start,
    stop,
    status: () => status,
    async restart() {
      await stop()
      return start()
    },
    adminRequest: (request) => gateway?.adminRequest(request, options.user) ?? Promise.resolve(GONE),
  }
}
