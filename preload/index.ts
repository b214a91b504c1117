// Exposes `window.desktop`: the named channels and nothing else. No ipcRenderer reaches the page.
import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron'
import type { Desktop, DesktopEvent } from './channels.ts'
import { type ChannelName, EVENT_CHANNEL } from './names.ts'

// main parses both ways by the contract; here the promise only takes the contract's type.
const invoke = <T>(channel: ChannelName, input?: unknown): Promise<T> =>
  ipcRenderer.invoke(channel, input) as Promise<T>

const desktop: Desktop = {
  adminRequest: (input) => invoke('admin:request', input),
  gatewayStatus: () => invoke('gateway:status'),
  gatewayRestart: () => invoke('gateway:restart'),
  openExternal: (url) => invoke('shell:open-external', url),
  subscribe(topic, listener) {
    const relay = (_event: IpcRendererEvent, event: DesktopEvent): void => {
      if (event.topic === topic) listener(event.data)
    }
    ipcRenderer.on(EVENT_CHANNEL, relay)
    return () => {
      ipcRenderer.off(EVENT_CHANNEL, relay)
    }
  },
}

contextBridge.exposeInMainWorld('desktop', desktop)
