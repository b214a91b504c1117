// What a bundle would list for a caller, with what it costs a model to read and which aliases got in each other's way. Contract 7.4.
import type { BundlePreview } from '../contract/admin/bundles.ts'
import type { Caller } from '../pipeline/call.ts'
import type { Directory } from './directory.ts'
import { RESULT_LISTED } from './result-query.ts'
import { SEARCH_LISTED } from './search-tools.ts'
import type { Visible } from './surface.ts'

/** The tools of a bundle, and the names that collide in it. */
export type Shown = Pick<BundlePreview, 'tools' | 'clashes'>

/** About four characters of JSON are one token. */
const tokensOf = (json: string): number => Math.ceil(json.length / 4)

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

export function showBundle(
  directory: Pick<Directory, 'draft'>,
  searchEnabled: boolean,
): (name: string, caller: Caller) => Shown {
  return (name, caller) => {
    const surface = directory.draft(name)
    if (surface === undefined) return { tools: [], clashes: [] }
    const visible = surface.visible(caller)
    const clashes = surface.clashes().map(({ name: alias, entries }) => ({
      name: alias,
      tools: entries.map(({ backend, tool }) => ({ client: backend.name, tool: tool.name })),
    }))
    const tools = visible.map(shown)
    const added = [...(surface.keepsResults(caller) ? [RESULT] : []), ...(searchEnabled ? [SEARCH] : [])]
    return { tools: tools.length > 0 ? [...tools, ...added] : tools, clashes }
  }
}
