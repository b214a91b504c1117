// Comments of a layout as comment boxes of the editor's graph (5.8), which frame nodes: the editor computes their size.
import { createHash } from 'node:crypto'
import type { PlacedComments, PlacedLayout } from '../editor/editor.ts'
import type { Json } from './bounded-json.ts'
import type { EditorSession } from './session.ts'
import type { ToolName } from './toolset.ts'

const TOOL_MS = 15_000
const HEX = /^#([0-9a-f]{6})$/i

/** Colours of the studio are sRGB, those of the editor linear. */
function linear(color: string | undefined): Json {
  const hex = HEX.exec(color ?? '')?.[1]
  if (hex === undefined) return { r: 1, g: 1, b: 1, a: 1 }
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return { r: channel(0), g: channel(2), b: channel(4), a: 1 }
}

/** Changes only what differs from the last time. A comment that fails is logged: nodes and their places are more important. */
export async function placeComments(
  session: EditorSession,
  graph: string,
  layout: PlacedLayout,
  known: PlacedComments,
): Promise<PlacedComments> {
  if (!session.toolset.offers('AddCommentBox')) return known
  const refPath = `${graph}.${graph.slice(graph.lastIndexOf('/') + 1)}`
  const call = (tool: ToolName, given: Json) => session.toolset.call(tool, { graph: { refPath }, ...given }, TOOL_MS)
  const warn = (error: unknown) =>
    session.emit({ type: 'log', level: 'warning', text: `Comment boxes of ${graph}: ${String(error)}` })
  const placed: Record<string, PlacedComments[string]> = {}
  for (const { id, text, color, nodes = [] } of layout.comments) {
    const there = nodes.filter((name) => layout.nodes[name] !== undefined)
    // A box without nodes is not possible in the editor: the layout stores it alone.
    if (there.length === 0) continue
    const as = createHash('sha256')
      .update(JSON.stringify([text, color, there.map((name) => [name, layout.nodes[name]?.x, layout.nodes[name]?.y])]))
      .digest('base64url')
    const old = known[id]
    if (old?.as === as) {
      placed[id] = old
      continue
    }
    const given = {
      nodes: there.map((name) => ({ refPath: `${refPath}:${name}` })),
      comment: text,
      color: linear(color),
    }
    try {
      const updated =
        old &&
        (await call('UpdateCommentBox', { commentId: old.box, ...given }).then(
          () => old.box,
          // A person removed it in the editor: it is made again.
          () => null,
        ))
      const box = updated ?? (await call('AddCommentBox', given))
      if (typeof box === 'string' && box !== '') placed[id] = { box, as }
    } catch (error) {
      warn(error)
    }
  }
  for (const [id, { box }] of Object.entries(known))
    if (!layout.comments.some((comment) => comment.id === id && placed[id]))
      await call('RemoveCommentBox', { commentId: box }).catch(() => undefined)
  return placed
}
