// How people arranged a graph: more than an editor keeps, so it lies in a file beside, with a revision of its own.
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { assetFile, assetKey } from './embedded/content-path.ts'
import { writeWhole } from './embedded/whole-file.ts'

const Place = z.object({
  x: z.number(),
  y: z.number(),
  w: z.number().optional(),
  h: z.number().optional(),
  collapsed: z.boolean().optional(),
  color: z.string().optional(),
})
const Comment = z.object({
  id: z.string(),
  x: z.number(),
  y: z.number(),
  w: z.number(),
  h: z.number(),
  text: z.string(),
  color: z.string().optional(),
  nodes: z.array(z.string()),
})
const Layout = z.object({
  nodes: z.record(z.string(), Place),
  comments: z.array(Comment),
  reroutes: z.array(z.object({ id: z.string(), edge: z.string(), x: z.number(), y: z.number() })),
  bookmarks: z.array(z.object({ slot: z.number().int(), x: z.number(), y: z.number(), zoom: z.number() })),
})
const Stored = Layout.extend({ graph: z.string(), revision: z.number().int() })
export type LayoutInput = z.infer<typeof Layout>
export type StoredLayout = z.infer<typeof Stored>

/** What the editor itself knows of where things are. */
type Shown = {
  readonly nodes: readonly { readonly node_name: string; readonly x: number; readonly y: number }[]
  readonly comments: readonly Omit<z.infer<typeof Comment>, 'color' | 'nodes'>[]
}

export type Sidecar = {
  read(graph: string, shown: Shown): Promise<StoredLayout>
  /** `place` is told first: what the editor does not take is not kept either. */
  write(
    graph: string,
    layout: LayoutInput,
    expected: number | undefined,
    place: () => Promise<void>,
  ): Promise<StoredLayout | { readonly currentRevision: number }>
}

const SUFFIX = '.layout.json'

export function openSidecar(directory: string): Sidecar {
  /** Writes take turns, so that two who expect one revision are not both right. */
  let turn: Promise<unknown> = Promise.resolve()
  const fileOf = (graph: string): string => assetFile(directory, assetKey(graph), SUFFIX)

  async function stored(graph: string): Promise<StoredLayout | null> {
    try {
      return Stored.parse(JSON.parse(await readFile(fileOf(graph), 'utf8')))
    } catch {
      // None yet, or one that was damaged by hand: an arrangement can be made anew.
      return null
    }
  }

  async function write(graph: string, layout: LayoutInput, expected: number | undefined, place: () => Promise<void>) {
    const revision = (await stored(graph))?.revision ?? 1
    if (expected !== undefined && expected !== revision) return { currentRevision: revision }
    await place()
    const next: StoredLayout = { ...layout, graph, revision: revision + 1 }
    await writeWhole(fileOf(graph), JSON.stringify(next, null, 1))
    return next
  }

  return {
    async read(graph, shown) {
      const kept = await stored(graph)
      const nodes: LayoutInput['nodes'] = { ...kept?.nodes }
      // The editor's own places stand over ours: somebody may have moved a node there.
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
    write(graph, layout, expected, place) {
      const mine = turn.then(() => write(graph, layout, expected, place))
      turn = mine.catch(() => undefined)
      return mine
    },
  }
}
