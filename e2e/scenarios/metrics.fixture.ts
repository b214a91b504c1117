// What a gateway counts, as shown by /metrics.
import type { Gateway } from './gateway.fixture.ts'

/** One reading of /metrics: the value of a series, zero without one. */
export async function reading(gateway: Gateway): Promise<(series: string) => number> {
  const { text } = await gateway.admin('/metrics')
  const lines = new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))] as const),
  )
  return (series) => lines.get(series) ?? 0
}
