// Splits the output of a program into lines, each up to a limit; the rest of a longer one is left out.

const NEWLINE = 10
/** Of a line over the limit: enough to find the request it answers. */
const BEGINNING = 256

export type Lines = {
  push(chunk: Buffer): void
  /** The last line, if it lacks its end. */
  end(): void
}

type Parts = {
  readonly maxBytes: number
  readonly onLine: (line: Buffer) => void
  /** With the beginning of the line. */
  readonly onTooLong: (beginning: Buffer) => void
}

export function createLines({ maxBytes, onLine, onTooLong }: Parts): Lines {
  let pieces: Buffer[] = []
  let bytes = 0
  let isOver = false

  function add(piece: Buffer): void {
    if (isOver || piece.length === 0) return
    pieces.push(piece)
    bytes += piece.length
    if (bytes <= maxBytes) return
    isOver = true
    onTooLong(Buffer.concat(pieces).subarray(0, BEGINNING))
    pieces = []
  }

  function close(): void {
    const [only, ...more] = pieces
    const over = isOver
    pieces = []
    bytes = 0
    isOver = false
    if (only !== undefined && !over) onLine(more.length === 0 ? only : Buffer.concat([only, ...more]))
  }

  return {
    push(chunk) {
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        add(chunk.subarray(from, at))
        close()
        from = at + 1
      }
      add(chunk.subarray(from))
    },
    end: close,
  }
}
