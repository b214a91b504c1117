// What a tool's features make of its calls before they are sent, and of its answers: worked out once per tool.
import type { GraphqlCfg, Pagination, Streaming } from '../../contract/admin/shaping-features.ts'
import { readDocument } from '../../discovery/graphql-document.ts'
import { SELECT } from '../../discovery/graphql-select.ts'
import type { DiscoveredTool } from '../../discovery/tool.ts'
import { failed } from '../../outcome/failed.ts'
import type { Failed } from '../../outcome/outcome.ts'
import { Overgrown, type Transformation, transformation } from '../../outcome/transform.ts'
import type { Tool } from '../../registry/backend.ts'
import { type Redaction, redaction } from '../../text/redact.ts'
import type { ToolCall } from '../call.ts'

export type Prepared = {
  readonly redact: Redaction | undefined
  /** Of the JSON of an answer, before it is redacted. */
  readonly transform: Transformation | undefined
  readonly pagination: Pagination | undefined
  readonly streaming: Streaming | undefined
  /** The pieces of an answer may be passed on before the whole was read. */
  readonly tellsPieces: boolean
  /** The call as it is sent. Undefined where it is sent unchanged. */
  readonly rewrite: ((call: ToolCall) => ToolCall | Failed) | undefined
  /** A caller who gives up is not waited for, and the backend does not hear of it. */
  readonly runsOn: boolean
}

/** Tools are replaced when they change, never written into. */
const known = new WeakMap<Tool, Prepared>()

export function prepared(tool: Tool, mostBytes: number): Prepared {
  const found = known.get(tool)
  if (found) return found
  const fresh = prepare(tool, mostBytes)
  known.set(tool, fresh)
  return fresh
}

function prepare(tool: Tool, mostBytes: number): Prepared {
  const { transform, progress, redactPaths, pagination, streaming, guardrails } = tool.config
  const ops = transform?.enabled ? transform : undefined
  return {
    redact: redaction(redactPaths),
    transform: transformation(ops?.response, mostBytes),
    pagination: pagination?.enabled ? pagination : undefined,
    streaming: streaming?.enabled ? streaming : undefined,
    // Paths lead from the whole answer, and so does what speaks to the model.
    tellsPieces: redactPaths === undefined && !ops?.response?.length && !guardrails?.scanResponses,
    rewrite: rewriting(tool, transformation(ops?.request, mostBytes)),
    runsOn: progress?.cancel === false,
  }
}

function rewriting(tool: Tool, change: Transformation | undefined): Prepared['rewrite'] {
  const { graphql, progress } = tool.config
  const mute = progress?.forward === false
  const own = graphql?.enabled ? withDocument(tool.definition, graphql) : undefined
  if (!change && !own && !mute) return undefined
  const definition = own ?? (change ? open(tool.definition) : tool.definition)
  const changed = definition === tool.definition ? tool : { ...tool, definition }
  return (call) => {
    if (own && Object.hasOwn(call.args, SELECT))
      return failed('invalid_arguments', `Invalid arguments: ${SELECT} cannot be given, this tool has its own`, false)
    const args = change ? changedArgs(call, change) : call.args
    if (args === undefined)
      return failed('invalid_arguments', 'Invalid arguments: the transform of this tool makes them too large', false)
    return { ...call, tool: changed, args, ...(mute && { onProgress: undefined }) }
  }
}

function changedArgs({ args }: ToolCall, change: Transformation): ToolCall['args'] | undefined {
  try {
    // Ops lead to members of an object only, so it stays one.
    return change(args) as ToolCall['args']
  } catch (error) {
    if (error instanceof Overgrown) return undefined
    throw error
  }
}

/** What a transform adds goes where undeclared arguments go, and no pasted text stands in its way. */
function open(definition: DiscoveredTool): DiscoveredTool {
  if (definition.mcp || definition.graphql) return definition
  const { sample: _pasted, ...rest } = definition
  return { ...rest, undeclared: definition.undeclared ?? (definition.body?.merged ? 'body' : 'query') }
}

/** Judged when it was set; nothing else is sent in its place. */
function withDocument(definition: DiscoveredTool, { query }: GraphqlCfg): DiscoveredTool {
  const { graphql } = definition
  const read = readDocument(query)
  if (graphql === undefined || 'problem' in read) throw new Error('a tool has a GraphQL document that cannot be sent')
  return {
    ...definition,
    graphql: { operation: graphql.operation, operationName: read.name, document: query },
    places: Object.fromEntries(read.variables.map((name) => [name, { in: 'variable', name }])),
  }
}
