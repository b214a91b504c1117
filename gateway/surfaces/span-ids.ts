// Ids of spans, cut from a block of random digits: one call to the source for hundreds of them.
import { randomBytes } from 'node:crypto'

let block = ''
let used = 0

export function randomHex(bytes: number): string {
  if (used + bytes * 2 > block.length) {
    block = randomBytes(4_096).toString('hex')
    used = 0
  }
  used += bytes * 2
  return block.slice(used - bytes * 2, used)
}
