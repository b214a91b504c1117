// Layouts in files beside the editor, each with a revision: people arrange more than an editor stores.
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { InspectionOutput } from '../catalog/index.ts'
import { type GraphLayout, StoredLayout } from '../contract/index.ts'
import { assetFile, assetKey } from '../editor/content-path.ts'
import type { PlacedComments } from '../editor/editor.ts'
import { createTurn } from '../editor/in-turn.ts'
import { writeWhole } from '../editor/whole-file.ts'

/** `boxes`: what the editor calls the comments. */
const LayoutFile = StoredLayout.extend({
  boxes: z.record(z.string(), z.object({ box: z.string(), as: z.string() })).default({}),
})
type LayoutFile = z.output<typeof LayoutFile>

export function openLayoutFiles(directory: string) {
  /** Of two writes that expect one revision, the second fails. */
  const inTurn = createTurn()
  const fileOf = (graph: string): string => assetFile(directory, assetKey(graph), '.layout.json')

  async function stored(graph: string): Promise<LayoutFile | null> {
    try {
      return LayoutFile.parse(JSON.parse(await readFile(fileOf(graph), 'utf8')))
    } catch {
      // None yet, or one damaged by hand: people can arrange a graph again.
      return null
    }
  }

  return {
    /** `shown` is what the editor itself stores. */
    async read(graph: string, shown: InspectionOutput<'get_pcg_graph_layout'>): Promise<StoredLayout> {
      const kept = await stored(graph)
      const nodes: GraphLayout['nodes'] = { ...kept?.nodes }
      // The editor's positions win: a person may have moved a node there.
      for (const { node_name, x, y } of shown.nodes) nodes[node_name] = { ...nodes[node_name], x, y }
      return {
        graph,
        nodes,
        comments: kept?.comments ?? shown.comments.map((comment) => ({ ...comment, nodes: [] })),
        reroutes: kept?.reroutes ?? [],
        bookmarks: kept?.bookmarks ?? [],
        revision: kept?.revision ?? 1,
      }
    },
    /** `place` runs first: a layout that the editor rejects is not stored. */
    write: (
      graph: string,
      layout: GraphLayout,
      expected: number | undefined,
      place: (known: PlacedComments) => Promise<PlacedComments>,
    ): Promise<StoredLayout | { readonly currentRevision: number }> =>
      inTurn(async () => {
        const kept = await stored(graph)
        const revision = kept?.revision ?? 1
        if (expected !== undefined && expected !== revision) return { currentRevision: revision }
        const boxes = await place(kept?.boxes ?? {})
        const next: StoredLayout = { ...layout, graph, revision: revision + 1 }
        const file: LayoutFile = { ...next, boxes }
        await writeWhole(fileOf(graph), JSON.stringify(file, null, 1))
        return next
      }),
  }
}
