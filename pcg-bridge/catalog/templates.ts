// Tools of the library: finding a template and adding it to a graph. Part of the third toolset.
import { z } from 'zod'
import { PatchReport } from '../contract/index.ts'
import { ParameterType, ParameterValue } from './parameters.ts'
import { GraphPath, tool } from './tool.ts'

const { findings: Findings, changes: Changes, names: Names, different: Different } = PatchReport.shape

export const templates = {
  list_pcg_templates: tool({
    title: 'List PCG templates',
    effect: 'read',
    idempotent: true,
    about:
      'Finished graphs of the library (forest, path with lamps, fence, city block, ruins, …) with their parameters, ' +
      'tags and what the level or project must have. Look here before building such a graph node by node.',
    input: z.strictObject({
      query: z.string().max(200).default('').describe('Words that the title, description or tags must have'),
      tag: z.string().max(100).default('').describe('Only templates with this tag'),
    }),
    output: z.object({
      count: z.number().int(),
      templates: z.array(
        z.object({
          template: z.string().describe('The name for insert_pcg_template'),
          title: z.string(),
          about: z.string(),
          tags: z.array(z.string()),
          needs: z.array(z.string()).describe('What the level or project must have'),
          node_count: z.number().int(),
          parameters: z.array(z.object({ name: z.string(), type: ParameterType, value: ParameterValue })),
        }),
      ),
    }),
  }),
  insert_pcg_template: tool({
    title: 'Insert PCG template',
    effect: 'additive',
    idempotent: false,
    about:
      'Adds a template of the library to a graph as one undo: its nodes under free names, its parameters, its wires ' +
      'to Output. A parameter that the graph has keeps its value. Use dry_run first.',
    input: z.strictObject({
      pcg_graph_path: GraphPath,
      template: z.string().max(100).describe('From list_pcg_templates'),
      parameters: z.record(z.string().max(128), ParameterValue).default({}).describe('Values other than the defaults'),
      dry_run: z.boolean().default(false),
    }),
    output: z.object({
      asset_path: z.string(),
      applied: z.boolean(),
      batch_id: z.string().nullable().describe('One undo of this batch removes the template; null in a dry run'),
      names: Names,
      changes: Changes,
      findings: Findings,
      different: Different,
    }),
  }),
  find_pcg_usages: tool({
    title: 'Find PCG usages',
    effect: 'read',
    idempotent: true,
    about:
      'The nodes of all graphs that use an asset (a subgraph, a mesh, a data table) or a node class: before it is ' +
      'changed, moved or removed.',
    input: z.strictObject({
      used: z.string().min(1).max(512).describe('An asset path, or a node class with or without PCG and Settings'),
    }),
    output: z.object({
      count: z.number().int(),
      usages: z.array(
        z.object({
          pcg_graph_path: z.string(),
          node_name: z.string(),
          settings_class: z.string(),
          setting: z.string().nullable().describe('The setting that names the asset; null for a node of the class'),
        }),
      ),
      graphs_read: z.number().int(),
      complete: z.boolean().describe('False: the project has more graphs than are read'),
    }),
  }),
} as const
