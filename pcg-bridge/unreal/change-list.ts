// The change list of a turn: its files, its name, and the submission that a person asks for.
import { z } from 'zod'
import type { CallContext, ChangeList } from '../contract/index.ts'
import { counted } from '../editor/counted.ts'
import { PcgError } from '../editor/editor.ts'
import type { EditorSession } from './session.ts'

const Held = z.object({ provider: z.string().nullable(), files: z.array(z.string()) })

export async function changeList(
  session: EditorSession,
  { batchId }: { readonly batchId: string },
  submit: string | null,
  context: CallContext,
): Promise<ChangeList> {
  const edits = session.changes().filter((one) => one.batchId === batchId)
  const [first] = edits
  if (!first)
    throw new PcgError('INVALID_ARGUMENT', 'There is no such turn: it is older than the history of the editor')
  const assets = [...new Set(edits.flatMap(({ graph }) => (graph === null ? [] : [graph])))]
  const { provider, files } = await session.ask('read_changes', { assets }, Held, context.signal)
  const who = first.program ?? first.actor
  const label = edits.find((one) => one.label !== null)?.label
  const description =
    submit ?? `${label ? `${label} (${who})` : `Edits of ${who}`}: ${counted(edits.length, 'edit')} by Gantry`
  if (submit === null) return { provider, files, description, submitted: false }
  if (files.length === 0) throw new PcgError('INVALID_ARGUMENT', 'Source control holds no file of this turn')
  await session.ask('submit_changes', { files, description }, z.object({ submitted: z.number() }), context.signal)
  return { provider, files, description, submitted: true }
}
