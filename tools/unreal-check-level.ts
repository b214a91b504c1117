// What a reading of the open level finds in a real editor; coarse, because the check reports counts only.
import { LEVEL_RESOLUTION } from '#pcg-contract'
import type { UnrealEditor } from '../pcg-bridge/unreal/index.ts'
import type { Say } from './unreal-check.ts'

export async function readLevel(editor: UnrealEditor, say: Say): Promise<void> {
  const shapes = await editor.readLevel?.(LEVEL_RESOLUTION.least, { actor: 'unreal-check', source: 'mcp' })
  if (!shapes) return say('differs', 'the level cannot be read')
  const { landscapes, splines, volumes, skipped } = shapes
  say('ok', `level read: landscapes ${landscapes.length}, splines ${splines.length}, volumes ${volumes.length}`)
  for (const { item, reason } of skipped.slice(0, 5)) say('differs', `level: ${item} was skipped: ${reason}`)
}
