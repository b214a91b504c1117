// An editor as a gateway hosts it: three toolsets and what no tool offers; and the context of every call.
import type { ChangeList, GraphLease } from './activity.ts'
import type { Change, NamedCall, UndoResult, UndoSelection } from './change.ts'
import type { EditorDriver, EditorState, FoundEditor, PcgCode } from './editor.ts'
import type { EditorEvent } from './event.ts'
import type { GraphLayout, StoredLayout } from './layout.ts'
import type { LevelReport, LevelShapes } from './level.ts'
import type { PatchReport, PatchStep } from './patch.ts'
import type { GraphDocument, TransferReport } from './transfer.ts'

export type Progress = { readonly progress: number; readonly total: number; readonly message: string }

/** Who makes a call, which edit it belongs to, and how the caller follows it. */
export type CallContext = {
  readonly actor: string
  /** The name that its client program gave itself. */
  readonly program?: string | undefined
  readonly source: Change['source']
  /** Distinguishes callers with the same name. */
  readonly session?: string | null
  /** Without it the call is not announced in the events. */
  readonly requestId?: string
  readonly batchId?: string | null
  readonly label?: string | null
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress) => void
  /** Receives the change if the call was an edit. */
  readonly onChange?: (change: Change) => void
  /** Admission may end while the call waits: asked again when its turn comes. */
  readonly mayStart?: () => Promise<boolean>
}
export type CallResult =
  | {
      readonly ok: true
      readonly result: Readonly<Record<string, unknown>>
      /** PNG in base64; the result names them as `image 1` and on. */
      readonly images?: readonly string[]
    }
  | { readonly ok: false; readonly code: PcgCode; readonly message: string }

export type HostedTool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
  /** The page that shows its results. */
  readonly _meta?: { readonly ui: { readonly resourceUri: string } }
}
/** A page that a client shows beside a result (MCP Apps). */
export type HostedPage = {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
  readonly _meta: Readonly<Record<string, unknown>>
  readonly text: string
}
export type Toolset = {
  readonly description: string
  readonly pages?: readonly HostedPage[]
  readonly tools: readonly HostedTool[]
  /** Never throws: a failure is a result with a code. */
  call(tool: string, args: unknown, context: CallContext): Promise<CallResult>
}

/** A graph at one moment. Only the host reads `state`; it is JSON. */
export type GraphSnapshot = {
  readonly graph: string
  readonly nodeCount: number
  readonly edgeCount: number
  readonly state: unknown
}
export type GraphDifference = {
  readonly entries: {
    readonly path: string
    readonly kind: 'added' | 'removed' | 'changed'
    readonly before: unknown
    readonly after: unknown
  }[]
  /** Tool calls that restore `before`. */
  readonly restore: NamedCall[]
}

export type HostedEditor = {
  readonly tools: Toolset
  /** A second toolset; it only reads. */
  readonly inspection: Toolset
  /** A third one, of whole graphs: text, patch, linter. */
  readonly authoring: Toolset
  state(): EditorState
  /** False if it was connected already. */
  connect(): Promise<boolean>
  disconnect(): Promise<boolean>
  /** Returns the function that unsubscribes. */
  subscribe(listener: (event: EditorEvent) => void): () => void
  history(query: { readonly graph?: string; readonly limit: number; readonly before?: number }): readonly Change[]
  undo(selection: UndoSelection, context: CallContext, dryRun?: boolean): Promise<UndoResult>
  layout(graph: string): Promise<StoredLayout>
  /** Returns the current revision if it is not `expected`. */
  saveLayout(
    graph: string,
    layout: GraphLayout,
    expected: number | undefined,
  ): Promise<StoredLayout | { readonly currentRevision: number }>
  snapshot(graph: string): Promise<GraphSnapshot>
  /** A graph, then the graphs that it embeds, for another editor. */
  exportGraph(graph: string, context: CallContext): Promise<readonly GraphDocument[]>
  /** All of them or none. `path`: of the first here; null: the path it has. Existing graphs stay unless `replace`. */
  importGraph(
    documents: readonly GraphDocument[],
    options: { readonly path: string | null; readonly replace: boolean },
    context: CallContext,
  ): Promise<TransferReport>
  /** All steps or none, and one undo takes them back. `dryRun`: only the report. */
  patchGraph(graph: string, steps: readonly PatchStep[], dryRun: boolean, context: CallContext): Promise<PatchReport>
  /** Landscapes, splines and volumes of a real editor; `resolution`: heights along the longer side. */
  readLevel(resolution: number, context: CallContext): Promise<LevelShapes>
  /** Into the embedded editor. `replace`: also in place of its other actors without a component. */
  writeLevel(shapes: LevelShapes, replace: boolean, context: CallContext): Promise<LevelReport>
  /** Of a person: agents cannot write to the graph until it is released or expires, also one that another holds. */
  takeLease(graph: string, context: CallContext): GraphLease
  /** False if there was none. */
  releaseLease(graph: string): boolean
  /**
   * What source control holds of a batch, and the description of its change list. `submit`: the description under which
   * it is checked in, by the word of a person.
   */
  changeList(batchId: string, submit: string | null, context: CallContext): Promise<ChangeList>
  /** Of a person who saw the window. False if it is gone. */
  answerDialog(id: string, answer: string): Promise<boolean>
  /** Sets the one listener that receives each graph as it was before an agent's turn. */
  onTurn(listener: (before: GraphSnapshot & { readonly actor: string }) => void): void
  close(): Promise<void>
}

export type EditorSpec = {
  readonly name: string
  readonly driver: EditorDriver
  /** Null: the driver's default address. */
  readonly url: string | null
  readonly token: string | null
  readonly autoConnect: boolean
  /** Folder of the project: only its editor is called. */
  readonly project?: string | null
  /** Folder of the stored layouts; null: the host's own. */
  readonly sidecarDir: string | null
}
export type EditorHost = {
  /** An editor that is not reachable opens all the same; its state says why. */
  open(spec: EditorSpec): Promise<HostedEditor>
  discover(ports: readonly number[]): Promise<readonly FoundEditor[]>
  compare(graph: string, before: unknown, after: unknown): GraphDifference
  /** The graph in a snapshot. */
  document(graph: string, state: unknown): GraphDocument
}
