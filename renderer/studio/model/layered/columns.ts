// Which column each box stands in: right of all it reads, so that wires run to the right.
export type Wire = {
  readonly from: number
  readonly to: number
  /** Where its ends are, from the tops of their boxes. */
  readonly fromY: number
  readonly toY: number
}

/** Of a circle of wires, those that lead back to where the walk came from have no say. */
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
  // What feeds more than it reads stands beside the first that reads it, which makes its wires shorter.
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

/** Every box after all it reads, but for circles. With a stack of its own: a chain may be longer than the one of calls allows. */
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
