// The consecutive hits of a tool, and the number left before quarantine.
import { type QuarantinePolicy, type ToolDetail } from '#contract'
import { formatCount } from '../../../ui/format.ts'

type Policy = Pick<QuarantinePolicy, 'consecutiveThreshold' | 'enabled'>

/** In words. Pure. */
export function hitsInWords(
  { active, consecutiveHits }: Pick<ToolDetail['quarantine'], 'active' | 'consecutiveHits'>,
  { consecutiveThreshold, enabled }: Policy,
): string {
  const hits = consecutiveHits === 1 ? '1 hit' : `${formatCount(consecutiveHits)} hits`
  if (active) return `In quarantine after ${hits} in a row.`
  if (!enabled) return 'Hits are not counted while it is off.'
  const left = Math.max(1, consecutiveThreshold - consecutiveHits)
  return `${consecutiveHits === 0 ? 'No hit' : hits} in a row now; ${left === 1 ? 'one more begins it' : `${formatCount(left)} more begin it`}.`
}

export function QuarantineCount({
  tool: { quarantine },
  policy,
}: {
  readonly tool: ToolDetail
  readonly policy: Policy
}) {
  return <p className="mt-2 text-xs text-ink-2">{hitsInWords(quarantine, policy)}</p>
}
