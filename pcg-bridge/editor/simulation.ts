// Runs of a graph that change nothing: other seeds, values and sizes, measured. Only an engine of our own does them.
import type { Assertion, AssertionResult, Bounds, CallContext, NodeMeasure } from '../contract/index.ts'
import type { GraphDoc } from './document.ts'

export type MeasureOrder = {
  readonly assertions: readonly Assertion[]
  /** Side of the picture in pixels; null: none. */
  readonly picture: number | null
  /** What the picture shows: what was made, or all of the component, so that two pictures can be compared. */
  readonly view: 'made' | 'component'
}
export type Measured = {
  readonly ms: number
  readonly instances: number
  readonly spawned: readonly { readonly component: string; readonly asset: string; readonly instances: number }[]
  readonly nodes: readonly NodeMeasure[]
  readonly bounds: Bounds | null
  /** Equal for equal results. */
  readonly digest: string
  readonly assertions: readonly AssertionResult[]
  /** PNG in base64. */
  readonly picture: string | null
  readonly warnings: readonly string[]
}

/** Null as the node: a parameter of the graph. */
export type ValueChange = { readonly node: string | null; readonly name: string; readonly value: unknown }
export type Simulation = {
  readonly graph: string
  /** An actor whose component runs the graph; null: a volume of `halfSize`. */
  readonly actor: string | null
  readonly halfSize: readonly number[]
  /** Of its extents. */
  readonly scale: number
  /** A part of the component, alone; null: all of it. */
  readonly cell: Bounds | null
  /** Null: that of the component. */
  readonly seed: number | null
  readonly values: readonly ValueChange[]
  /** The graph at another moment; null: as it is. */
  readonly version: GraphDoc | null
  readonly measure: MeasureOrder
}
/** A run that failed says why; the others go on. */
export type Simulated = { readonly measured: Measured } | { readonly error: string }
export type Simulate = (wanted: readonly Simulation[], context: CallContext) => Promise<readonly Simulated[]>
