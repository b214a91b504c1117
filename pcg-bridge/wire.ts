// What holds one editor: whether it is there, and the bridge to it while it is.

import type { BridgeTool, PcgBridge } from './bridge.ts'
import type { Capability, EditorEvent } from './editor.ts'

export type WireStatus = 'disconnected' | 'connecting' | 'connected' | 'busy' | 'error'
export type WireState = {
  readonly status: WireStatus
  readonly error: string | null
  readonly project: string | null
  readonly level: string | null
  readonly engine: string | null
  readonly latencyMs: number | null
  readonly lastSeenAt: string | null
}
export type Listeners = {
  readonly onStatus: () => void
  readonly onEvent: (event: EditorEvent) => void
}
export type Wire = {
  /** What it can do once it is connected. */
  readonly capabilities: readonly Capability[]
  /** What is listed, also while nobody is there. */
  readonly inspectionTools: readonly BridgeTool[]
  /** Null while the editor is not connected. */
  bridge(): PcgBridge | null
  state(): WireState
  /** False when it was connected already. */
  connect(): Promise<boolean>
  disconnect(): Promise<boolean>
  /** One listener for life. */
  listen(listeners: Listeners): void
  close(): Promise<void>
}
