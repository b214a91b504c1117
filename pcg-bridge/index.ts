// The door `#pcg-bridge`: an editor as a backend of tools that a gateway can list and call.
import { z } from 'zod'
import {
  type Annotations,
  annotationsOf,
  CATALOG,
  INSPECTION,
  type InspectionName,
  type PcgCode,
  type PcgTool,
  type ToolName,
} from './catalog/index.ts'
import { type CallContext, type Editor, PcgError } from './editor.ts'
import { createQueue } from './queue.ts'

export type {
  CallContext,
  Capability,
  Change,
  Editor,
  EditorEvent,
  EditorStatus,
  Layout,
  UndoResult,
  UndoSelection,
} from './editor.ts'
export { type EmbeddedOptions, openEmbeddedEditor } from './embedded/index.ts'

export type BridgeTool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly annotations: Annotations
}
export type BridgeResult =
  | { readonly ok: true; readonly result: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly code: PcgCode; readonly message: string }
export type BridgeContext = Omit<CallContext, 'source'> & { readonly source?: CallContext['source'] }

/** A list of tools and one function that calls them: what a gateway needs of a local backend. */
export type LocalBackend = {
  readonly tools: readonly BridgeTool[]
  call(name: string, args: unknown, context: BridgeContext): Promise<BridgeResult>
}

export type PcgBridge = LocalBackend & {
  /** The read-only toolset beside the twenty. */
  readonly inspection: LocalBackend
  readonly editor: Editor
  queue(): { readonly running: string | null; readonly waiting: number }
  close(): Promise<void>
}

export type BridgeOptions = {
  readonly editor: Editor
  /** Calls that may wait; PCG_QUEUE_MAX. */
  readonly queueMax: number
  /** From the arrival of a call to its answer; PCG_CALL_TIMEOUT_MS. */
  readonly callTimeoutMs: number
}

function listed(name: string, tool: PcgTool): BridgeTool {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(tool.input, { io: 'input' })
  return { name, title: tool.title, description: tool.about, inputSchema, annotations: annotationsOf(tool) }
}

function refusal(error: unknown): BridgeResult {
  if (error instanceof PcgError) return { ok: false, code: error.code, message: error.message }
  return { ok: false, code: 'EDITOR_ERROR', message: error instanceof Error ? error.message : String(error) }
}

function parsed(tool: PcgTool, args: unknown): Record<string, unknown> {
  const result = tool.input.safeParse(args ?? {})
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const where = issue?.path.join('.') ?? ''
  throw new PcgError('INVALID_ARGUMENT', `${where === '' ? '' : `${where}: `}${issue?.message ?? 'not valid'}`)
}

export function createPcgBridge(options: BridgeOptions): PcgBridge {
  const { editor } = options
  const queue = createQueue({ max: options.queueMax, timeoutMs: options.callTimeoutMs })
  // Reads of the inspection have a lane of their own, so that a long look does not hold up an edit.
  const looks = createQueue({ max: options.queueMax, timeoutMs: options.callTimeoutMs })

  function backend(
    table: Readonly<Record<string, PcgTool>>,
    lane: typeof queue,
    run: (name: string, input: never, context: CallContext) => Promise<unknown>,
  ): LocalBackend {
    return {
      tools: Object.entries(table).map(([name, tool]) => listed(name, tool)),
      async call(name, args, context) {
        const tool = Object.hasOwn(table, name) ? table[name] : undefined
        if (!tool) return refusal(new PcgError('INVALID_ARGUMENT', `There is no tool '${name.slice(0, 120)}'`))
        try {
          // The catalogue's schema has made it the input of this very tool: the pair cannot be told to the compiler.
          const input = parsed(tool, args) as never
          const full: CallContext = { source: 'mcp', ...context }
          const answer = await lane.run(name, context.signal, () => run(name, input, full))
          return { ok: true, result: tool.output.parse(answer) }
        } catch (error) {
          return refusal(error)
        }
      },
    }
  }

  const inspection = backend(
    Object.fromEntries(Object.entries(INSPECTION).filter(([name]) => Object.hasOwn(editor.inspection, name))),
    looks,
    async (name, input) => editor.inspection[name as InspectionName]?.(input),
  )
  return {
    ...backend(CATALOG, queue, (name, input, context) => editor.tools[name as ToolName](input, context)),
    inspection,
    editor,
    queue: queue.state,
    close: () => editor.close(),
  }
}
