// The built-in editor as something that is connected and disconnected: its project is open, or it is not.

import { createPcgBridge, listTools, type PcgBridge } from './bridge.ts'
import { INSPECTION } from './catalog/index.ts'
import { CAPABILITIES } from './editor.ts'
import { openEmbeddedEditor } from './embedded/index.ts'
import type { Listeners, Wire, WireState } from './wire.ts'

export type EmbeddedWireOptions = {
  readonly name: string
  readonly directory: string
  readonly queueMax: number
  readonly callTimeoutMs: number
}

export function embeddedWire({ name, directory, queueMax, callTimeoutMs }: EmbeddedWireOptions): Wire {
  let bridge: PcgBridge | null = null
  let status: WireState['status'] = 'disconnected'
  let error: string | null = null
  let listeners: Listeners | undefined
  /** Opening and closing take turns: two of them must not meet in one folder. */
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work)
    turn = mine.catch(() => undefined)
    return mine
  }
  function tell(next: WireState['status'], why: string | null = null): void {
    status = next
    error = why
    listeners?.onStatus()
  }

  async function open(): Promise<boolean> {
    if (bridge) return false
    tell('connecting')
    try {
      const editor = await openEmbeddedEditor({ directory })
      editor.subscribe((event) => listeners?.onEvent(event))
      bridge = createPcgBridge({ name, editor, queueMax, callTimeoutMs })
      tell('connected')
      return true
    } catch (reason) {
      tell('error', reason instanceof Error ? reason.message : String(reason))
      throw reason
    }
  }

  async function shut(): Promise<boolean> {
    const open = bridge
    bridge = null
    await open?.close()
    if (status !== 'disconnected') tell('disconnected')
    return open !== null
  }

  return {
    inspectionTools: listTools(INSPECTION),
    capabilities: CAPABILITIES,
    bridge: () => bridge,
    state: () => ({
      status,
      error,
      ...(bridge ? pick(bridge) : { project: null, level: null, engine: null }),
      latencyMs: null,
      lastSeenAt: null,
    }),
    connect: () => inTurn(open),
    disconnect: () => inTurn(shut),
    listen(given) {
      listeners = given
    },
    async close() {
      listeners = undefined
      await inTurn(shut)
    },
  }
}

function pick({ editor }: PcgBridge): Pick<WireState, 'project' | 'level' | 'engine'> {
  const { project, level, engine } = editor.status()
  return { project, level, engine }
}
