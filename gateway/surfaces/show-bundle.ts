// What a bundle would list for a caller, with what it costs a model to read and which aliases got in each other's way. Contract 7.4.
import type { Shown } from '../operations/bundles.ts'
import type { Caller } from '../pipeline/call.ts'
import type { Directory } from './directory.ts'
import type { Entry } from './listed.ts'
import { SEARCH_LISTED } from './search-tools.ts'

/** About four characters of JSON are one token. */
const tokensOf = (json: string): number => Math.ceil(json.length / 4)

const shown = ({ listed, json, backend, tool }: Entry): Shown['tools'][number] => ({
  ...listed,
  inputSchema: { ...listed.inputSchema },
  client: backend.name,
  tool: tool.name,
  estTokens: tokensOf(json),
})

const SEARCH: Shown['tools'][number] = {
  ...SEARCH_LISTED,
  client: null,
  tool: SEARCH_LISTED.name,
  estTokens: tokensOf(JSON.stringify(SEARCH_LISTED)),
}

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
    return { tools: searchEnabled && tools.length > 0 ? [...tools, SEARCH] : tools, clashes }
  }
}
