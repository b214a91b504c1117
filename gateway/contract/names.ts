// The names things carry on the wire. Contract 1.1, 1.2.
import { z } from 'zod'

export const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/
export const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/

export const Name = z.string().regex(NAME, 'must match ^[a-z0-9][a-z0-9_-]{0,62}$')
/** `client__tool` splits at the first `__`, so a backend's name may neither hold nor end in what would move it. */
export const BackendName = Name.refine(
  (name) => !name.includes('__') && !name.endsWith('_'),
  'must not contain "__" nor end in "_"',
)
export const ToolName = z.string().regex(TOOL_NAME, 'must match ^[A-Za-z0-9_.-]{1,128}$')
export const Tag = z
  .string()
  .transform((text) => text.trim().toLowerCase())
  .pipe(z.string().regex(/^[a-z0-9_-]{1,32}$/, 'must match ^[a-z0-9_-]{1,32}$'))

export const ToolRef = z.strictObject({ client: z.string().min(1).max(64), tool: z.string().min(1).max(128) })
export type ToolRef = z.infer<typeof ToolRef>
/** The upper bound of MAX_TOOLS_PER_BUNDLE. */
export const MOST_BUNDLE_TOOLS = 10_000

/** What people call a thing: shown, never looked up by code. */
export const Label = z
  .string()
  .trim()
  .min(1)
  .max(128)
  .refine((text) => !/[\p{Cc}\p{Cf}]/u.test(text), 'must not hold control characters')

/** Reserved as bare tool name, alias and composite name: the synthetic tool has it. */
export const SEARCH_TOOL = 'search_tools'
/** Listed where a tool keeps large answers. A tool of a backend that has the name takes its place. */
export const RESULT_TOOL = 'result_query'
/** Listed instead of the tools of a bundle, beside the search. A composite that has the name takes its place. */
export const CALL_TOOL = 'call_tool'

/** How a bundle lists its tools: all, all in short, by search and call, or what costs least. */
export const LIST_MODES = ['full', 'compact', 'router', 'auto'] as const
export type ListMode = (typeof LIST_MODES)[number]

export const HttpUrl = z.string().min(1).max(2048)
