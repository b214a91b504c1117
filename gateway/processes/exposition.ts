// The metrics of several processes as one text: each series carries the process that counted it, so that no series jumps between them.
import type { Rendered } from './messages.ts'

const SERIES = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{)?/

function labelled(line: string, process: string): string {
  const [start = '', name = '', brace] = SERIES.exec(line) ?? []
  if (name === '') return line
  const label = `process="${process}"`
  return brace === undefined
    ? `${name}{${label}}${line.slice(start.length)}`
    : `${name}{${label},${line.slice(start.length)}`
}

/** The series of one metric stay together, below its one description. */
export function mergedExposition(all: readonly Rendered[]): string {
  const metrics = new Map<string, string[]>()
  for (const { process, text } of all.toSorted((a, b) => a.process.localeCompare(b.process))) {
    let series: string[] = []
    for (const line of text.split('\n')) {
      if (line === '') continue
      if (!line.startsWith('# HELP ')) {
        series.push(line.startsWith('#') ? line : labelled(line, process))
        continue
      }
      const known = metrics.get(line)
      series = known ?? []
      if (known === undefined) metrics.set(line, series)
    }
  }
  let merged = ''
  for (const [help, lines] of metrics) merged += `${help}\n${[...new Set(lines)].join('\n')}\n`
  return merged
}
