// The answer of `result_query`: its arguments checked, the question put to the kept result.
import { z } from 'zod'
import { OPS } from '../outcome/kept/query.ts'
import type { CallToolResult } from '../outcome/outcome.ts'
import type { Answer, KeptResults, Owner } from '../pipeline/4-answers/kept-results.ts'

const HANDLE = /^result:[\w-]{22}$/
const Path = z.string().max(256)
const Text = z.string().min(1).max(4_000)
const Query = z
  .strictObject({
    handle: z.string().regex(HANDLE, 'must be a handle as the answer named it, "result:…"'),
    path: Path.default(''),
    jsonpath: Text.optional(),
    sql: Text.optional(),
    where: z
      .array(
        z.strictObject({
          field: Path,
          op: z.enum(OPS),
          value: z.union([z.string().max(1_000), z.number(), z.boolean(), z.null()]).optional(),
        }),
      )
      .max(10)
      .default([]),
    select: z.array(Path.min(1)).min(1).max(50).optional(),
    sort: Path.optional(),
    group: Path.min(1).optional(),
    sum: Path.min(1).optional(),
    offset: z.number().int().min(0).default(0),
    limit: z.number().int().min(1).max(1_000).default(20),
  })
  .refine(({ path, jsonpath }) => path === '' || jsonpath === undefined, {
    path: ['jsonpath'],
    message: 'or path, not both',
  })
  .refine(
    ({ sql, where, select, sort, group, sum }) =>
      sql === undefined || (where.length === 0 && (select ?? sort ?? group ?? sum) === undefined),
    {
      path: ['sql'],
      message: 'has its own WHERE, ORDER BY and GROUP BY: leave where, select, sort, group and sum out',
    },
  )

export async function queryResult(
  results: Pick<KeptResults, 'query'>,
  owner: Owner,
  requestId: string,
  given: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const { success, data, error } = Query.safeParse(given)
  const { handle, ...query } = data ?? { handle: '' }
  const answer: Answer = success
    ? await results.query(handle, owner, query as Omit<z.output<typeof Query>, 'handle'>)
    : {
        problem: `Invalid arguments: ${error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('; ')}`,
      }
  const call = { request_id: requestId, durationMs: 0, attempts: 0 }
  if ('text' in answer) return { content: [{ type: 'text', text: answer.text }], _meta: { 'gantry/call': call } }
  const failure = { kind: 'invalid_arguments', request_id: requestId, retryable: false }
  return {
    isError: true,
    content: [{ type: 'text', text: answer.problem }],
    _meta: { 'gantry/failure': failure, 'gantry/call': call },
  }
}
