// The calls that lead back to a version, as one gesture.
import type { ToolName } from '#pcg-catalog'
import type { Edit } from '../editor/gestures.ts'
import type { NamedCall } from './difference.ts'

/** A node that comes back gets a new name: what was removed lies where it lay, under that name. */
export function restoring(graph: string, calls: readonly NamedCall[]): Edit {
  return async (call) => {
    const names: (string | undefined)[] = []
    for (const { tool, args } of calls) {
      // The gateway names tools of the twenty with their arguments; whatever else it were, the editor would refuse it.
      const answer = await call(tool as ToolName, { ...filledIn(args, names), pcg_graph_path: graph })
      names.push('node_name' in answer ? answer.node_name : undefined)
    }
    return undefined
  }
}

/** The names of nodes that earlier answers gave stand in for `{{n.node_name}}`. */
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
