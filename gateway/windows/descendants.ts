// Brings a process that runs already, and all that it started in the meantime, under one hold. Pure: the system is a parameter.

export type Seen = { readonly pid: number; readonly parent: number }

export type System = {
  /** All processes of this moment. */
  look(): readonly Seen[]
  /** When a process began; with its number it names one process. Undefined where it is gone or of another user. */
  bornAt(pid: number): bigint | undefined
  /** What it starts from then on is held as well. Throws where it cannot be held; one that is gone needs no hold. */
  hold(pid: number): void
  held(): ReadonlySet<number>
}

/** Each look finds less, unless a program starts others without end. */
const MOST_LOOKS = 50

/** Those that descend from `known` and are not in it: the parent of a process is a number that another one may have had before. */
function found(all: readonly Seen[], known: Map<number, bigint>, bornAt: System['bornAt']): readonly number[] {
  const fresh: number[] = []
  for (let before = -1; before !== fresh.length; ) {
    before = fresh.length
    for (const { pid, parent } of all) {
      const parentBorn = known.get(parent)
      if (parentBorn === undefined || known.has(pid)) continue
      const born = bornAt(pid)
      if (born === undefined || born < parentBorn) continue
      known.set(pid, born)
      fresh.push(pid)
    }
  }
  return fresh
}

/** Looks until a look shows no descendant that is not held. Throws where one cannot be held. */
export function holdWithDescendants(root: number, system: System): void {
  const known = new Map([[root, system.bornAt(root) ?? 0n]])
  system.hold(root)
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const all = system.look()
    for (const { pid } of all) {
      const born = known.get(pid)
      // Ended, and its number is that of another process now.
      if (born !== undefined && pid !== root && system.bornAt(pid) !== born) known.delete(pid)
    }
    const held = system.held()
    const free = found(all, known, system.bornAt).filter((pid) => !held.has(pid))
    if (free.length === 0) return
    for (const pid of free) system.hold(pid)
  }
  throw new Error('it starts processes faster than they can be held together')
}
