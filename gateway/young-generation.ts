// The objects of a start live as long as the process. A young generation that grows at once copies them less often: an eighth of the start's CPU.
import { setFlagsFromString } from 'node:v8'

export const USUAL_GROWTH = '--semi-space-growth-factor=2'

/** Until the first collection of an idle process (idle-memory.ts), which gives the room back. */
export function growAtOnce(): void {
  setFlagsFromString('--semi-space-growth-factor=32')
}
