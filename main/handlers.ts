// What each channel does. No Electron here, so it is tested as plain functions.
import type { Handlers } from './ipc.ts'
import type { Services } from './services.ts'

export function createHandlers(services: Services, openExternal: (url: string) => Promise<void>): Handlers {
  return {
    'admin:request': (request) => services.adminRequest(request),
    'gateway:status': () => services.status(),
    'gateway:restart': () => services.restart(),
    async 'shell:open-external'(url) {
      await openExternal(url)
      return undefined
    },
  }
}
