// The script that gives a page its preload: Electron's `require('electron')` for a sandboxed preload, over one binding.
import { DOUBLE_ORIGIN } from './wire.ts'

export const BINDING = '__electronDouble'
export const DELIVERY = 'electron-double'

type Relay = (event: object, payload: unknown) => void
type World = { readonly origin: string; readonly binding: string; readonly delivery: string }
type Preload = (require: (name: string) => unknown, module: object, exports: object) => void

/** Runs in the page, so it may use nothing but its parameters. */
function install({ origin, binding, delivery }: World, preload: Preload): void {
  // A preload belongs to the top frame of our page only, as with nodeIntegrationInSubFrames off.
  if (window !== window.top || location.origin !== origin) return
  const global = globalThis as unknown as Record<string, unknown>
  const invoke = global[binding] as (channel: string, input: unknown) => Promise<{ value?: unknown; error?: string }>
  delete global[binding]
  const relays = new Map<string, Set<Relay>>()
  window.addEventListener(delivery, (event) => {
    const { channel, payload } = (event as CustomEvent<{ channel: string; payload: unknown }>).detail
    for (const relay of relays.get(channel) ?? []) relay({}, payload)
  })
  /** What the bridge lets through: copies of plain values, and functions that again take and give such. */
  const crossing = (value: unknown): unknown => {
    if (typeof value === 'function')
      return Object.freeze((...args: unknown[]) => {
        const answer: unknown = (value as (...given: unknown[]) => unknown)(...args.map(crossing))
        return answer instanceof Promise ? answer.then(crossing) : crossing(answer)
      })
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(crossing)
    return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, each]) => [key, crossing(each)])))
  }
  const electron = {
    contextBridge: {
      exposeInMainWorld: (name: string, api: unknown) =>
        Object.defineProperty(window, name, { value: crossing(api), enumerable: true }),
    },
    ipcRenderer: {
      async invoke(channel: string, input: unknown): Promise<unknown> {
        const { value, error } = await invoke(channel, input)
        if (error !== undefined) throw new Error(`Error invoking remote method '${channel}': ${error}`)
        return value
      },
      on: (channel: string, relay: Relay) => relays.set(channel, (relays.get(channel) ?? new Set()).add(relay)),
      off: (channel: string, relay: Relay) => relays.get(channel)?.delete(relay),
    },
  }
  const require = (name: string): unknown => {
    if (name === 'electron') return electron
    throw new Error(`module not found: ${name}`)
  }
  preload(require, { exports: {} }, {})
}

export function preloadWorld(preload: string): string {
  const world: World = { origin: DOUBLE_ORIGIN, binding: BINDING, delivery: DELIVERY }
  // The built file becomes a function body, unchanged; the page's policy would not let it be evaluated later.
  return `(${install.toString()})(${JSON.stringify(world)}, function (require, module, exports) {\n${preload}\n})`
}
