// The user parameters of a graph: declare, list, set. Values arrive as text and are read by the declared type.

import { parameterSet, parameterToAdd } from '../editor/arguments.ts'
import type { ParameterDoc } from '../editor/document.ts'
import type { ParameterToolName, Tools } from '../editor/editor.ts'
import { commitOrRevert, type EditorSession, graphAt, parameterGraphAt } from './session.ts'

type Value = ParameterDoc['value']
type ParameterType = ParameterDoc['type']
const MOST_PARAMETERS = 1000

const INITIAL: Readonly<Record<ParameterType, Value>> = { bool: false, int: 0, float: 0, double: 0, string: '' }

export function parameterTools(session: EditorSession): Pick<Tools, ParameterToolName> {
  return {
    async add_pcg_graph_parameter(input, context) {
      const graph = parameterGraphAt(session, input.pcg_graph_path)
      const { parameters } = graph.doc
      const found = parameterToAdd(parameters, input.name, MOST_PARAMETERS)
      const added = { name: input.name, type: input.type, value: INITIAL[input.type] }
      const doc = { ...graph.doc, parameters: found ? parameters : [...parameters, added] }
      await commitOrRevert(session, graph.path, doc, { tool: 'add_pcg_graph_parameter', args: input, context })
      return {
        pcg_graph_path: graph.path,
        name: found?.name ?? input.name,
        type: found?.type ?? input.type,
        added: !found,
        already_existed: found !== undefined,
        parameter_count: doc.parameters.length,
      }
    },

    async get_pcg_graph_parameters(input) {
      const graph = parameterGraphAt(session, input.pcg_graph_path)
      const { parameters } = graph.doc
      return {
        pcg_graph_path: graph.path,
        parameter_count: parameters.length,
        parameters: parameters.map(({ name, type, value }) => ({ name, type, value })),
      }
    },

    async set_pcg_graph_parameter(input, context) {
      const graph = parameterGraphAt(session, input.pcg_graph_path)
      const { found, value } = parameterSet({ name: graph.name, parameters: graph.doc.parameters }, input)
      const parameters = graph.doc.parameters.map((item) => (item === found ? { ...item, value } : item))
      const call = { tool: 'set_pcg_graph_parameter', args: input, context }
      await commitOrRevert(session, graph.path, { ...graph.doc, parameters }, call)
      const stored = graphAt(session, graph.path).doc.parameters.find((item) => item.name === found.name) ?? found
      return { pcg_graph_path: graph.path, name: stored.name, type: stored.type, set: true, value: stored.value }
    },
  }
}
