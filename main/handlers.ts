// What each channel does. No Electron here, so it is tested as plain functions.
import type { AppFacts, AppSettings, DeepLink, UpdateState } from '#channels'
import type { ComputerServers } from '#gateway-shell'
import type { AskAgents } from './agents.ts'
import { externalUrl } from './external.ts'
import type { Handlers } from './ipc.ts'
import type { Services } from './services.ts'

export type Shell = {
  readonly openExternal: (url: string) => Promise<void>
  readonly showFolder: (which: 'data' | 'logs') => Promise<void>
  readonly facts: () => Promise<AppFacts>
  readonly changeSettings: (change: Partial<AppSettings>) => void
  readonly agentKey: () => Promise<string | null>
  readonly givePassphrase: (passphrase: string) => Promise<boolean>
  readonly checkForUpdate: () => Promise<UpdateState>
  readonly takeLink: () => DeepLink | null
  readonly takePage: () => string | null
  readonly askAgents: AskAgents
  readonly servers: ComputerServers
}

export function createHandlers(services: Services, shell: Shell): Handlers {
  return {
    'admin:request': (request) => services.adminRequest(request),
    'gateway:status': () => services.status(),
    'gateway:restart': () => services.restart(),
    'gateway:pause': () => services.restart('paused'),
    'gateway:safe-mode': () => services.restart('safe'),
    async 'shell:open-external'(given) {
      const url = externalUrl(given)
      if (url === undefined) throw new Error('shell:open-external: refused, only plain https addresses are opened')
      await shell.openExternal(url)
      return undefined
    },
    async 'shell:show-folder'(which) {
      await shell.showFolder(which)
      return undefined
    },
    'app:facts': () => shell.facts(),
    async 'app:change-settings'(change) {
      shell.changeSettings(change)
      return shell.facts()
    },
    'app:agent-key': () => shell.agentKey(),
    async 'app:give-passphrase'(passphrase) {
      if (!(await shell.givePassphrase(passphrase))) return false
      await services.restart()
      return true
    },
    'app:check-for-update': () => shell.checkForUpdate(),
    'link:take': () => shell.takeLink(),
    'page:take': () => shell.takePage(),
    'agents:ask': (asked) => shell.askAgents(asked),
    'servers:add': (asked) => shell.servers.add(asked),
    'servers:tools': (asked) => shell.servers.listTools(asked),
    'servers:ask': (asked) => shell.servers.ask(asked),
  }
}
