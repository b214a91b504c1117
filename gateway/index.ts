// The door `#gateway`: a governed MCP tool gateway as one value. Nothing here depends on Electron or the PCG bridge.
import path from 'node:path'
import type { EditorHost } from '#pcg-contract'
import type { Bootstrapped } from './auth/bootstrap.ts'
import { injectAsDesktop } from './auth/desktop.ts'
import { compose } from './compose.ts'
import type { ClientRequest, ClientResponse } from './contract/client.ts'
import type { StopOptions, Stopped } from './http/shutdown.ts'
import { createAnnouncing, placesOf } from './instance/publish.ts'
import type { Processes } from './processes/link.ts'
import type { Loaded } from './settings/load.ts'
import { VERSION } from './version.ts'

export type GatewayOptions = {
  readonly loaded: Loaded
  readonly home: 'desktop' | 'headless'
  readonly writeLog: (line: string) => void
  /** The built admin application; beside the built gateway when not given. */
  readonly uiDirectory?: string
  /** Opens editors of procedural content; without one there are none. */
  readonly editorHost?: EditorHost | null
  /** Where it says that it is found, for as long as it listens; nowhere when not given. */
  readonly announceIn?: string
  /** Where it is one of several processes that serve one port: what connects it to the others. */
  readonly processes?: Processes
  /** The first of them: no other gateway may use its database. */
  readonly alone?: boolean | undefined
  /** Another instance took the database while this one did not respond: this one must stop. It is logged as well. */
  readonly onReplaced?: (message: string) => void
  /** log2 of scrypt's N for new passwords; the shipped cost when not given. */
  readonly passwordCost?: number
  /** The environment of this process, of which local servers get a few variables; without it there are no local servers. */
  readonly hostEnvironment?: Readonly<Record<string, string | undefined>>
}

export type Gateway = {
  /** The first admin, if `listen` made one. */
  bootstrapped(): Bootstrapped
  /** Binds the port of the settings and starts what runs by itself; answers the address. */
  listen(): Promise<string>
  /** The admin API without the network, as the user of this machine. */
  adminRequest(request: ClientRequest, osUser: string): Promise<ClientResponse>
  subscribe(listener: (event: { readonly topic: string; readonly data: unknown }) => void): () => void
  close(options?: StopOptions): Promise<Stopped>
}

const DESKTOP_ACTOR = { name: 'desktop', kind: 'desktop', role: 'admin', teamId: null } as const

export async function createGateway({
  loaded,
  home,
  writeLog,
  uiDirectory,
  editorHost = null,
  announceIn,
  processes,
  alone = false,
  onReplaced = () => undefined,
  passwordCost,
  hostEnvironment,
}: GatewayOptions): Promise<Gateway> {
  const beside = path.join(
    import.meta.dirname,
    '..',
    path.basename(path.dirname(import.meta.dirname)) === 'dist' ? 'renderer' : 'dist/renderer',
  )
  const announcing = createAnnouncing(announceIn ?? null, {
    home,
    version: VERSION,
    ...placesOf(loaded.settings),
    clock: Date,
  })
  const composed = await compose({
    loaded,
    home,
    writeLog,
    version: VERSION,
    uiDirectory: uiDirectory ?? beside,
    editorHost,
    prove: processes?.prove ?? announcing.prove,
    processes,
    alone,
    onReplaced,
    ...(passwordCost === undefined ? {} : { passwordCost }),
    ...(hostEnvironment === undefined ? {} : { hostEnvironment }),
  })
  const { http, events, bootstrapped } = composed
  return {
    bootstrapped,
    async listen() {
      const { url } = await http.listen(loaded.settings.PORT)
      await composed.start()
      if (processes !== undefined) return url
      try {
        announcing.publish(url)
      } catch (error) {
        composed.log.warn('the command line finds this gateway by --url only', { error })
      }
      return url
    },
    async adminRequest({ method, path: url, headers, body }, osUser) {
      const answer = await injectAsDesktop(await http.app(), osUser, {
        method,
        url,
        headers: { ...headers },
        ...(body === undefined ? {} : { payload: body }),
      })
      return { status: answer.statusCode, headers: flat(answer.headers), body: answer.body }
    },
    subscribe: (listener) => events.subscribe(DESKTOP_ACTOR, listener),
    close(options) {
      announcing.withdraw()
      return composed.close(options)
    },
  }
}

function flat(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
}

export type { EditorHost } from '#pcg-contract'
export { AuditKeyError } from './audit-log/key-file.ts'
export { giveBackIdleMemory } from './idle-memory.ts'
export { announcementsIn } from './instance/announcement.ts'
export { createLink, type Link } from './processes/link.ts'
export { WrongKeyError } from './secrets/check.ts'
export { helpText } from './settings/help.ts'
export { type Loaded, loadSettings } from './settings/load.ts'
export { describeProblems, fatal } from './settings/problem.ts'
export { StorageError } from './storage/storage-error.ts'
export { VERSION } from './version.ts'
