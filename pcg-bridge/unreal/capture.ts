// The level as the viewport of the editor shows it, for the pictures before and after a turn.
import { z } from 'zod'
import type { Captured, View } from '../editor/editor.ts'
import type { EditorSession } from './session.ts'

/** It leaves the editor in the lines of an answer: a few hundred kilobytes at most. */
const [WIDTH, HEIGHT] = [480, 270]

const Axes = z.array(z.number()).length(3)
const Shown = z.union([
  z.object({
    picture: z.base64(),
    camera: z.object({ location: Axes, rotation: Axes }),
    level: z.string().nullable(),
  }),
  z.object({ picture: z.null(), reason: z.string() }),
])

export async function capture(
  session: EditorSession,
  view: View | null,
  signal: AbortSignal | undefined,
): Promise<Captured> {
  const { camera = null, level = null } = view ?? {}
  const shown = await session.ask('take_picture', { width: WIDTH, height: HEIGHT, camera, level }, Shown, signal)
  return shown.picture === null ? { reason: shown.reason } : shown
}
