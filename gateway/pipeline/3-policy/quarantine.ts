// A quarantined tool is held back from every caller, until its time is over or an administrator clears it. Contract 8.8.

import type { Tool } from '../../registry/backend.ts'
import type { Clock } from '../../telemetry/clock.ts'
import type { Guard, ToolCall } from '../call.ts'

/** When it ends by itself; null: when an administrator ends it. */
export type Quarantined = { readonly untilMs: number | null }

/** What a call carried that its guardrails look for: in its arguments, or in its answer. */
export type Hit = 'input' | 'output'

export type Quarantines = {
  /** What holds a tool back now, for any reason. A tool that is only observed, or needs an approval instead, is not held back. */
  readonly of: (tool: Tool) => Quarantined | undefined
  /** Whether it is in quarantine, with any effect on its calls. */
  readonly marks: (tool: Tool) => boolean
  /** Called for every call of a tool that has a policy; undefined for one that was run and is clean. */
  readonly note: (call: ToolCall, hit: Hit | undefined) => Promise<void> | undefined
}

export function quarantine({ of }: Pick<Quarantines, 'of'>, clock: Clock): Guard {
  return ({ tool, calledAs }) => {
    const held = of(tool)
    if (held === undefined) return undefined
    const refused = { kind: 'refused', code: 'quarantine' } as const
    if (held.untilMs === null)
      return { ...refused, text: `Tool '${calledAs}' is quarantined until an administrator clears it.` }
    const retryAfterMs = Math.max(0, held.untilMs - clock.now())
    return {
      ...refused,
      text: `Tool '${calledAs}' is quarantined; try again in ${Math.ceil(retryAfterMs / 1000)} s.`,
      retryAfterMs,
    }
  }
}
