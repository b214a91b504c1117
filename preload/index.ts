// Exposes `window.desktop`: the named channels and nothing else. No ipcRenderer reaches the page.
import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron'
import type { Desktop, DesktopEvent } from './channels.ts'
import { EVENT_CHANNEL, METHODS } from './names.ts'

const calls = Object.entries(METHODS).map(([name, channel]) => [
  name,
  (input?: unknown): Promise<unknown> => ipcRenderer.invoke(channel, input),
])

const subscribe: Desktop['subscribe'] = (topic, listener) => {
  const relay = (_event: IpcRendererEvent, event: DesktopEvent): void => {
    if (event.topic === topic) listener(event.data)
  }
  ipcRenderer.on(EVENT_CHANNEL, relay)
  return () => {
    ipcRenderer.off(EVENT_CHANNEL, relay)
  }
}

// main parses both ways by the contract; the table's types are the promise's here.
const desktop = { ...Object.fromEntries(calls), subscribe } as Desktop
contextBridge.exposeInMainWorld('desktop', desktop)
