// A third toolset: a whole graph as text, changed, checked and verified in one call. The twenty stay as they are.
import { z } from 'zod'
import { PatchReport, PatchStep } from '../contract/index.ts'
import { templates } from './templates.ts'
import { GraphPath, tool } from './tool.ts'

const { findings: Findings, changes: Changes, names: Names, different: Different } = PatchReport.shape

export const authoring = {
  get_pcg_graph_text: tool({
    title: 'Get PCG graph text',
    effect: 'read',
    idempotent: true,
    about:
      'A whole graph in one YAML text: nodes with the settings that differ from their class, edges at the pins that ' +
      'read them, parameters, then the layout. Read it before patch_pcg_graph.',
    input: z.strictObject({
      pcg_graph_path: GraphPath,
      layout: z.boolean().default(false).describe('Also places, comments and bookmarks'),
    }),
    output: z.object({
      asset_path: z.string(),
      text: z.string(),
      not_in_text: z
        .array(z.object({ item: z.string(), reason: z.string() }))
        .describe('What the graph has and the text cannot hold'),
    }),
  }),
  patch_pcg_graph: tool({
    title: 'Patch PCG graph',
    effect: 'destructive',
    idempotent: false,
    about:
      'Changes a graph by a list of steps, all of them or none, as one undo. Use dry_run first: it returns what would ' +
      'change and what the linter finds. Steps: add node, remove node, set (null restores a default), connect, ' +
      'disconnect, parameter, place. Later steps name a new node by the id that its step gave it.',
    input: z.strictObject({
      pcg_graph_path: GraphPath,
      steps: z.array(PatchStep).min(1).max(5000),
      dry_run: z.boolean().default(false),
    }),
    output: z.object({
      asset_path: z.string(),
      applied: z.boolean(),
      batch_id: z.string().nullable().describe('One undo of this batch takes the whole patch back; null in a dry run'),
      names: Names,
      changes: Changes,
      findings: Findings,
      different: Different,
    }),
  }),
  lint_pcg_graph: tool({
    title: 'Lint PCG graph',
    effect: 'read',
    idempotent: true,
    about: 'Finds mistakes in a graph without generating it: errors first, each with its remedy and often a quick fix.',
    input: z.strictObject({ pcg_graph_path: GraphPath }),
    output: z.object({
      asset_path: z.string(),
      clean: z.boolean().describe('Without errors and warnings'),
      findings: z.array(
        Findings.element.extend({
          fix: z.array(PatchStep).nullable().describe('Steps for patch_pcg_graph that correct it'),
        }),
      ),
    }),
  }),
  ...templates,
} as const
