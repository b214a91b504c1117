// A tool that was quarantined is held back from everybody, until its time is over or somebody clears it. Contract 8.8.
import type { Guard } from '../call.ts'

/** When it ends by itself; null: when an administrator says so. */
export type Quarantined = { readonly untilMs: number | null }

/** What holds a tool back now, for whatever reason. What is only observed, or wants an approval instead, is not held back. */
export type Quarantines = { readonly of: (client: string, tool: string) => Quarantined | undefined }

export function quarantine({ of }: Quarantines, now: () => number): Guard {
  return ({ backend, tool, calledAs }) => {
    const held = of(backend.name, tool.name)
    if (held === undefined) return undefined
    const refused = { kind: 'refused', code: 'quarantine' } as const
    if (held.untilMs === null)
      return { ...refused, text: `Tool '${calledAs}' is quarantined until an administrator clears it.` }
    const retryAfterMs = Math.max(0, held.untilMs - now())
    return {
      ...refused,
      text: `Tool '${calledAs}' is quarantined; try again in ${Math.ceil(retryAfterMs / 1000)} s.`,
      retryAfterMs,
    }
  }
}
