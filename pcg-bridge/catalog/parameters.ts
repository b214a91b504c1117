// The three tools about a graph's user parameters.
import { z } from 'zod'
import { GraphPath, tool } from './tool.ts'

export const PARAMETER_TYPES = ['bool', 'int', 'float', 'double', 'string'] as const
export const ParameterType = z.enum(PARAMETER_TYPES)
export const ParameterValue = z.union([z.boolean(), z.number(), z.string()])

const Name = z.string().min(1).max(128).describe('Parameter name')

export const parameters = {
  add_pcg_graph_parameter: tool({
    title: 'Add PCG graph parameter',
    effect: 'additive',
    idempotent: true,
    about:
      'Adds a user parameter to a graph asset. A parameter of that name is answered with `already_existed`. Graph ' +
      'instances are not accepted.',
    input: z.strictObject({ pcg_graph_path: GraphPath, name: Name, type: ParameterType }),
    output: z.object({
      pcg_graph_path: z.string(),
      name: z.string(),
      type: ParameterType.describe('The declared type; when it already existed, the type it has'),
      added: z.boolean(),
      already_existed: z.boolean(),
      parameter_count: z.number().int(),
    }),
  }),
  get_pcg_graph_parameters: tool({
    title: 'Get PCG graph parameters',
    effect: 'read',
    idempotent: true,
    about: 'The user parameters of a graph asset. An empty list means that nothing is exposed.',
    input: z.strictObject({ pcg_graph_path: GraphPath }),
    output: z.object({
      pcg_graph_path: z.string(),
      parameter_count: z.number().int(),
      parameters: z.array(z.object({ name: z.string(), type: ParameterType, value: ParameterValue })),
    }),
  }),
  set_pcg_graph_parameter: tool({
    title: 'Set PCG graph parameter',
    effect: 'destructive',
    idempotent: true,
    about:
      'Sets the default of an existing parameter. The value is text that must read as the declared type: true, 12, ' +
      '0.5. The world does not change until you clean up and generate again. Graph instances are not accepted.',
    input: z.strictObject({
      pcg_graph_path: GraphPath,
      name: Name.describe('A parameter that already exists'),
      value: z.string().max(65536).optional().describe('The value, as text. Needed, though not listed as required'),
    }),
    output: z.object({
      pcg_graph_path: z.string(),
      name: z.string(),
      type: ParameterType,
      set: z.boolean(),
      value: ParameterValue.describe('The stored value, read back'),
    }),
  }),
} as const
