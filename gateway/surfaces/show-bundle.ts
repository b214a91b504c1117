// What a bundle would list for a caller, with what it costs a model to read and which aliases got in each other's way. Contract 7.4.
import type { BundlePreview } from '../contract/admin/bundles.ts'
import { estimatedTokens } from '../contract/tokens.ts'
import type { Caller } from '../pipeline/call.ts'
import type { Directory } from './directory.ts'
import { estimatedCost, type ListTexts, listCost, listTexts } from './list-form.ts'
import { RESULT_LISTED } from './result-query.ts'
import { SEARCH_LISTED } from './search-tools.ts'
import type { Visible } from './surface.ts'
import type { CountTokens } from './token-counts.ts'

/** The tools of a bundle, and the names that collide in it. */
export type Shown = Pick<BundlePreview, 'tools' | 'clashes' | 'cost'> & {
  /** For counting their tokens; undefined where nothing is listed. */
  readonly texts?: ListTexts
}

const tokensOf = (json: string): number => estimatedTokens(Buffer.byteLength(json))

const shown = (entry: Visible): Shown['tools'][number] => ({
  ...entry.listed,
  inputSchema: { ...entry.listed.inputSchema },
  ...('composite' in entry
    ? { client: null, tool: entry.composite.name }
    : { client: entry.backend.name, tool: entry.tool.name }),
  estTokens: tokensOf(entry.json),
})

const ours = <L extends typeof SEARCH_LISTED | typeof RESULT_LISTED>(listed: L): Shown['tools'][number] => ({
  ...listed,
  client: null,
  tool: listed.name,
  estTokens: tokensOf(JSON.stringify(listed)),
})
const [SEARCH, RESULT] = [ours(SEARCH_LISTED), ours(RESULT_LISTED)]

/** To a key of another bundle. */
export const NOTHING_SHOWN: Shown = { tools: [], clashes: [], cost: estimatedCost(listTexts([], false, [])) }

export function showBundle(
  directory: Pick<Directory, 'draft'>,
  searchEnabled: boolean,
): (name: string, caller: Caller) => Shown {
  return (name, caller) => {
    const surface = directory.draft(name)
    if (surface === undefined) return NOTHING_SHOWN
    const visible = surface.visible(caller)
    const clashes = surface.clashes().map(({ name: alias, entries }) => ({
      name: alias,
      tools: entries.map(({ backend, tool }) => ({ client: backend.name, tool: tool.name })),
    }))
    const tools = visible.map(shown)
    const added = [...(surface.keepsResults(caller) ? [RESULT] : []), ...(searchEnabled ? [SEARCH] : [])]
    return {
      tools: tools.length > 0 ? [...tools, ...added] : tools,
      clashes,
      cost: surface.cost(caller),
      texts: surface.texts(caller),
    }
  }
}

/** The same with the tokens that a tokenizer counts. */
export async function countedTokens({ texts, ...shown }: Shown, count: CountTokens): Promise<Omit<Shown, 'texts'>> {
  if (texts === undefined) return shown
  const own = shown.tools.map(({ client: _client, tool: _tool, estTokens: _tokens, ...listed }) =>
    JSON.stringify(listed),
  )
  const { full, compact, router, search } = texts
  const counts = await count([full, compact, router, search, ...own])
  const [inFull = 0, inShort = 0, routed = 0, searched = 0] = counts
  return {
    ...shown,
    tools: shown.tools.map((tool, at) => ({ ...tool, estTokens: counts[at + 4] ?? tool.estTokens })),
    cost: listCost({ full: inFull, compact: inShort, router: routed, search: searched }),
  }
}
