// The forms in which a bundle lists its tools: all of them, all of them in short, or two tools that find and call the others.
import type { ListCost } from '../contract/admin/bundles.ts'
import { CALL_TOOL } from '../contract/names.ts'
import { estimatedTokens } from '../contract/tokens.ts'
import { isObject } from '../mcp/json-rpc.ts'
import { cut } from '../text/clean.ts'
import type { Listed } from './listed.ts'
import { RESULT_JSON } from './result-query.ts'
import { SEARCH_LISTED } from './search-tools.ts'
import { signatureOf } from './signature.ts'

export type ListForm = ListCost['best']

/** Words of a schema that a model can do without once the names speak for themselves. */
const WORDS: ReadonlySet<string> = new Set(['description', 'title', 'examples', 'example', 'default', '$comment'])

/** Keys of `properties` are names of arguments, such as "description". */
function shortSchema(value: unknown, isNames = false): unknown {
  if (Array.isArray(value)) return value.map((each) => shortSchema(each))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => isNames || !WORDS.has(key))
      .map(([key, each]) => [
        key,
        key === 'enum' || key === 'const' ? each : shortSchema(each, !isNames && key === 'properties'),
      ]),
  )
}

/** The first sentence. */
function beginning(text: string): string {
  const end = text.search(/\.(?:\s|$)/)
  return end > 0 && end < 200 ? text.slice(0, end + 1) : cut(text, 120)
}

export function compactJson({
  name,
  description,
  inputSchema,
  annotations: { title: _title, ...hints },
}: Listed): string {
  return JSON.stringify({
    name,
    description: beginning(description),
    inputSchema: shortSchema(inputSchema),
    annotations: hints,
  })
}

const CALL_LISTED = {
  name: CALL_TOOL,
  title: 'Call a tool',
  description: 'Calls a tool that search_tools found, with the arguments of its signature.',
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'As search_tools returned it' },
      arguments: { type: 'object' },
    },
    required: ['name'],
  },
}
const { detail: _detail, ...searchProperties } = SEARCH_LISTED.inputSchema.properties
const ROUTED_SEARCH = {
  ...SEARCH_LISTED,
  description:
    'Finds tools of this server by what they do, and returns each with its signature: name(argument: type, optional?: type). Search for each step of the task; then call the tool with call_tool.',
  inputSchema: {
    ...SEARCH_LISTED.inputSchema,
    properties: {
      ...searchProperties,
      detail: { enum: ['names', 'signature', 'schema'], default: 'signature' },
    },
  },
}
const ROUTER: readonly string[] = [JSON.stringify(ROUTED_SEARCH), JSON.stringify(CALL_LISTED)]

export const routerTools = (keepsResults: boolean): readonly string[] =>
  keepsResults ? [...ROUTER, RESULT_JSON] : ROUTER

/** Searches of one session, for which the forms are compared. */
const SEARCHES = 5
const MATCHES = 10
const SAMPLED = 200

type Member = { readonly listed: Listed; readonly json: string }
/** Each form of a list as a client receives it, and the answer of a usual search in it. */
export type ListTexts = { readonly [form in ListForm | 'search']: string }

const arrayOf = (texts: readonly string[]): string => `[${texts.join(',')}]`

export function listTexts(entries: readonly Member[], keepsResults: boolean, ours: readonly string[]): ListTexts {
  const matches = entries.slice(0, SAMPLED).map(({ listed }) =>
    JSON.stringify({
      name: listed.name,
      description: cut(listed.description, 200),
      score: 1.23,
      annotations: listed.annotations,
      signature: signatureOf(listed),
    }),
  )
  // The tenth, fiftieth and so on are as good as the first ones, and not all of one backend.
  const step = Math.max(1, Math.floor(matches.length / MATCHES))
  const found = matches.filter((_match, at) => at % step === 0).slice(0, MATCHES)
  return {
    full: arrayOf([...entries.map(({ json }) => json), ...ours]),
    compact: arrayOf([...entries.map(({ listed }) => compactJson(listed)), ...ours]),
    router: arrayOf(routerTools(keepsResults)),
    search: `{"query":"words of a usual query","count":${found.length},"matches":${arrayOf(found)}}`,
  }
}

/** Of tokens of the context window: those of a search stay in it as those of the list do. */
export function listCost({
  full,
  compact,
  router,
  search,
}: { readonly [form in ListForm | 'search']: number }): ListCost {
  const breakEven = Math.max(0, Math.floor((full - router) / Math.max(1, search)))
  const routed = router + SEARCHES * search
  const best = full <= routed ? 'full' : compact <= routed ? 'compact' : 'router'
  return { full, compact, router, perSearch: search, breakEven, best }
}

export const estimatedCost = ({ full, compact, router, search }: ListTexts): ListCost => {
  const tokens = (text: string): number => estimatedTokens(Buffer.byteLength(text))
  return listCost({ full: tokens(full), compact: tokens(compact), router: tokens(router), search: tokens(search) })
}
