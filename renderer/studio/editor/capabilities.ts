// What an editor can do now, and the reason if not, shown on every control that needs it.
import type { PcgEditor } from '#contract'

export type Capability = PcgEditor['capabilities'][number]
/** What a control needs: a connected editor, or also an optional capability of its driver. */
export type Need = 'edit' | Capability

const LACKS: Readonly<Record<Capability, string>> = {
  nodePositions: 'This editor does not keep where nodes lie',
  comments: 'This editor keeps no comments: they are kept beside it, for the studio only',
  pinTypes: 'This editor does not tell the types of pins: those of the catalogue are shown',
  nodeData: 'Unreal does not give out what a node held: inspect it in its own PCG window, with the key A',
  timings: 'Unreal does not give out how long a node took: its own PCG window has the profiler',
  undo: 'Unreal keeps its own history: press Ctrl+Z in the editor',
  cancel: 'Unreal does not let a generation be stopped from outside: press Cancel in the editor',
  listGraphs: 'This editor does not list its graphs',
  generate: 'This editor cannot generate',
}

/** Null if it is available. */
export function reasonAgainst(editor: PcgEditor | undefined, need: Need): string | null {
  if (!editor) return 'The editor is not known any more'
  const { name, status, error, capabilities } = editor
  if (status === 'connecting') return `${name} is connecting`
  if (status === 'disconnected') return `${name} is disconnected: connect it first`
  if (status === 'error') return `${name} cannot be reached${error === null ? '' : `: ${error}`}`
  return need === 'edit' || capabilities.includes(need) ? null : LACKS[need]
}
