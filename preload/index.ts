// Exposes `window.desktop`: the named channels and nothing else. No ipcRenderer reaches the page.
import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron'
import type { Desktop } from './channels.ts'
import { type ChannelName, EVENT_NAMES } from './names.ts'

// main parses both ways by the contract; here the promise only takes the contract's type.
const invoke = <T>(channel: ChannelName, input?: unknown): Promise<T> =>
  ipcRenderer.invoke(channel, input) as Promise<T>

const desktop: Desktop = {
  adminRequest: (input) => invoke('admin:request', input),
  gatewayStatus: () => invoke('gateway:status'),
  gatewayRestart: () => invoke('gateway:restart'),
  openExternal: (url) => invoke('shell:open-external', url),
  subscribe(event, listener) {
    if (!EVENT_NAMES.includes(event)) throw new Error(`unknown event ${event}`)
    const relay = (_event: IpcRendererEvent, payload: Parameters<typeof listener>[0]): void => listener(payload)
    ipcRenderer.on(event, relay)
    return () => {
      ipcRenderer.off(event, relay)
    }
  },
}

contextBridge.exposeInMainWorld('desktop', desktop)
