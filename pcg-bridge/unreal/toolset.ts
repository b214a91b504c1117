// The editor's own PCG toolset (5.8): each request is built from the description of the running editor.
import { z } from 'zod'
import { PcgError } from '../editor/editor.ts'
import { createTurn } from '../editor/in-turn.ts'
import { isRecord, type Json, parseBounded } from './bounded-json.ts'
import type { Connection } from './connection.ts'
import { UnsupportedError } from './handshake.ts'
import type { UnrealMcp } from './mcp-server.ts'

export const TOOLSET = 'PCGToolset.PCGToolset'
const TOOL_STEP_MS = 30

export type ToolName =
  | 'SetGraphParams'
  | 'GetGraphStructure'
  | 'ExecuteGraphInstance'
  | 'GetNodeDataView'
  | 'AddCommentBox'
  | 'UpdateCommentBox'
  | 'RemoveCommentBox'

type Schema = { readonly properties: Json; readonly required: readonly string[] }
export type Described = ReadonlyMap<string, Schema>

/** The tools in a description, at any depth: its frame is not documented. */
export function toolsIn(value: unknown): Described {
  const found = new Map<string, Schema>()
  const visit = (at: unknown): void => {
    if (Array.isArray(at)) return at.forEach(visit)
    if (!isRecord(at)) return
    const { name, inputSchema } = at
    if (typeof name !== 'string' || !isRecord(inputSchema)) return Object.values(at).forEach(visit)
    const { properties, required } = inputSchema
    found.set(name.slice(name.lastIndexOf('.') + 1), {
      properties: isRecord(properties) ? properties : {},
      required: Array.isArray(required) ? required.map(String) : [],
    })
  }
  visit(value)
  return found
}

const EMPTY: Json = { string: '', integer: 0, number: 0, boolean: false, array: [], object: {} }

/** Only what the editor lists, spelled as it spells it; everything it requires is sent, because it fills in no defaults. */
export function requestOf(tool: string, schema: Schema | undefined, given: Json): Json {
  if (!schema) return given
  const byName = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]))
  const made: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties)) {
    const known = byName.get(name.toLowerCase())
    const { type, default: usual } = isRecord(property) ? property : {}
    if (known !== undefined) made[name] = known
    else if (!schema.required.includes(name)) continue
    else if (usual !== undefined) made[name] = usual
    else if (typeof type === 'string' && type !== 'object' && type in EMPTY) made[name] = EMPTY[type]
    else
      throw new PcgError(
        'EDITOR_ERROR',
        `${tool} of this editor requires '${name}', which this version of Gantry lacks`,
      )
  }
  return made
}

/** The spelling that the editor lists, of several that are known. */
export function spelling(schema: Schema | undefined, known: readonly string[]): string {
  const text = JSON.stringify(schema?.properties ?? {})
  return known.find((word) => text.includes(`"${word}"`)) ?? known[0] ?? ''
}

export type Toolset = {
  /** Whether the running editor lists the tool. */
  offers(tool: ToolName): boolean
  schema(tool: ToolName): Schema | undefined
  /** Rejects with UnsupportedError if there is no way to the tool. */
  call(tool: ToolName, given: Json, waitMs: number): Promise<unknown>
}

const Started = z.object({ task: z.number() })
const State = z.object({ done: z.boolean(), error: z.string().nullable(), value: z.string().nullable() })

export function createToolset(
  connection: Connection,
  mcp: () => Promise<UnrealMcp | null>,
  overMcp: () => Described,
): Toolset {
  // Inspection and execution of one graph at once would freeze the editor.
  const inTurn = createTurn()
  let ofProcess: { readonly listed: unknown; readonly tools: Described } | null = null

  function inProcess(): Described {
    const listed = connection.state().identity?.tools
    if (ofProcess?.listed !== listed) ofProcess = { listed, tools: toolsIn(listed) }
    return ofProcess?.tools ?? new Map()
  }
  const schema = (tool: ToolName) => inProcess().get(tool) ?? overMcp().get(tool)

  async function run(tool: ToolName, given: Json, waitMs: number): Promise<unknown> {
    const { task } = Started.parse(await connection.call('start_tool', { tool, given }))
    const until = performance.now() + waitMs
    for (;;) {
      const { done, error, value } = State.parse(await connection.call('tool_state', { task }))
      if (done && error !== null) throw new PcgError('EDITOR_ERROR', `The editor did not do ${tool}: ${error}`)
      if (done) return value === null ? null : unwrapped(parseBounded(value))
      if (performance.now() > until) throw new PcgError('EDITOR_ERROR', `The editor is still doing ${tool}: read back`)
      await new Promise((resolve) => setTimeout(resolve, TOOL_STEP_MS))
    }
  }

  async function viaMcp(tool: ToolName, given: Json, waitMs: number): Promise<unknown> {
    const server = await mcp()
    if (!server) throw new UnsupportedError(`no way to ${tool}`)
    const value = await server.call(TOOLSET, tool, requestOf(tool, overMcp().get(tool), given), waitMs)
    return unwrapped(value)
  }

  return {
    offers: (tool) => schema(tool) !== undefined,
    schema,
    call: (tool, given, waitMs) =>
      inTurn(async () => {
        try {
          return await run(tool, requestOf(tool, inProcess().get(tool), given), waitMs)
        } catch (reason) {
          if (!(reason instanceof UnsupportedError)) throw reason
          return viaMcp(tool, given, waitMs)
        }
      }),
  }
}

/** `returnValue`, which may itself be JSON in a text. */
function unwrapped(value: unknown): unknown {
  const inner = isRecord(value) && 'returnValue' in value ? value['returnValue'] : value
  if (typeof inner !== 'string' || !/^\s*[[{]/.test(inner)) return inner
  return parseBounded(inner)
}
