// Standard output: one message a line and nothing else, and a reader who is slow slows the writers.
import type { Writable } from 'node:stream'

export function createOutput(stream: Writable) {
  let drained: Promise<void> | undefined
  return {
    line: (text: string): void => void stream.write(`${text}\n`),
    /** Resolves when there is room again. */
    async room(): Promise<void> {
      if (!stream.writableNeedDrain) return
      drained ??= new Promise<void>((resolve) => {
        const go = (): void => {
          stream.off('drain', go).off('close', go)
          drained = undefined
          resolve()
        }
        stream.on('drain', go).on('close', go)
      })
      await drained
    },
  }
}

const MOST_BYTES = 64 * 1_048_576
const NEWLINE = 10

/** The lines of the input; what has no end is refused before it fills the memory. */
export async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let held: Buffer[] = []
  let size = 0
  for await (const chunk of input) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...held, chunk.subarray(from, end)]).toString('utf8')
      held = []
      size = 0
      from = end + 1
    }
    if (from === chunk.length) continue
    held.push(chunk.subarray(from))
    size += chunk.length - from
    if (size > MOST_BYTES) throw new Error('a line of the input is longer than 64 MiB')
  }
  if (held.length > 0) yield Buffer.concat(held).toString('utf8')
}
