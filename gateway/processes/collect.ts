// Asks every other process for its metrics, and waits no longer than a scrape may.
import type { Actor } from '../contract/role.ts'
import type { Rendered } from './messages.ts'

type Collecting<P> = { readonly left: Set<P>; readonly texts: Rendered[]; readonly done: () => void }

const RENDER_MS = 1_000

export function createCollecting<P extends { readonly name: string }>(ask: (of: P, id: number, actor: Actor) => void) {
  const open = new Map<number, Collecting<P>>()
  let last = 0

  function settled({ left, done }: Collecting<P>, of: P): void {
    if (left.delete(of) && left.size === 0) done()
  }

  return {
    from(processes: readonly P[], actor: Actor): Promise<readonly Rendered[]> {
      if (processes.length === 0) return Promise.resolve([])
      const id = (last += 1)
      return new Promise((resolve) => {
        const texts: Rendered[] = []
        const done = (): void => {
          clearTimeout(deadline)
          open.delete(id)
          resolve(texts)
        }
        // One that does not answer is left out.
        const deadline = setTimeout(done, RENDER_MS)
        open.set(id, { left: new Set(processes), texts, done })
        for (const each of processes) ask(each, id, actor)
      })
    },
    rendered(of: P, id: number, text: string): void {
      const each = open.get(id)
      if (!each?.left.has(of)) return
      each.texts.push({ process: of.name, text })
      settled(each, of)
    },
    /** It ended. */
    without(of: P): void {
      for (const each of open.values()) settled(each, of)
    },
  }
}
