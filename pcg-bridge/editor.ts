// What every driver of an editor is: the twenty tools, what it can do beside them, its events, its end.
import type {
  Input,
  InspectionInput,
  InspectionName,
  InspectionOutput,
  Output,
  PcgCode,
  ToolName,
} from './catalog/index.ts'

/** A failed call, with the code of contract 7.9 and a message that says what to do next. */
export class PcgError extends Error {
  readonly code: PcgCode
  constructor(code: PcgCode, message: string) {
    super(message)
    this.name = 'PcgError'
    this.code = code
  }
}

export type Progress = { readonly progress: number; readonly total: number; readonly message: string }

/** Who calls, and as part of what. History and undo are kept by these. */
export type CallContext = {
  readonly actor: string
  readonly source: 'ui' | 'mcp' | 'editor'
  /** Tells callers of one name apart. */
  readonly session?: string
  readonly batchId?: string
  readonly label?: string
  readonly requestId?: string
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress) => void
  /** Hears of the edit this call was, if it was one. */
  readonly onChange?: (change: Change) => void
}

export const CAPABILITIES = [
  'nodePositions',
  'comments',
  'pinTypes',
  'nodeData',
  'timings',
  'undo',
  'cancel',
  'listGraphs',
  'generate',
] as const
export type Capability = (typeof CAPABILITIES)[number]

/** One edit, as history shows it. Contract 7.9. */
export type Change = {
  readonly id: number
  readonly at: string
  readonly actor: string
  readonly source: CallContext['source']
  readonly batchId: string | null
  readonly label: string | null
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly graph: string | null
  readonly undoable: boolean
  readonly undone: boolean
  readonly requestId: string | null
}

export type GenerationPhase = 'dirty' | 'cleaning' | 'scheduled' | 'generating' | 'verified' | 'empty' | 'failed'
export type EditorEvent =
  | {
      readonly type: 'graph.changed'
      readonly graph: string
      readonly change: Change | null
      /** Where only how the graph lies was saved: as which revision. */
      readonly layoutRevision?: number
    }
  | { readonly type: 'level.changed' }
  | {
      readonly type: 'generation'
      readonly actorName: string
      readonly phase: GenerationPhase
      readonly taskId: number | null
      readonly message: string
      readonly progress?: number
    }
  | { readonly type: 'log'; readonly level: 'info' | 'warning' | 'error'; readonly text: string }

export type EditorStatus = {
  readonly driver: 'embedded' | 'remote-control' | 'remote-execution' | 'unreal-mcp'
  readonly project: string | null
  readonly level: string | null
  readonly engine: string | null
}

export type UndoSelection =
  | { readonly batchId: string }
  | { readonly changeId: number }
  /** The newest change of this author that still stands. */
  | { readonly author: string }
export type UndoResult = {
  /** The same as calls of the twenty, for a reader; applying is done by the editor, in one step. */
  readonly calls: readonly { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }[]
  readonly applied: number
  readonly failed: { readonly index: number; readonly message: string } | null
}

export type Tools = { readonly [K in ToolName]: (input: Input<K>, context: CallContext) => Promise<Output<K>> }
export type Inspection = {
  readonly [K in InspectionName]: (input: InspectionInput<K>) => Promise<InspectionOutput<K>>
}

export type Layout = {
  readonly nodes: Readonly<Record<string, { readonly x: number; readonly y: number }>>
  readonly comments: readonly {
    readonly id: string
    readonly x: number
    readonly y: number
    readonly w: number
    readonly h: number
    readonly text: string
  }[]
}

export type Editor = {
  readonly capabilities: readonly Capability[]
  readonly tools: Tools
  /** Tools beyond the twenty; a driver offers those it can answer. */
  readonly inspection: Partial<Inspection>
  status(): EditorStatus
  /** Returns the function that ends the subscription. */
  subscribe(listener: (event: EditorEvent) => void): () => void
  history(query: { readonly graph?: string; readonly limit: number; readonly before?: number }): readonly Change[]
  undo(selection: UndoSelection, context: CallContext, dryRun?: boolean): Promise<UndoResult>
  /** Places nodes and comments; not an edit of the graph. */
  place(graph: string, layout: Layout): Promise<void>
  /** Stops a running generation; what was generated before stays. */
  cancel(actorName: string): Promise<boolean>
  close(): Promise<void>
}
