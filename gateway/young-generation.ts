// The objects of a start live as long as the process. A young generation that grows at once copies them less often: an eighth of the start's CPU.
import { setFlagsFromString } from 'node:v8'

/** Until the start is over (idle-memory.ts). */
export function growAtOnce(): void {
  setFlagsFromString('--semi-space-growth-factor=32')
}

export function growAsUsual(): void {
  setFlagsFromString('--semi-space-growth-factor=2')
}
