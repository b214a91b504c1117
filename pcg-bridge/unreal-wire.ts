// A real editor as something that is connected and disconnected; the connection keeps itself up in between.

import { createPcgBridge, listTools } from './bridge.ts'
import { INSPECTION } from './catalog/index.ts'
import type { EditorStatus } from './editor.ts'
import { isLoopback } from './unreal/http.ts'
import { openUnrealEditor } from './unreal/index.ts'
import type { Wire } from './wire.ts'

export type UnrealSpec = {
  readonly name: string
  readonly driver: Exclude<EditorStatus['driver'], 'embedded'>
  readonly url: string | null
  readonly token: string | null
  readonly autoConnect: boolean
}
export type UnrealWireOptions = {
  readonly spec: UnrealSpec
  readonly queueMax: number
  readonly callTimeoutMs: number
}

/** Another machine's project folder cannot be looked into: whoever gave its address vouches for it. */
function elsewhere(url: string | null): boolean {
  return url !== null && url.startsWith('http') && !isLoopback(new URL(url).hostname)
}

export function unrealWire({ spec, queueMax, callTimeoutMs }: UnrealWireOptions): Wire {
  const editor = openUnrealEditor({
    driver: spec.driver,
    autoConnect: spec.autoConnect,
    acceptUnproven: elsewhere(spec.url),
    callTimeoutMs,
    ...(spec.url === null ? {} : { url: spec.url }),
    ...(spec.token === null ? {} : { token: spec.token }),
  })
  const bridge = createPcgBridge({ name: spec.name, editor, queueMax, callTimeoutMs })
  const connected = (): boolean => ['connected', 'busy'].includes(editor.connection().status)
  const offered = Object.entries(INSPECTION).filter(([name]) => Object.hasOwn(editor.inspection, name))
  return {
    capabilities: editor.capabilities,
    inspectionTools: listTools(Object.fromEntries(offered)),
    // Calls find out by themselves: one that comes while the editor is away tries to reach it.
    bridge: () => bridge,
    state() {
      const { status, error, latencyMs, lastSeenAt } = editor.connection()
      const { project, level, engine } = editor.status()
      return { status, error, project, level, engine, latencyMs, lastSeenAt }
    },
    async connect() {
      if (connected()) return false
      await editor.connect()
      return true
    },
    async disconnect() {
      if (editor.connection().status === 'disconnected') return false
      editor.disconnect()
      return true
    },
    listen({ onStatus, onEvent }) {
      editor.onConnection(onStatus)
      editor.subscribe(onEvent)
    },
    close: () => bridge.close(),
  }
}
