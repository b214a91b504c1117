// A file with a graph: the text form (`*.pcg.yaml`) or the embedded editor's own (`*.pcg.json`), recognized by its first character.
import { readFileSync, writeFileSync } from 'node:fs'
import {
  assetText,
  fromAsset,
  type GraphAsset,
  parseText,
  printText,
  type ReviewGraph,
  readAsset,
  TextError,
  toAsset,
} from '#pcg-review'
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

export function writeFile(file: string, text: string): void {
  try {
    writeFileSync(file, text)
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
