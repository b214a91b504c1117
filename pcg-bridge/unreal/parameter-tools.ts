// User parameters: read and set through Python; added by the editor's own toolset (5.8), in the process or over MCP.
import { z } from 'zod'
import { ParameterType, ParameterValue } from '../catalog/parameters.ts'
import type { CallContext } from '../contract/index.ts'
import { parameterNamed, parameterSet, parameterToAdd } from '../editor/arguments.ts'
import { type ParameterToolName, PcgError, type Tools } from '../editor/editor.ts'
import { graphPath } from './asset-path.ts'
import { UnsupportedError } from './handshake.ts'
import { type EditorSession, SaveShown } from './session.ts'
import { WAYS_OUT } from './setup.ts'
import { spelling } from './toolset.ts'
import type { Step } from './undo.ts'

const Parameters = z.object({
  path: z.string(),
  name: z.string(),
  parameters: z.array(z.object({ name: z.string(), type: ParameterType, value: ParameterValue })),
})
const Written = Parameters.extend(SaveShown)
/** How toolsets spell the types; the editor's own list decides. */
const SPELLED = {
  bool: ['Boolean', 'Bool'],
  int: ['Integer32', 'Int32', 'Integer'],
  float: ['Float'],
  double: ['Double'],
  string: ['String'],
} as const
const TOOL_MS = 15_000
const MOST_PARAMETERS = 256

type Param = {
  readonly name: string
  readonly type: string
  readonly description: string
  readonly containerType: string
}

export function parameterTools(session: EditorSession): Pick<Tools, ParameterToolName> {
  const read = (graph: string, signal?: AbortSignal) =>
    session.ask('read_parameters', { graph: graphPath(graph) }, Parameters, signal)

  async function add(graph: string, param: Param): Promise<void> {
    const refPath = `${graph}.${graph.slice(graph.lastIndexOf('/') + 1)}`
    const added = await session.toolset
      .call('SetGraphParams', { graph: { refPath }, params: [param] }, TOOL_MS)
      .catch((reason: unknown) => {
        if (!(reason instanceof UnsupportedError)) throw reason
        const engine = session.connection.state().identity?.engine.split('-')[0] ?? '?'
        throw new PcgError('EDITOR_ERROR', WAYS_OUT.noParameters(engine))
      })
    if (added === false) throw new PcgError('EDITOR_ERROR', 'The editor did not add the parameter: see its log')
  }

  async function set(graph: string, name: string, value: unknown, context: CallContext) {
    const written = await session.ask('write_parameter', { graph, name, value }, Written, context.signal)
    if (!written.saved) throw new PcgError('EDITOR_ERROR', `The value is set but not saved: ${written.save_error}`)
    return written.parameters.find((item) => item.name === name)
  }

  return {
    async add_pcg_graph_parameter(input, context) {
      const graph = await read(input.pcg_graph_path, context.signal)
      const found = parameterToAdd(graph.parameters, input.name, MOST_PARAMETERS)
      const answer = { pcg_graph_path: graph.path, name: found?.name ?? input.name, type: found?.type ?? input.type }
      if (found) return { ...answer, added: false, already_existed: true, parameter_count: graph.parameters.length }
      await add(graph.path, {
        name: input.name,
        type: spelling(session.toolset.schema('SetGraphParams'), SPELLED[input.type]),
        description: '',
        containerType: 'None',
      })
      const after = await read(graph.path)
      const made = parameterNamed(after.parameters, input.name)
      // Read in the proven editor: another program on the MCP port changed nothing here.
      if (!made || made.type !== input.type)
        throw new PcgError(
          'EDITOR_ERROR',
          `The parameter is not in ${graph.path} as asked for: is another editor open?`,
        )
      const { saved, save_error } = await session.ask('save_graph', { graph: graph.path }, z.object(SaveShown))
      if (!saved) throw new PcgError('EDITOR_ERROR', `The parameter was added but not saved: ${save_error}`)
      session.record('add_pcg_graph_parameter', input, context, { graph: graph.path })
      return {
        ...answer,
        name: made.name,
        added: true,
        already_existed: false,
        parameter_count: after.parameters.length,
      }
    },

    async get_pcg_graph_parameters(input, context) {
      const graph = await read(input.pcg_graph_path, context.signal)
      return { pcg_graph_path: graph.path, parameter_count: graph.parameters.length, parameters: graph.parameters }
    },

    async set_pcg_graph_parameter(input, context) {
      const graph = await read(input.pcg_graph_path, context.signal)
      const { found, value } = parameterSet(graph, input)
      const stored = await set(graph.path, found.name, value, context)
      const after = stored?.value ?? value
      const step: Step = {
        op: 'write_parameter',
        graph: graph.path,
        name: found.name,
        values: { wrote: { [found.name]: after }, before: { [found.name]: found.value } },
        args: { graph: graph.path, name: found.name, value: found.value },
        call: {
          tool: 'set_pcg_graph_parameter',
          args: { pcg_graph_path: graph.path, name: found.name, value: String(found.value) },
        },
      }
      session.record('set_pcg_graph_parameter', input, context, { graph: graph.path }, [step])
      return {
        pcg_graph_path: graph.path,
        name: found.name,
        type: found.type,
        set: true,
        value: after,
      }
    },
  }
}
