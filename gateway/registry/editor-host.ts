// Editors inside or beside the process, as the gateway knows them: whoever composes the gateway brings a host that opens them.
import type { EditorDriver } from '../contract/admin/pcg-records.ts'
import type { LocalBackend } from './backend.ts'

export type EditorSpec = {
  readonly name: string
  readonly driver: EditorDriver
  readonly url: string | null
  readonly token: string | null
  readonly autoConnect: boolean
  readonly sidecarDir: string | null
}

export type EditorChange = {
  readonly id: number
  readonly at: string
  readonly actor: string
  readonly source: 'ui' | 'mcp' | 'editor'
  readonly batchId: string | null
  readonly label: string | null
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly graph: string | null
  readonly undoable: boolean
  readonly undone: boolean
  readonly requestId: string | null
}

export type EditorState = {
  readonly status: 'disconnected' | 'connecting' | 'connected' | 'busy' | 'error'
  readonly error: string | null
  readonly project: string | null
  readonly level: string | null
  readonly engine: string | null
  readonly queue: { readonly running: string | null; readonly waiting: number }
  readonly latencyMs: number | null
  readonly lastSeenAt: string | null
}

/** What happened in an editor. Contract 7.9 names the types; their data is passed on as it is. */
export type EditorEvent = { readonly type: string }

type Named = { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
export type EditorUndo = {
  readonly calls: readonly Named[]
  readonly applied: number
  readonly failed: { readonly index: number; readonly message: string } | null
}

type Place = {
  readonly x: number
  readonly y: number
  readonly w?: number | undefined
  readonly h?: number | undefined
  readonly collapsed?: boolean | undefined
  readonly color?: string | undefined
}
export type EditorLayout = {
  readonly nodes: Readonly<Record<string, Place>>
  readonly comments: readonly (Place & {
    readonly id: string
    readonly w: number
    readonly h: number
    readonly text: string
    readonly nodes: readonly string[]
  })[]
  readonly reroutes: readonly { readonly id: string; readonly edge: string; readonly x: number; readonly y: number }[]
  readonly bookmarks: readonly {
    readonly slot: number
    readonly x: number
    readonly y: number
    readonly zoom: number
  }[]
}
export type StoredLayout = EditorLayout & { readonly graph: string; readonly revision: number }

/** A graph as it stood, told in the host's own words: kept as JSON and given back to be compared. */
export type GraphSnapshot = {
  readonly graph: string
  readonly nodeCount: number
  readonly edgeCount: number
  readonly state: unknown
}
export type GraphDifference = {
  readonly entries: readonly {
    readonly path: string
    readonly kind: 'added' | 'removed' | 'changed'
    readonly before: unknown
    readonly after: unknown
  }[]
  readonly restore: readonly Named[]
}

export type HostedEditor = {
  readonly capabilities: readonly string[]
  readonly tools: LocalBackend
  /** A toolset beside the first, which only reads. */
  readonly inspection: LocalBackend
  state(): EditorState
  /** False when nothing had to be done. */
  connect(): Promise<boolean>
  disconnect(): Promise<boolean>
  subscribe(listener: (event: EditorEvent) => void): () => void
  history(query: { readonly graph?: string; readonly limit: number; readonly before?: number }): readonly EditorChange[]
  undo(
    selection: { readonly batchId: string } | { readonly changeId: number },
    by: { readonly actor: string; readonly requestId: string },
    dryRun: boolean,
  ): Promise<EditorUndo>
  layout(graph: string): Promise<StoredLayout>
  /** Answers the revision that stands in the way, when `expected` is not it. */
  saveLayout(
    graph: string,
    layout: EditorLayout,
    expected: number | undefined,
  ): Promise<StoredLayout | { readonly currentRevision: number }>
  snapshot(graph: string): Promise<GraphSnapshot>
  /** One listener for life: hears how a graph stood before an agent's turn. */
  onTurn(listener: (before: GraphSnapshot & { readonly actor: string }) => void): void
  close(): Promise<void>
}

export type EditorHost = {
  open(spec: EditorSpec): Promise<HostedEditor>
  discover(
    ports: readonly number[],
  ): Promise<readonly { readonly driver: EditorDriver; readonly url: string; readonly project: string | null }[]>
  /** From `before` to `after`, and the calls that lead back. */
  compare(graph: string, before: unknown, after: unknown): GraphDifference
}

/** What a host throws when an editor refuses or is not there: an error with a code of contract 7.9. */
export function editorFailure(error: unknown): { readonly code: string; readonly message: string } | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  return /^[A-Z]+(_[A-Z]+)*$/.test(error.code) ? { code: error.code, message: error.message } : undefined
}
