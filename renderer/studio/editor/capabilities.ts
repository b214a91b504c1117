// What an editor can do now, and the reason if not, shown on every control that needs it.
import type { PcgEditor } from '#contract'
import { t } from '../../language/language.ts'

export type Capability = PcgEditor['capabilities'][number]
/** What a control needs: a connected editor, or also an optional capability of its driver. */
export type Need = 'edit' | Capability

const LACKS: Readonly<Record<Capability, string>> = {
  nodePositions: t('This editor does not store node positions'),
  comments: t('This editor does not store comments; the studio stores them separately'),
  pinTypes: t('This editor does not report pin types; the catalogue’s are shown'),
  nodeData: t(
    'Unreal shows node data to other programs from 5.8, with the plugin PCG Toolset. Inspect it in Unreal’s PCG editor with the key A',
  ),
  timings: t('Unreal does not expose node timings. Use the profiler in Unreal’s PCG editor'),
  undo: t('This editor keeps its own history: press Ctrl+Z there'),
  cancel: t('Unreal generations cannot be stopped from outside. Press Cancel in the editor'),
  listGraphs: t('This editor does not list its graphs'),
  generate: t('This editor cannot generate'),
}

/** Null if it is available. */
export function reasonAgainst(editor: PcgEditor | undefined, need: Need): string | null {
  if (!editor) return t('The editor no longer exists')
  const { name, status, error, capabilities } = editor
  if (status === 'connecting') return t('{name} is connecting', { name })
  if (status === 'disconnected') return t('{name} is disconnected: connect it first', { name })
  if (status === 'error')
    return t('{name} cannot be reached{value}', { name, value: error === null ? '' : `: ${error}` })
  return need === 'edit' || capabilities.includes(need) ? null : LACKS[need]
}
