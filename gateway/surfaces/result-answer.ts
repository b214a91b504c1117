// The answer of `result_query`: its arguments checked, the question put to the kept result.
import { z } from 'zod'
import { OPS } from '../outcome/kept/query.ts'
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
  given: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  const { success, data, error } = Query.safeParse(given)
  if (success) {
    const { handle, ...query } = data
    return results.query(handle, owner, query)
  }
  const problems = error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`)
  return { problem: `Invalid arguments: ${problems.join('; ')}` }
}
