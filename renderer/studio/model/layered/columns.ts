// Assigns columns: each box is right of its inputs, so that edges run to the right.
export type Wire = {
  readonly from: number
  readonly to: number
  /** Offsets of its ends from the tops of their boxes. */
  readonly fromY: number
  readonly toY: number
}

/** Ignores the back edges of a cycle. */
export function columnsOf(count: number, wires: readonly Wire[]): Int32Array {
  const next = neighbours(count, wires, 'from', 'to')
  const order = sourcesFirst(count, next)
  const rank = new Int32Array(count)
  order.forEach((box, at) => {
    rank[box] = at
  })
  const ahead = (box: number): readonly number[] =>
    (next[box] ?? []).filter((other) => (rank[other] ?? 0) > (rank[box] ?? 0))
  const column = new Int32Array(count)
  const reads = new Int32Array(count)
  for (const box of order)
    for (const other of ahead(box)) {
      column[other] = Math.max(column[other] ?? 0, (column[box] ?? 0) + 1)
      reads[other] = (reads[other] ?? 0) + 1
    }
  // A box with more outputs than inputs moves next to its first consumer, which shortens its edges.
  for (const box of order.toReversed()) {
    const readers = ahead(box)
    if (readers.length > (reads[box] ?? 0))
      column[box] = readers.reduce((least, other) => Math.min(least, column[other] ?? 0), Infinity) - 1
  }
  return column
}

export function neighbours(count: number, wires: readonly Wire[], here: 'from' | 'to', there: 'from' | 'to') {
  const all: number[][] = Array.from({ length: count }, () => [])
  for (const wire of wires) all[wire[here]]?.push(wire[there])
  return all
}

/** Topological order, ignoring cycles. Uses an explicit stack: a long chain would overflow the call stack. */
function sourcesFirst(count: number, next: readonly (readonly number[])[]): readonly number[] {
  const left: number[] = []
  const begun = new Uint8Array(count)
  for (let root = 0; root < count; root += 1) {
    if (begun[root]) continue
    begun[root] = 1
    const stack = [{ box: root, at: 0 }]
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const other = next[top.box]?.[top.at]
      top.at += 1
      if (other === undefined) {
        left.push(top.box)
        stack.pop()
      } else if (!begun[other]) {
        begun[other] = 1
        stack.push({ box: other, at: 0 })
      }
    }
  }
  return left.reverse()
}
