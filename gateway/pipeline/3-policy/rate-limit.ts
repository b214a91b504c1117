// The tool's own rate limit: exactly N calls in any rolling minute, over everyone or per principal. Contract 8.2.
import type { Guards } from '../../contract/admin/tools.ts'
import type { Guard, ToolCall } from '../call.ts'

export type RateTaker = {
  /** Takes one from the bucket, or says how long until there is one. */
  take(bucket: string, limit: number): { readonly ok: true } | { readonly ok: false; readonly retryAfterMs: number }
}

const bucketOf = ({ backend, tool, caller }: ToolCall, scope: Guards['rateLimitScope']): string =>
  scope === 'principal' ? `${backend.name}__${tool.name}|${caller.name}` : `${backend.name}__${tool.name}`

export function toolRateLimit(guards: Guards | undefined, rates: RateTaker): Guard | undefined {
  const limit = guards?.rateLimitPerMin
  if (guards === undefined || limit === null || limit === undefined) return undefined
  return (call) => {
    const taken = rates.take(bucketOf(call, guards.rateLimitScope), limit)
    if (taken.ok) return undefined
    return {
      kind: 'refused',
      code: 'rate_limit',
      text: `Tool '${call.calledAs}' is limited to ${limit} calls per minute; try again in ${Math.ceil(taken.retryAfterMs / 1000)} s.`,
      retryAfterMs: taken.retryAfterMs,
    }
  }
}
