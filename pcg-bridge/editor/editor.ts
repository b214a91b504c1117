// What every driver of an editor is: connected or not, the twenty tools, what it offers beside them, its events, its end.

import type { components } from '../catalog/components.ts'
import type { graphs } from '../catalog/graphs.ts'
import type { Input, InspectionInput, InspectionName, InspectionOutput, Output, ToolName } from '../catalog/index.ts'
import type { nodes } from '../catalog/nodes.ts'
import type { parameters } from '../catalog/parameters.ts'
import type {
  CallContext,
  Capability,
  ChangeList,
  CommentBox,
  EditorState,
  GraphLayout,
  GraphTests,
  HostedEditor,
} from '../contract/index.ts'
import type { BuildSite } from './import-graphs.ts'
import type { Simulate } from './simulation.ts'

export { PcgError } from './pcg-error.ts'

export type EdgeToolName = 'connect_pcg_nodes' | 'disconnect_pcg_nodes'
export type SettingsToolName = 'get_pcg_node_properties' | 'set_pcg_node_properties'
export type NodeToolName = Exclude<keyof typeof nodes, EdgeToolName | SettingsToolName>
export type GraphToolName = keyof typeof graphs
export type GenerationToolName = 'generate_pcg_component' | 'cleanup_pcg_component' | 'get_pcg_generated_data'
export type ComponentToolName = Exclude<keyof typeof components, GenerationToolName>
export type ParameterToolName = keyof typeof parameters
export type Tools = { readonly [K in ToolName]: (input: Input<K>, context: CallContext) => Promise<Output<K>> }
export type Inspection = {
  readonly [K in InspectionName]: (input: InspectionInput<K>) => Promise<InspectionOutput<K>>
}

export type PlacedLayout = Pick<GraphLayout, 'nodes'> & {
  readonly comments: readonly (CommentBox & {
    readonly color?: string | undefined
    readonly nodes?: readonly string[]
  })[]
}
/** By the id of a comment: the box in the editor, and a digest of what it shows. */
export type PlacedComments = Readonly<Record<string, { readonly box: string; readonly as: string }>>

/** Location and rotation (pitch, yaw, roll) in a level, as the editor names it. */
export type Camera = { readonly location: readonly number[]; readonly rotation: readonly number[] }
export type View = { readonly camera: Camera; readonly level: string | null }
/** A PNG in base64 with the view that it shows, or the reason why it is missing. */
export type Captured = (View & { readonly picture: string }) | { readonly reason: string }

export type Editor = Pick<HostedEditor, 'connect' | 'disconnect' | 'subscribe' | 'history' | 'undo' | 'close'> & {
  /** Also while it is disconnected, like `inspects`. */
  readonly capabilities: readonly Capability[]
  /** The tools of `inspection` that this driver offers. */
  readonly inspects: readonly InspectionName[]
  /** Throws EDITOR_UNAVAILABLE while no call can reach the editor. */
  readonly tools: Tools
  readonly inspection: Partial<Inspection>
  state(): Omit<EditorState, 'capabilities' | 'queue' | 'leases'>
  /** Of a real editor. */
  readonly readLevel?: HostedEditor['readLevel']
  /** Of the embedded editor. */
  readonly writeLevel?: HostedEditor['writeLevel']
  /** Of the embedded editor: runs that change nothing. */
  readonly simulate?: Simulate
  /** Of the embedded editor: resolves when the running generation of an actor ends; at once without one. */
  readonly settled?: (actor: string) => Promise<void>
  /** The assertions of a graph, where the editor stores them in the graph itself. */
  readonly tests?: {
    read(graph: string): GraphTests | null
    write(graph: string, tests: GraphTests | null, context: CallContext): Promise<void>
  }
  /** Of a real editor: the level as its viewport shows it, or from the view of an earlier picture. */
  capture?(view: View | null, signal: AbortSignal | undefined): Promise<Captured>
  /** Of a real editor: closes the transaction of the caller's turn, where one is open. */
  endTurn?(context: CallContext): Promise<void>
  /** Of a real editor. */
  changeList?(selection: { readonly batchId: string }, submit: string | null, context: CallContext): Promise<ChangeList>
  /** Of a real editor: false if the window is gone. */
  answerDialog?(id: string, answer: string): Promise<boolean>
  /** Where graphs of another editor are built. */
  importSite(context: CallContext): BuildSite
  /** Places nodes and comments; not an edit of the graph. Returns the comments that the editor has, for the next call. */
  place(graph: string, layout: PlacedLayout, known?: PlacedComments): Promise<PlacedComments>
}
