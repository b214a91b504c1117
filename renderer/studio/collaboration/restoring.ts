// Restores a version as one gesture.
import type { ToolName } from '#pcg-catalog'
import type { Edit } from '../editor/gestures.ts'
import type { NamedCall } from './difference.ts'

/** A restored node gets a new name; its position is stored under that name. */
export function restoring(graph: string, calls: readonly NamedCall[]): Edit {
  return async (call) => {
    const names: (string | undefined)[] = []
    for (const { tool, args } of calls) {
      // The gateway returns tool calls; the editor rejects anything else.
      const answer = await call(tool as ToolName, { ...filledIn(args, names), pcg_graph_path: graph })
      names.push('node_name' in answer ? answer.node_name : undefined)
    }
    return undefined
  }
}

/** Replaces `{{n.node_name}}` by the names that earlier calls returned. */
export function filledIn(
  args: NamedCall['args'],
  names: readonly (string | undefined)[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [
      key,
      typeof value === 'string'
        ? value.replaceAll(/\{\{(\d+)\.node_name\}\}/g, (whole, index: string) => names[Number(index)] ?? whole)
        : value,
    ]),
  )
}
