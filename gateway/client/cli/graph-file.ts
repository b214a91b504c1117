// A graph to review. In a file: the text form (`*.pcg.yaml`) or the embedded editor's own (`*.pcg.json`), recognized by its first character. In an editor: through a gateway.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import {
  applyPatch,
  assetText,
  fromAsset,
  fromDocument,
  type GraphAsset,
  type Patch,
  PatchError,
  parsePatch,
  parseText,
  printText,
  type ReviewGraph,
  readAsset,
  TextError,
  toAsset,
} from '#pcg-review'
import type { Context } from './command.ts'
import { editorNamed } from './editor-named.ts'
import { Trouble } from './exit.ts'

export type GraphFile = {
  readonly file: string
  readonly text: string
  readonly graph: ReviewGraph
  /** Null: the text form. */
  readonly asset: GraphAsset | null
  /** Of a merge, and not resolved. */
  readonly conflicts: readonly object[]
  readonly comments: readonly number[]
  /** Where a node is written; null: not in a text form. */
  readonly lineOf: (node: string) => number | null
}

const SUFFIX = /\.pcg\.(json|yaml)$/
/** `…/Content/PCG/Wood.pcg.json` → `/Game/PCG/Wood`; null for a file outside of a project. */
function contentPathOf(file: string): string | null {
  const parts = file.replaceAll('\\', '/').split('/')
  const root = parts.lastIndexOf('Content')
  return root < 0 || !SUFFIX.test(file)
    ? null
    : `/Game/${parts
        .slice(root + 1)
        .join('/')
        .replace(SUFFIX, '')}`
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** `shown` names it in messages, if it is a temporary copy. */
export function readGraphFile(file: string, shown = file): GraphFile {
  let text: string
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    throw new Trouble(`${shown} cannot be read: ${reasonOf(error)}`)
  }
  try {
    if (!text.trimStart().startsWith('{')) return { file, text, asset: null, ...parseText(text) }
    const asset = readAsset(text)
    return {
      file,
      text,
      asset,
      graph: fromAsset(asset, contentPathOf(shown)),
      conflicts: [],
      comments: [],
      lineOf: () => null,
    }
  } catch (error) {
    const line = error instanceof TextError && error.line !== null ? `:${error.line}` : ''
    throw new Trouble(`${shown}${line} is not a graph: ${reasonOf(error)}`)
  }
}

/** Of an editor, with what its text form does not hold; the graphs that it embeds are graphs of their own. */
async function readFromEditor({ api, warn }: Context, editor: string, path: string): Promise<GraphFile> {
  const name = await editorNamed(api, editor)
  const { documents } = await api.pcg.exportGraph({ params: { name }, query: { graph: path } })
  const [document, ...embedded] = documents
  if (!document) throw new Trouble(`${name} returned no graph ${path}`)
  const { graph, unheld } = fromDocument(document)
  for (const { item, reason } of unheld) warn(`not in the text: ${item}: ${reason}`)
  for (const inner of embedded) warn(`${path} embeds ${inner.path}: export it, too`)
  return { file: path, text: '', graph, asset: null, conflicts: [], comments: [], lineOf: () => null }
}

/** A file; with `--from`, a path that is no file names a graph of that editor. */
export async function openGraph(context: Context, given: string, shown = given): Promise<GraphFile> {
  const editor = context.text('from')
  return editor === undefined || existsSync(given)
    ? readGraphFile(given, shown)
    : readFromEditor(context, editor, given)
}

export function writeFile(file: string, content: string | Uint8Array): void {
  try {
    writeFileSync(file, content)
  } catch (error) {
    throw new Trouble(`${file} cannot be written: ${reasonOf(error)}`)
  }
}

/** In the form of `like`. */
export function graphText(
  graph: ReviewGraph,
  like: Pick<GraphFile, 'asset'>,
  conflicts: readonly object[] = [],
): string {
  return like.asset === null ? printText(graph, conflicts) : assetText(toAsset(graph, like.asset))
}

/** Steps of a patch, in YAML or JSON. */
export function readSteps(file: string): Patch {
  try {
    return parsePatch(readFileSync(file === '-' ? 0 : file, 'utf8'))
  } catch (error) {
    throw new Trouble(`${file} ${error instanceof PatchError ? 'is no patch' : 'cannot be read'}: ${reasonOf(error)}`)
  }
}

export function patched(graph: ReviewGraph, steps: Patch, file: string): ReviewGraph {
  try {
    return applyPatch(graph, steps)
  } catch (error) {
    throw new Trouble(`${file}: ${reasonOf(error)}`)
  }
}
