// A call that had to wait is admitted again by the present state: a tool may have been switched off, narrowed, moved or deleted in the meantime.

import type { Refused } from '../../outcome/outcome.ts'
import type { Backend } from '../../registry/backend.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { besideTools } from '../beside-tools.ts'
import type { ToolCall } from '../call.ts'
import type { Chain } from '../chain.ts'
import { outOfScope } from './admit.ts'

export type AdmitAgain = (call: ToolCall) => Promise<Refused | undefined>

const gone = ({ calledAs }: ToolCall): Refused => ({
  kind: 'refused',
  code: 'unknown_tool',
  text: `Unknown tool: ${calledAs}`,
})
const moved = ({ backend, calledAs }: ToolCall): Refused => ({
  kind: 'refused',
  code: 'unreachable',
  text: `The backend of '${calledAs}' was changed while the call waited: "${backend.name}" is elsewhere now. Call again.`,
})

const placeOf = ({ baseUrl, pins, canary, lb }: Backend): string =>
  JSON.stringify([baseUrl, pins, canary?.pin, lb?.targets.map(({ pin, enabled }) => enabled && pin)])

/** A credential that ended or was narrowed: a late subscriber is notified at once. */
function isOver({ onEnd }: ToolCall['caller']): boolean {
  let over = false
  onEnd?.(() => {
    over = true
  })()
  return over
}

export function createAdmitAgain(
  registry: Pick<LiveRegistry, 'known'>,
  chainOf: (backend: Backend, tool: ToolCall['tool']) => Pick<Chain, 'admission'>,
): AdmitAgain {
  return async (call) => {
    if (isOver(call.caller)) return outOfScope(call)
    const backend = registry.known(call.backend.name)
    const tool = backend && (call.relayed ? besideTools(backend) : backend.tools.get(call.tool.name))
    if (backend === undefined || tool === undefined || tool.missingSince !== null) return gone(call)
    const now = { ...call, backend, tool }
    for (const { guard } of chainOf(backend, tool).admission) {
      const refused = await guard(now)
      if (refused) return refused
    }
    return placeOf(backend) === placeOf(call.backend) ? undefined : moved(call)
  }
}
