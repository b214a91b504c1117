// An editor as a backend of tools: listed, parsed, queued, answered with a code when it fails.
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
import { openEmbeddedEditor } from './embedded/index.ts'
import { createQueue } from './queue.ts'

export type BridgeTool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly annotations: Annotations
}
export type BridgeResult =
  | { readonly ok: true; readonly result: Readonly<Record<string, unknown>> }
  | {
      readonly ok: false
      readonly code: PcgCode
      readonly message: string
      /** Nothing was done: the same call may succeed later. */
      readonly busy: boolean
      /** The editor did not answer. */
      readonly unavailable: boolean
    }
export type BridgeContext = Omit<CallContext, 'source'> & {
  readonly source?: CallContext['source']
  /** Asked when its turn has come: what let the call in may not hold any more. */
  readonly mayStart?: () => Promise<boolean>
}

/** A list of tools and one function that calls them: what a gateway needs of a local backend. */
export type ToolBackend = {
  readonly name: string
  readonly description: string
  readonly tools: readonly BridgeTool[]
  call(name: string, args: unknown, context: BridgeContext): Promise<BridgeResult>
  close(): Promise<void>
}

export type PcgBridge = ToolBackend & {
  /** The read-only toolset beside the twenty, as a backend of its own. Closing it closes nothing. */
  readonly inspection: ToolBackend
  readonly editor: Editor
  /** Waits its turn among the calls: for what is no tool and reads or edits all the same. */
  inTurn<T>(name: string, work: () => Promise<T>): Promise<T>
  queue(): { readonly running: string | null; readonly waiting: number }
}

export type BridgeOptions = {
  readonly name?: string
  readonly editor: Editor
  /** Calls that may wait; PCG_QUEUE_MAX. */
  readonly queueMax: number
  /** From the arrival of a call to its answer; PCG_CALL_TIMEOUT_MS. */
  readonly callTimeoutMs: number
}

/** As MCP lists them. */
export function listTools(table: Readonly<Record<string, PcgTool>>): readonly BridgeTool[] {
  return Object.entries(table).map(([name, tool]) => listed(name, tool))
}

function listed(name: string, tool: PcgTool): BridgeTool {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(tool.input, { io: 'input' })
  return { name, title: tool.title, description: tool.about, inputSchema, annotations: annotationsOf(tool) }
}

const MOST_MESSAGE = 2000

export function refusal(error: unknown): BridgeResult {
  const known = error instanceof PcgError
  const code = known ? error.code : 'EDITOR_ERROR'
  const full = error instanceof Error ? error.message : String(error)
  // What was wrong may be a million characters long; its beginning tells as much.
  const message = full.length > MOST_MESSAGE ? `${full.slice(0, MOST_MESSAGE)}…` : full
  return { ok: false, code, message, busy: code === 'EDITOR_BUSY', unavailable: code === 'EDITOR_UNAVAILABLE' }
}

function parsed(tool: PcgTool, args: unknown): Record<string, unknown> {
  const result = tool.input.safeParse(args ?? {})
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const where = issue?.path.join('.') ?? ''
  throw new PcgError('INVALID_ARGUMENT', `${where === '' ? '' : `${where}: `}${issue?.message ?? 'not valid'}`)
}

export function createPcgBridge(options: BridgeOptions): PcgBridge {
  const { editor, name: backendName = 'pcg' } = options
  const queue = createQueue({ max: options.queueMax, timeoutMs: options.callTimeoutMs })
  // Reads of the inspection have a lane of their own, so that a long look does not hold up an edit.
  const looks = createQueue({ max: options.queueMax, timeoutMs: options.callTimeoutMs })

  function callerOf(
    table: Readonly<Record<string, PcgTool>>,
    lane: typeof queue,
    run: (name: string, input: never, context: CallContext) => Promise<unknown>,
  ): ToolBackend['call'] {
    return async (name, args, { mayStart, ...given }) => {
      const tool = Object.hasOwn(table, name) ? table[name] : undefined
      if (!tool) return refusal(new PcgError('INVALID_ARGUMENT', `There is no tool '${name.slice(0, 120)}'`))
      try {
        // The catalogue's schema has made it the input of this very tool: the pair cannot be told to the compiler.
        const input = parsed(tool, args) as never
        const context: CallContext = { source: 'mcp', ...given }
        const answer = await lane.run(name, context.signal, async () => {
          if (mayStart && !(await mayStart())) throw new PcgError('EDITOR_ERROR', 'The call is not let in any more')
          return run(name, input, context)
        })
        return { ok: true, result: tool.output.parse(answer) }
      } catch (error) {
        return refusal(error)
      }
    }
  }

  const offered: Readonly<Record<string, PcgTool>> = Object.fromEntries(
    Object.entries(INSPECTION).filter(([name]) => Object.hasOwn(editor.inspection, name)),
  )
  return {
    name: backendName,
    description: 'Procedural content (PCG): author graphs, place volumes, generate, and see what came out',
    tools: listTools(CATALOG),
    call: callerOf(CATALOG, queue, (name, input, context) => editor.tools[name as ToolName](input, context)), // a key of CATALOG
    inspection: {
      name: `${backendName}-inspect`,
      description: 'Looks into PCG graphs and what they generated; changes nothing',
      tools: listTools(offered),
      call: callerOf(offered, looks, async (name, input) => editor.inspection[name as InspectionName]?.(input)), // a key of INSPECTION
      close: async () => undefined,
    },
    editor,
    inTurn: (what, work) => queue.run(what, undefined, work),
    queue: queue.state,
    close: () => editor.close(),
  }
}

export type EmbeddedBackendOptions = {
  readonly name: string
  readonly projectDir: string
  readonly queueMax?: number
  readonly callTimeoutMs?: number
}

/** The bridge over the embedded editor: what a server or a desktop hosts when nobody runs a real one. */
export async function openEmbeddedBackend(options: EmbeddedBackendOptions): Promise<PcgBridge> {
  const editor = await openEmbeddedEditor({ directory: options.projectDir })
  return createPcgBridge({
    name: options.name,
    editor,
    queueMax: options.queueMax ?? 32,
    callTimeoutMs: options.callTimeoutMs ?? 60_000,
  })
}
