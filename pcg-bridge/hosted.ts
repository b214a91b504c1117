// One editor as its host sees it: two toolsets, a state, events, history, layouts, snapshots; there or not.

import { watchTurns } from './before-turn.ts'
import { type BridgeResult, type BridgeTool, listTools, type PcgBridge, refusal } from './bridge.ts'
import { CATALOG } from './catalog/index.ts'
import type { CallContext, Change, EditorEvent, UndoResult, UndoSelection } from './editor.ts'
import { type Capability, PcgError } from './editor.ts'
import { type LayoutInput, openSidecar, type StoredLayout } from './sidecar.ts'
import { describeGraph, type GraphState } from './snapshot.ts'
import type { Wire, WireState, WireStatus } from './wire.ts'

/** How a host calls: cancelled by a callback, progress in plain values. */
export type HostContext = {
  readonly actor: string
  readonly requestId: string
  readonly session: string | null
  /** Set when a person acts: what the edit belongs to, and who hears its id. */
  readonly edit: {
    readonly batchId: string | null
    readonly label: string | null
    readonly onChange: (changeId: number) => void
  } | null
  readonly onCancel: (cancel: () => void) => void
  readonly onProgress: (progress: number, total?: number, message?: string) => void
  readonly mayStart: () => Promise<boolean>
}
export type HostedTools = {
  readonly description: string
  readonly tools: readonly BridgeTool[]
  call(tool: string, args: Readonly<Record<string, unknown>>, context: HostContext): Promise<BridgeResult>
}
export type HostedEvent =
  | EditorEvent
  | { readonly type: 'editor.status'; readonly status: WireStatus }
  | {
      readonly type: 'call.started'
      readonly requestId: string
      readonly tool: string
      readonly actor: string
      readonly source: CallContext['source']
    }
  | { readonly type: 'call.finished'; readonly requestId: string; readonly ok: boolean; readonly durationMs: number }
export type HostedState = WireState & { readonly queue: { readonly running: string | null; readonly waiting: number } }

export type GraphSnapshot = {
  readonly graph: string
  readonly nodeCount: number
  readonly edgeCount: number
  readonly state: GraphState
}

export type HostedEditor = {
  readonly capabilities: readonly Capability[]
  readonly tools: HostedTools
  /** Read-only, beside the twenty. */
  readonly inspection: HostedTools
  state(): HostedState
  /** False when nothing had to be done. */
  connect(): Promise<boolean>
  disconnect(): Promise<boolean>
  subscribe(listener: (event: HostedEvent) => void): () => void
  history(query: { readonly graph?: string; readonly limit: number; readonly before?: number }): readonly Change[]
  undo(
    selection: UndoSelection,
    by: { readonly actor: string; readonly requestId: string },
    dryRun: boolean,
  ): Promise<UndoResult>
  layout(graph: string): Promise<StoredLayout>
  /** Answers the revision that stands in the way, when `expected` is not it. */
  saveLayout(
    graph: string,
    layout: LayoutInput,
    expected: number | undefined,
  ): Promise<StoredLayout | { readonly currentRevision: number }>
  snapshot(graph: string): Promise<GraphSnapshot>
  /** One listener for life: hears how a graph stood before an agent's turn. */
  onTurn(listener: (before: GraphSnapshot & { readonly actor: string }) => void): void
  close(): Promise<void>
}

const DESCRIPTION = 'Procedural content (PCG): author graphs, place volumes, generate, and see what came out'
const LOOKS = 'Looks into PCG graphs and what they generated; changes nothing'
const counted = (graph: string, state: GraphState): GraphSnapshot => ({
  graph,
  nodeCount: Object.keys(state.nodes).length,
  edgeCount: state.edges.length,
  state,
})
const IDLE = { running: null, waiting: 0 } as const

export type HostedOptions = { readonly name: string; readonly wire: Wire; readonly sidecarDir: string }

export function createHosted({ wire, sidecarDir }: HostedOptions): HostedEditor {
  const listeners = new Set<(event: HostedEvent) => void>()
  const sidecar = openSidecar(sidecarDir)
  const tell = (event: HostedEvent): void => {
    for (const listener of listeners) listener(event)
  }
  let turnListener: Parameters<HostedEditor['onTurn']>[0] | undefined
  const keepBefore = watchTurns(({ actor, graph, state }) => turnListener?.({ actor, ...counted(graph, state) }))
  let told: WireStatus = wire.state().status
  let latencyMs: number | null = null
  let lastSeenAt: string | null = null
  wire.listen({
    onStatus() {
      const { status } = wire.state()
      if (status === told) return
      told = status
      tell({ type: 'editor.status', status })
    },
    onEvent: tell,
  })

  function away(): PcgError {
    const { error } = wire.state()
    return new PcgError('EDITOR_UNAVAILABLE', error ?? 'The editor is disconnected: connect it first')
  }
  function there(): PcgBridge {
    const bridge = wire.bridge()
    if (!bridge) throw away()
    return bridge
  }

  function callerOf(pick: (bridge: PcgBridge) => Pick<PcgBridge, 'call'>): HostedTools['call'] {
    return async (tool, args, { actor, requestId, session, edit, onCancel, onProgress, mayStart }) => {
      const bridge = wire.bridge()
      if (!bridge) return refusal(away())
      const stop = new AbortController()
      onCancel(() => stop.abort())
      const source = edit ? 'ui' : 'mcp'
      const started = performance.now()
      tell({ type: 'call.started', requestId, tool, actor, source })
      const answer = await pick(bridge).call(tool, args, {
        actor,
        source,
        requestId,
        signal: stop.signal,
        ...(session === null ? {} : { session }),
        ...(edit?.batchId == null ? {} : { batchId: edit.batchId }),
        ...(edit?.label == null ? {} : { label: edit.label }),
        onChange: ({ id }) => edit?.onChange(id),
        onProgress: ({ progress, total, message }) => onProgress(progress, total, message),
        async mayStart() {
          if (!(await mayStart())) return false
          if (source === 'mcp') await keepBefore(bridge, { tool, args, actor, session })
          return true
        },
      })
      const durationMs = Math.round(performance.now() - started)
      if (answer.ok) {
        latencyMs = latencyMs === null ? durationMs : Math.round(latencyMs * 0.7 + durationMs * 0.3)
        lastSeenAt = new Date().toISOString()
      }
      tell({ type: 'call.finished', requestId, ok: answer.ok, durationMs })
      return answer
    }
  }

  /** Where the editor shows its nodes; the path as it names it. */
  async function placed(graph: string) {
    const show = there().editor.inspection.get_pcg_graph_layout
    if (!show) throw new PcgError('EDITOR_ERROR', 'This editor does not tell where its nodes are')
    return show({ pcg_graph_path: graph })
  }

  return {
    capabilities: wire.capabilities,
    tools: { description: DESCRIPTION, tools: listTools(CATALOG), call: callerOf((bridge) => bridge) },
    inspection: { description: LOOKS, tools: wire.inspectionTools, call: callerOf(({ inspection }) => inspection) },
    state() {
      const state = wire.state()
      return {
        ...state,
        latencyMs: state.latencyMs ?? latencyMs,
        lastSeenAt: state.lastSeenAt ?? lastSeenAt,
        queue: wire.bridge()?.queue() ?? IDLE,
      }
    },
    connect: () => wire.connect(),
    disconnect: () => wire.disconnect(),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    history: (query) => there().editor.history(query),
    undo(selection, { actor, requestId }, dryRun) {
      const bridge = there()
      return bridge.inTurn('undo', () => bridge.editor.undo(selection, { actor, requestId, source: 'ui' }, dryRun))
    },
    async layout(graph) {
      const shown = await placed(graph)
      return sidecar.read(shown.asset_path, shown)
    },
    async saveLayout(graph, layout, expected) {
      const shown = await placed(graph)
      const bridge = there()
      const saved = await sidecar.write(shown.asset_path, layout, expected, () =>
        bridge.inTurn('place', () => bridge.editor.place(shown.asset_path, layout)),
      )
      if ('revision' in saved)
        tell({ type: 'graph.changed', graph: shown.asset_path, change: null, layoutRevision: saved.revision })
      return saved
    },
    async snapshot(given) {
      const bridge = there()
      const { graph, state } = await bridge.inTurn('snapshot', () => describeGraph(bridge.editor, given))
      return counted(graph, state)
    },
    onTurn(listener) {
      turnListener = listener
    },
    async close() {
      await wire.close()
      listeners.clear()
    },
  }
}
