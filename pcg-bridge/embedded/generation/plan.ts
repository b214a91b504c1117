// What a generation is asked for and what it answers: plain data that crosses to the worker and back.

import type { ActorDoc, GraphDoc } from '../../editor/document.ts'
import type { Measured, MeasureOrder } from '../../editor/simulation.ts'
import type { Sources } from './sources.ts'

export type ParameterValue = boolean | number | string

/** Everything a run depends on. Two equal plans give the same points on every machine. */
export type Plan = {
  readonly root: string
  /** By lower-case content path: the root and every graph it embeds. */
  readonly graphs: Readonly<Record<string, GraphDoc>>
  /** Of a graph instance. */
  readonly overrides: Readonly<Record<string, ParameterValue>>
  readonly actor: ActorDoc
  readonly seed: number
  readonly actors: readonly ActorDoc[]
  /** Tables and pictures that the graphs name and the project has. */
  readonly sources?: Sources
}

export type Limits = {
  /** In one data. All data alive at one time may hold four times as many. */
  readonly maxPoints: number
}

/** Asks for one page of what an output pin held. */
export type Capture = {
  /** Equal for all pages of one generation, and for no other. */
  readonly generation: number
  readonly node: string
  readonly pin: string | undefined
  readonly dataIndex: number
  readonly offset: number
  readonly limit: number
  /** Every n-th row; each without it. */
  readonly every?: number
  /** As columns of bytes instead of rows. */
  readonly packed: boolean
}

export type Job = {
  readonly plan: Plan
  readonly limits: Limits
  readonly capture?: Capture
  /** A run of its own that is looked at. */
  readonly measure?: MeasureOrder
}

export type NodeReport = {
  readonly graph: string
  readonly node: string
  readonly ms: number
  readonly points: number
  readonly data: number
  /** The output pins that held something: points, attribute rows, or a shape. */
  readonly filled: readonly string[]
  readonly spawned: number
  readonly executed: boolean
  readonly warnings: readonly string[]
  /** Faults that the node itself reports; its output is dropped and the rest of the graph runs. */
  readonly errors: readonly string[]
}

export type Column = {
  readonly name: string
  readonly type: string
  readonly min: number | null
  readonly max: number | null
  readonly mean: number | null
  readonly histogram: readonly number[]
}
export type PackedColumn = {
  readonly name: string
  readonly width: number
  readonly shared: boolean
  readonly form: 'float64' | 'float32' | 'int32' | 'text'
  /** Base64, the lowest byte first. */
  readonly numbers: string
  readonly texts: string[]
}
export type Page = {
  readonly pin: string
  readonly dataCount: number
  readonly dataClass: string | null
  readonly tags: readonly string[]
  readonly rowCount: number
  readonly columns: readonly Column[]
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  readonly packed: { readonly rows: number; readonly columns: readonly PackedColumn[] } | null
}

export type Spawned = { readonly component: string; readonly asset: string; readonly instances: number }
export type RunResult = {
  readonly output: readonly {
    readonly pin: string
    readonly dataClass: string
    readonly tags: readonly string[]
    readonly rows: number
  }[]
  readonly spawned: readonly Spawned[]
  readonly reports: readonly NodeReport[]
}
/** A run, or the page that was asked for; null where the run had no such node. */
export type Answer = { readonly result: RunResult; readonly page: Page | null; readonly measured?: Measured }

/** To the worker: a job, or the order to drop the kept data. */
export type WorkerOrder = Job | 'drop'
export type WorkerMessage =
  | { readonly type: 'node'; readonly report: NodeReport; readonly done: number; readonly total: number }
  | ({ readonly type: 'done' } & Answer)
  | { readonly type: 'failed'; readonly message: string }
