// What the preload shows the page: one function for each named channel, and never ipcRenderer itself.
import { expect, it, vi } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { type Desktop, EVENT_CHANNEL, METHODS } from './channels.ts'

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
    ...Object.keys(METHODS).map((name) => `${name}: function`),
    'subscribe: function',
  ])
})

it('speaks every channel, each with its input alone', async () => {
  const { subscribe: _subscribe, ...calls } = desktop
  // Each as a page would that keeps to no type: with more than the one input.
  for (const [name, call] of Object.entries(calls)) await (call as (...args: unknown[]) => unknown)(name, 'more')
  expect(electron.invoked).toEqual(Object.entries(METHODS).map(([name, channel]) => [channel, name]))
})

it('passes on the requested topics, without the event, until it is stopped', () => {
  const received: unknown[][] = []
  const stop = desktop.subscribe('audit', (...args: unknown[]) => received.push(args))
  const emit = (payload: unknown): void =>
    electron.relays.get(EVENT_CHANNEL)?.forEach((relay) => relay({ sender: 'ipcRenderer' }, payload))
  emit({ topic: 'audit', data: { id: 1 } })
  emit({ topic: 'gateway:changed', data: {} })
  stop()
  emit({ topic: 'audit', data: { id: 2 } })
  expect(received).toEqual([[{ id: 1 }]])
  expect([...electron.relays.keys()]).toEqual([EVENT_CHANNEL])
})

const reflectApply = Reflect.apply as (target: object, self: unknown, args: readonly unknown[]) => unknown

/** Every function of these is replaced by one that keeps what it is given, until `restore`. */
function tamper(): { readonly seen: Set<unknown>; readonly restore: () => void } {
  const seen = new Set<unknown>()
  const keep = seen.add.bind(seen)
  const undo: (() => void)[] = []
  const owners = [Function.prototype, Promise.prototype, Array.prototype, Object, Reflect]
  const names = ['bind', 'call', 'apply', 'then', 'catch', 'map', 'forEach', 'entries', 'fromEntries', 'assign']
  for (const owner of owners) {
    for (const name of names) {
      const found = Object.getOwnPropertyDescriptor(owner, name)
      if (typeof found?.value !== 'function') continue
      const original: object = found.value
      const spied = new Proxy(original, {
        apply: (target, self, args) => {
          keep(self)
          for (let at = 0; at < args.length; at += 1) keep(args[at])
          return reflectApply(target, self, args)
        },
      })
      void Object.defineProperty(owner, name, { ...found, value: spied })
      undo.push(() => void Object.defineProperty(owner, name, found))
    }
  }
  return { seen, restore: () => undo.forEach((each) => each()) }
}

it('shows nothing of Electron to a page that replaced what functions, promises and arrays are made of (security case EL-07; skipped: the isolation of the worlds itself, which is Electron’s)', async () => {
  const { ipcRenderer } = await import('electron')
  const { subscribe, ...calls } = desktop
  const { seen, restore } = tamper()
  try {
    for (const call of Object.values(calls)) void (call as () => unknown)()
    subscribe('audit', () => undefined)()
  } finally {
    restore()
  }
  const electrons = [ipcRenderer, ...Object.values(ipcRenderer)]
  expect(electrons.filter((each) => seen.has(each))).toEqual([])
  const { devDependencies } = manifest
  expect(Number(devDependencies.electron.split('.')[0])).toBeGreaterThanOrEqual(41)
})
