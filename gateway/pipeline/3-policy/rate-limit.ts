// The tool's own rate limit: exactly N calls in any rolling minute, over everyone or per principal. Contract 8.2.
import type { Guards } from '../../contract/admin/tool-guards.ts'
import type { Refused } from '../../outcome/outcome.ts'
import type { Backend, Tool } from '../../registry/backend.ts'
import { after } from '../after.ts'
import type { Guard } from '../call.ts'

type Taken = { readonly ok: true } | { readonly ok: false; readonly retryAfterMs: number }
export type RateTaker = {
  /** Takes one from the bucket, or says how long until there is one. For a call that is only imagined, nothing is taken. */
  take(bucket: string, limit: number, rehearsed?: true): Taken | Promise<Taken>
}

export function toolRateLimit(
  { name }: Pick<Backend, 'name'>,
  tool: Pick<Tool, 'name'>,
  guards: Guards | undefined,
  rates: RateTaker,
): Guard | undefined {
  const limit = guards?.rateLimitPerMin
  if (guards === undefined || limit === null || limit === undefined) return undefined
  const perPrincipal = guards.rateLimitScope === 'principal'
  const bucket = `${name}__${tool.name}`
  return (call) => {
    // Requests of the gateway itself take no caller's share.
    if (call.caller.kind === 'system') return undefined
    const taking = rates.take(perPrincipal ? `${bucket}|${call.caller.name}` : bucket, limit, call.rehearsed)
    return after(taking, (taken): Refused | undefined =>
      taken.ok
        ? undefined
        : {
            kind: 'refused',
            code: 'rate_limit',
            text: `Tool '${call.calledAs}' is limited to ${limit} calls per minute; try again in ${Math.ceil(taken.retryAfterMs / 1000)} s.`,
            retryAfterMs: taken.retryAfterMs,
            limit,
          },
    )
  }
}
