// What the preload shows the page: five functions over named channels, and never ipcRenderer itself.
import { expect, it, vi } from 'vitest'
import { CHANNEL_NAMES, type Desktop, EVENT_CHANNEL } from './channels.ts'

type Relay = (event: unknown, payload: unknown) => void

/** A double of the three things a sandboxed preload gets from Electron. */
const electron = vi.hoisted(() => ({
  exposed: new Map<string, unknown>(),
  invoked: new Array<readonly unknown[]>(),
  relays: new Map<string, Set<(event: unknown, payload: unknown) => void>>(),
}))
vi.mock('electron', () => ({
  contextBridge: { exposeInMainWorld: (name: string, api: unknown) => electron.exposed.set(name, api) },
  ipcRenderer: {
    invoke: async (...args: unknown[]) => electron.invoked.push(args),
    on: (channel: string, relay: Relay) =>
      electron.relays.set(channel, (electron.relays.get(channel) ?? new Set()).add(relay)),
    off: (channel: string, relay: Relay) => electron.relays.get(channel)?.delete(relay),
  },
}))

await import('./index.ts')
// The preload declares what it exposes as Desktop.
const desktop = electron.exposed.get('desktop') as Desktop

it('exposes these functions and nothing else', () => {
  expect([...electron.exposed.keys()]).toEqual(['desktop'])
  expect(Object.entries(desktop).map(([name, value]) => `${name}: ${typeof value}`)).toEqual([
    'adminRequest: function',
    'gatewayStatus: function',
    'gatewayRestart: function',
    'openExternal: function',
    'subscribe: function',
  ])
})

it('speaks every channel, each with its input alone', async () => {
  const request = { method: 'GET', path: '/admin-api/overview', headers: {} } as const
  await desktop.adminRequest(request)
  await desktop.gatewayStatus()
  await desktop.gatewayRestart()
  await desktop.openExternal('https://example.com/')
  expect(electron.invoked).toEqual([
    ['admin:request', request],
    ['gateway:status', undefined],
    ['gateway:restart', undefined],
    ['shell:open-external', 'https://example.com/'],
  ])
  expect(electron.invoked.map(([channel]) => channel)).toEqual(CHANNEL_NAMES)
})

it('passes on the topics that were asked for, without the event, until it is told to stop', () => {
  const heard: unknown[][] = []
  const stop = desktop.subscribe('audit', (...args: unknown[]) => heard.push(args))
  const emit = (payload: unknown): void =>
    electron.relays.get(EVENT_CHANNEL)?.forEach((relay) => relay({ sender: 'ipcRenderer' }, payload))
  emit({ topic: 'audit', data: { id: 1 } })
  emit({ topic: 'gateway:changed', data: {} })
  stop()
  emit({ topic: 'audit', data: { id: 2 } })
  expect(heard).toEqual([[{ id: 1 }]])
  expect([...electron.relays.keys()]).toEqual([EVENT_CHANNEL])
})
