// What a node of a real editor made (5.8): its own inspection, which records from the first request on.
import { z } from 'zod'
import type { InspectionInput, InspectionOutput } from '../catalog/index.ts'
import { PcgError } from '../editor/editor.ts'
import { pageOf, viewsOf } from './data-view.ts'
import type { EditorSession } from './session.ts'
import { WAYS_OUT } from './setup.ts'

const References = z.object({
  actor: z.string(),
  /** Path of the actor if it is a volume: the editor inspects no other actors. */
  volume: z.string().nullable(),
  running: z.boolean(),
  graph: z.string(),
  node: z.string(),
  outputs: z.array(z.string()),
})
const VIEW_MS = 60_000

export async function readNodeData(
  session: EditorSession,
  input: InspectionInput<'get_pcg_node_data'>,
): Promise<InspectionOutput<'get_pcg_node_data'>> {
  if (!session.toolset.offers('GetNodeDataView')) {
    const { identity } = session.connection.state()
    throw new PcgError('EDITOR_ERROR', WAYS_OUT.noNodeData(identity?.engine.split('-')[0] ?? '?'))
  }
  if (input.preview) throw new PcgError('INVALID_ARGUMENT', 'Only the built-in editor previews values')
  const at = await session.ask('read_references', { actor: input.actor_name, node: input.node_name }, References)
  if (at.volume === null)
    throw new PcgError(
      'INVALID_ARGUMENT',
      `${at.actor} is no PCG volume: the editor shows node data of PCG volumes only`,
    )
  if (at.running) throw new PcgError('EDITOR_BUSY', `${at.actor} is still generating: read again when it is done`)
  const pin = input.pin ?? (at.outputs.includes('Out') ? 'Out' : (at.outputs[0] ?? 'Out'))
  if (!at.outputs.includes(pin))
    throw new PcgError('PIN_NOT_FOUND', `${input.node_name} has no output pin '${pin.slice(0, 120)}'`)
  session.inspected.add(at.actor)
  const given = {
    pCGVolume: { refPath: at.volume },
    node: { refPath: at.node },
    pinLabel: pin,
    attributeName: '',
    startIndex: input.offset,
    endIndex: input.offset + input.limit * input.every + 1,
  }
  const value = await session.toolset.call('GetNodeDataView', given, VIEW_MS).catch((reason: unknown) => {
    const message = reason instanceof Error ? reason.message : String(reason)
    if (!/inspection|re-?execut|ExecuteGraphInstance/i.test(message)) throw reason
    throw new PcgError(
      'NODE_NOT_FOUND',
      `The editor records node data from now on: generate ${at.actor} again, then read ${input.node_name}`,
    )
  })
  const views = viewsOf(value)
  const view = views[input.data_index]
  return {
    actor_name: at.actor,
    node_name: input.node_name,
    pin,
    data_count: views.length,
    data_index: input.data_index,
    data_class: view?.dataClass ?? null,
    tags: [],
    ...pageOf(view ?? { rows: [], dataClass: null }, input),
  }
}
