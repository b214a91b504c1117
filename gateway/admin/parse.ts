// What came over the wire against the schemas of its route: params, query and body, strictly.
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type ErrorCode, type FieldProblem, GatewayError } from '../contract/error.ts'
import type { Call, Route } from '../contract/route.ts'

const NOTHING = z.strictObject({}).optional()

/** Of a union that says no more itself. */
const NONE_FITS = 'Invalid input'

/** Each problem under its dotted path; a field too many is named by itself. */
export function fieldsOf({ issues }: Pick<z.core.$ZodError, 'issues'>, above: readonly string[] = []): FieldProblem[] {
  return issues.flatMap((issue) => {
    const path = [...above, ...issue.path.map(String)]
    // Of several forms the first is the one that is written out; the others only clear or abbreviate it.
    const first = issue.code === 'invalid_union' && issue.message === NONE_FITS ? issue.errors[0] : undefined
    if (first) return fieldsOf({ issues: first }, path)
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: 'is not known here' }))
    return [{ path: path.join('.'), message: issue.message }]
  })
}

function parse(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const fields = fieldsOf(parsed.error)
  const text = fields.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).slice(0, 3)
  throw new GatewayError('VALIDATION_ERROR', `Invalid request: ${text.join('; ')}`, { fields })
}

/** A name that breaks its pattern is the name of nothing (contract 1.2). */
function parseParams({ params, errors = [] }: Route, value: unknown): unknown {
  const parsed = params?.safeParse(value)
  if (parsed === undefined) return value
  if (parsed.success) return parsed.data
  const code: ErrorCode = errors.find((each) => each.endsWith('_NOT_FOUND')) ?? 'NOT_FOUND'
  throw new GatewayError(code, 'Not found')
}

export function parseCall(route: Route, request: FastifyRequest): Call<Route> {
  const params = parseParams(route, request.params)
  const query = parse(route.query ?? NOTHING, request.query)
  // No body is an empty one: the answer then names the fields that are missing, or none is.
  const sent = request.body === undefined ? {} : request.body
  const body = route.method === 'GET' ? undefined : parse(route.body ?? NOTHING, sent)
  // The schemas of the row have just made them what its handler's type says.
  return { params, query, body } as Call<Route>
}
