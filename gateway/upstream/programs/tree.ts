// The processes of one start of a server, as this system holds them together: `groups.ts` on Linux and macOS, `jobs.ts` on Windows.

export type Tree = {
  /** How its first process is spawned: in its own group, and with these variables. */
  readonly detached: boolean
  readonly env: Readonly<Record<string, string>>
  /** At once after the spawn. Throws where it cannot be held together; then it may not run. */
  hold(pid: number): void
  /** Asks all of it to end. False where the system has no such request. */
  ask(): boolean
  kill(): void
  /** Ends what is left of it, also after a spawn that failed. Resolves when nothing is. */
  end(): Promise<void>
  /** Measures what it holds in memory from now on, until the returned function is called. */
  watch(onMeasure: OnMeasure): () => void
}

export type OnMeasure = (bytes: number, isOver: boolean) => void

export type Trees = {
  /** By what, for the log. */
  readonly held: string
  /** Throws where what ends it with the gateway does not run: then no program may. `number` is of a process, in this gateway. */
  create(number: number, limitBytes: number): Tree
  /** Containers are no part of a tree: from the first of them on, what ends trees with the gateway removes them by this engine. */
  engine(file: string): void
  /** Ends what gateways of this user left that are no more; how many. */
  endLeftovers(): Promise<number>
  close(): Promise<void>
}
