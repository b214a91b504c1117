// What the sources of backends tell now: one reading serves the monitors of one backend that run at about the same time.
import type { DiscoveredTool } from '../../discovery/tool.ts'

/** Undefined where only the registration describes the tool. */
export type Reading = Promise<readonly DiscoveredTool[] | undefined>
export type Reread = (client: string) => Reading

const KEPT_MS = 20_000

/** Gives the reading that was just made for another monitor, or makes one. */
export function createReadings(reread: Reread): Reread {
  const known = new Map<string, Reading>()
  return (client) => {
    const kept = known.get(client)
    if (kept) return kept
    const reading = reread(client)
    known.set(client, reading)
    const forget = (): void => void known.delete(client)
    // A failure is not shared.
    reading.then(() => void setTimeout(forget, KEPT_MS).unref(), forget)
    return reading
  }
}
