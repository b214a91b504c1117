// The features of a tool that shape what goes to its backend and what comes back. Contract 8.9–8.11, 8.13.
import { z } from 'zod'
import { HttpUrl } from '../names.ts'

const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Keys and positions in an array, with dots between them. */
export const Path = z
  .string()
  .max(256)
  .refine((path) => path.split('.').every((segment) => segment !== ''), 'must be names or positions with dots between')
  .refine((path) => !path.split('.').some((segment) => UNSAFE.has(segment)), 'must not lead to a prototype')

const Op = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('set'), path: Path, value: z.json() }),
  z.strictObject({ op: z.literal('remove'), path: Path }),
  z.strictObject({ op: z.literal('rename'), from: Path, to: Path }),
  z.strictObject({ op: z.literal('copy'), from: Path, to: Path }),
])
export type Op = z.output<typeof Op>

/** Of the arguments as they were validated, and of the JSON that was answered. */
export const Transform = z.strictObject({
  enabled: z.boolean().default(true),
  request: z.array(Op).max(50).optional(),
  response: z.array(Op).max(50).optional(),
})
export type Transform = z.output<typeof Transform>

const Param = z.string().min(1).max(128)
const NEEDED = {
  cursor: ['cursorResponsePath', 'cursorParam'],
  page: ['pageParam'],
  offset: ['offsetParam'],
  link: [],
} as const

/** Further pages of a list, read after the first and joined into it. */
export const Pagination = z
  .strictObject({
    enabled: z.boolean().default(true),
    strategy: z.enum(['cursor', 'page', 'offset', 'link']),
    /** Empty: the body is the list. */
    itemsPath: z.union([z.literal(''), Path]).default(''),
    maxPages: z.number().int().min(1).max(100).default(10),
    cursorResponsePath: Path.optional(),
    cursorParam: Param.optional(),
    pageParam: Param.optional(),
    startPage: z.number().int().min(0).max(1).default(1),
    offsetParam: Param.optional(),
    /** Once a page was as long as this asks for, a shorter one is the last. */
    limitParam: Param.optional(),
  })
  .superRefine((given, { addIssue }) => {
    for (const key of NEEDED[given.strategy])
      if (given[key] === undefined)
        addIssue({ code: 'custom', path: [key], message: `is needed by the strategy ${given.strategy}` })
  })
export type Pagination = z.output<typeof Pagination>

/** An answer that comes piece by piece, as the list of its pieces. */
export const Streaming = z.strictObject({
  enabled: z.boolean().default(true),
  format: z.enum(['ndjson', 'sse']),
  maxEvents: z.number().int().min(1).max(10_000).default(1000),
})
export type Streaming = z.output<typeof Streaming>

/** A document of its own, in place of the synthesized one; arguments are its variables. */
export const GraphqlCfg = z.strictObject({
  enabled: z.boolean().default(true),
  query: z.string().min(1).max(65_536),
})
export type GraphqlCfg = z.output<typeof GraphqlCfg>

/** Whether callers receive progress, and whether the backend is notified of a cancellation. */
export const ProgressCfg = z.strictObject({
  forward: z.boolean().default(true),
  cancel: z.boolean().default(true),
})
export type ProgressCfg = z.output<typeof ProgressCfg>

/** Goes into a header as it is. */
const ApiKey = z
  .string()
  .max(8192)
  .regex(/^[\x21-\x7e]+$/, 'must be printable, without blanks')

export const SummaryModel = z.strictObject({
  provider: z.enum(['openai', 'anthropic']),
  baseUrl: HttpUrl,
  model: z.string().min(1).max(128),
  /** Write-only; absent keeps the stored one, unless the address leads to another server; null removes it. */
  apiKey: ApiKey.nullable().optional(),
  /** Returned, and ignored as input. */
  apiKeySet: z.boolean().optional(),
})

/** With the model as it is given where the budget is given. */
export const budgetWith = <M extends z.ZodType>(model: M) =>
  z
    .strictObject({
      mode: z.enum(['truncate', 'llm_summarize', 'handle']),
      maxResponseBytes: z.number().int().min(256).max(1_073_741_824),
      /** With a handle: whether the first characters of the answer are shown. By default they are. */
      beginning: z.boolean().optional(),
      llm: model.optional(),
    })
    .refine(({ mode, llm }) => mode !== 'llm_summarize' || llm !== undefined, {
      path: ['llm'],
      message: 'is needed for summaries',
    })

/** How much text of an answer a caller gets, and what is done with more. */
export const ContextBudget = budgetWith(SummaryModel)
export type ContextBudget = z.output<typeof ContextBudget>

/** As it is stored: the key is sealed. */
export type KeptBudget = Omit<ContextBudget, 'llm'> & {
  readonly llm?: Omit<z.output<typeof SummaryModel>, 'apiKey' | 'apiKeySet'> & { readonly sealedKey?: string }
}
