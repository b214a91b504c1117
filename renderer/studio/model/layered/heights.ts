// Assigns vertical positions: as close to the ideal of its edges as the neighbours in the column allow.
import type { Rows } from './order.ts'

const ROUNDS = 4
const GAP = 28
const BEND_GAP = 12
/** A straight long edge counts more than a short one. */
const STRAIGHT = 8
/** A box without edges on this side only takes space. */
const SLACK = 1e-4

type Wish = { readonly item: number; readonly offset: number }

export function heightsOf(
  { count, columns, links }: Rows,
  sizes: readonly { readonly h: number }[],
  onRound: (share: number) => void,
): Float64Array {
  const wishes = { left: lists(count), right: lists(count) }
  for (const { from, fromY, to, toY } of links) {
    wishes.left[to]?.push({ item: from, offset: fromY - toY })
    wishes.right[from]?.push({ item: to, offset: toY - fromY })
  }
  const top = new Float64Array(count)
  const apart = (above: number, below: number): number =>
    (sizes[above]?.h ?? 0) + (gapOf(above, sizes.length) + gapOf(below, sizes.length)) / 2
  const settle = (items: readonly number[], sides: readonly (readonly (readonly Wish[])[])[]): void => {
    const wanted = items.map((item) => {
      let [sum, all] = [0, 0]
      for (const side of sides)
        for (const wish of side[item] ?? []) {
          sum += (top[wish.item] ?? 0) + wish.offset
          all += 1
        }
      const weight = item < sizes.length ? 1 : STRAIGHT
      return all === 0 ? { y: top[item] ?? 0, weight: SLACK } : { y: sum / all, weight }
    })
    const room = items.map((item, at) => (at === 0 ? 0 : apart(items[at - 1] ?? item, item)))
    spaced(wanted, room).forEach((y, at) => {
      top[items[at] ?? 0] = y
    })
  }
  for (const items of columns) settle(items, [])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const items of columns) settle(items, [wishes.left])
    for (const items of columns.toReversed()) settle(items, [wishes.right])
    onRound((round + 1) / ROUNDS)
  }
  for (const items of columns) settle(items, [wishes.left, wishes.right])
  return top
}

const lists = (count: number): Wish[][] => Array.from({ length: count }, () => [])
const gapOf = (item: number, boxes: number): number => (item < boxes ? GAP : BEND_GAP)

type Block = { sum: number; weight: number; readonly first: number }

/** The positions nearest to the ideal ones (least squares) with at least `room` before each; colliding neighbours move as a block. */
function spaced(wanted: readonly { readonly y: number; readonly weight: number }[], room: readonly number[]) {
  const below: number[] = []
  let sum = 0
  for (const gap of room) below.push((sum += gap))
  const blocks: Block[] = []
  wanted.forEach(({ y, weight }, first) => {
    let block: Block = { sum: (y - (below[first] ?? 0)) * weight, weight, first }
    for (let last = blocks.at(-1); last && last.sum / last.weight >= block.sum / block.weight; last = blocks.at(-1)) {
      block = { sum: last.sum + block.sum, weight: last.weight + block.weight, first: last.first }
      blocks.pop()
    }
    blocks.push(block)
  })
  return blocks.flatMap(({ sum: all, weight, first }, at) =>
    below.slice(first, blocks[at + 1]?.first ?? wanted.length).map((gap) => all / weight + gap),
  )
}
