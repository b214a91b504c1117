// Kept results as a person sees them: which there are, and with its handle a look into one and its rows as a file.
import { z } from 'zod'
import { Iso } from '../page.ts'
import { routes } from '../route.ts'

const Handle = z.string().regex(/^result:[\w-]{22}$/, 'must be a handle as the answer named it, "result:…"')
const Text = z.string().min(1).max(4_000).optional()
/** What of it: a place, and of a list there the rows of a statement. */
const PLACE = {
  path: z.string().max(256).default(''),
  jsonpath: Text.describe('instead of path'),
  sql: Text.describe('one SELECT from the list there, named rows'),
}

const KeptResult = z.object({
  principal: z.string(),
  session: z.string().nullable().describe('a hash of the session'),
  client: z.string().nullable().describe('the backend; null for a script'),
  tool: z.string().nullable().describe('whose answer it is; null for results of versions before'),
  bytes: z.number().int(),
  expiresAt: Iso,
})
export type KeptResult = z.infer<typeof KeptResult>

export const EXPORT_FORMATS = ['csv', 'ndjson', 'parquet'] as const

export const keptResults = routes({
  list: {
    method: 'GET',
    path: '/admin-api/results',
    access: 'admin',
    summary: 'List kept results by age; what they hold is encrypted with their handles',
    reply: z.object({ items: z.array(KeptResult) }),
  },
  open: {
    method: 'POST',
    path: '/admin-api/results/open',
    access: 'admin',
    summary: 'Look into a kept result by its handle: a value, or a page of a list',
    body: z.strictObject({
      handle: Handle,
      ...PLACE,
      offset: z.number().int().min(0).default(0),
      limit: z.number().int().min(1).max(200).default(50),
    }),
    reply: z.object({ text: z.string().describe('JSON') }),
    audit: 'result.open',
    errors: ['RESULT_NOT_FOUND'],
  },
  export: {
    method: 'POST',
    path: '/admin-api/results/export',
    access: 'admin',
    summary: 'A list of a kept result as CSV, NDJSON or Parquet',
    body: z.strictObject({ handle: Handle, ...PLACE, format: z.enum(EXPORT_FORMATS) }),
    reply: z.object({ name: z.string(), type: z.string(), base64: z.string() }),
    audit: 'result.export',
    errors: ['RESULT_NOT_FOUND'],
  },
})
