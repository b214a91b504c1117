// The assertions of a graph: in the graph, where the editor can hold them, else in a file beside it.
import { readFile, rm } from 'node:fs/promises'
import { type CallContext, GraphTests } from '../contract/index.ts'
import { assetFile, assetKey } from '../editor/content-path.ts'
import type { Editor } from '../editor/editor.ts'
import { writeWhole } from '../editor/whole-file.ts'

export type GraphTestStore = {
  read(graph: string): Promise<GraphTests | null>
  write(graph: string, tests: GraphTests | null, context: CallContext): Promise<void>
}

/** `graph` is the path as the editor names it. */
export function openGraphTests(editor: Editor, sidecarDir: string): GraphTestStore {
  const fileOf = (graph: string): string => assetFile(sidecarDir, assetKey(graph), '.tests.json')
  return {
    async read(graph) {
      if (editor.tests) return editor.tests.read(graph)
      try {
        return GraphTests.parse(JSON.parse(await readFile(fileOf(graph), 'utf8')))
      } catch {
        // None yet, or one damaged by hand: its text in version control has them.
        return null
      }
    },
    async write(graph, tests, context) {
      if (editor.tests) await editor.tests.write(graph, tests, context)
      else if (tests) await writeWhole(fileOf(graph), JSON.stringify(tests, null, 1))
      else await rm(fileOf(graph), { force: true })
    },
  }
}
