// A discovery as texts: a string crosses threads as one copy; a tree of records would be rebuilt node by node on the
// main thread.
import { inTurns } from './in-turns.ts'
import type { DiscoveredTool, Discovery } from './tool.ts'

const PIECE_CHARACTERS = 128 * 1024

export type DiscoveryText = {
  /** All but the tools. */
  readonly head: string
  /** The tools in pieces that are short to read. */
  readonly pieces: readonly string[]
  /** The schema of the results of each tool: it is text already, and inside the pieces it would be escaped. */
  readonly results: readonly (string | undefined)[]
}

export function asText({ tools, ...rest }: Discovery): DiscoveryText {
  const pieces: string[] = []
  let piece: string[] = []
  let size = 0
  const cut = (): void => {
    if (piece.length > 0) pieces.push(`[${piece.join(',')}]`)
    piece = []
    size = 0
  }
  for (const tool of tools) {
    const text = JSON.stringify(tool.resultSchema === undefined ? tool : { ...tool, resultSchema: undefined })
    piece.push(text)
    size += text.length
    if (size >= PIECE_CHARACTERS) cut()
  }
  cut()
  return { head: JSON.stringify(rest), pieces, results: tools.map(({ resultSchema }) => resultSchema) }
}

export async function fromText({ head, pieces, results }: DiscoveryText): Promise<Discovery> {
  // Our own thread wrote it, from these types.
  const rest = JSON.parse(head) as Omit<Discovery, 'tools'>
  const lists = await inTurns(pieces, (piece) => JSON.parse(piece) as DiscoveredTool[])
  const tools = lists.flat().map((tool, at): DiscoveredTool => {
    const resultSchema = results[at]
    return resultSchema === undefined ? tool : { ...tool, resultSchema }
  })
  return { ...rest, tools }
}
