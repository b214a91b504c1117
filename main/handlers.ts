// What each channel does. No Electron here, so it is tested as plain functions.
import { externalUrl } from './external.ts'
import type { Handlers } from './ipc.ts'
import type { Services } from './services.ts'

export function createHandlers(services: Services, openExternal: (url: string) => Promise<void>): Handlers {
  return {
    'admin:request': (request) => services.adminRequest(request),
    'gateway:status': () => services.status(),
    'gateway:restart': () => services.restart(),
    async 'shell:open-external'(given) {
      const url = externalUrl(given)
      if (url === undefined) throw new Error('shell:open-external: refused, only plain https addresses are opened')
      await openExternal(url)
      return undefined
    },
  }
}
