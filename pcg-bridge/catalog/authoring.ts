// A third toolset: a whole graph as text, changed, checked and verified in one call. The twenty stay as they are.
import { z } from 'zod'
import { AssertionResult, Bounds, GraphTests, NodeMeasure, PatchReport, PatchStep } from '../contract/index.ts'
import { Spawned } from './components.ts'
import { leasing } from './leasing.ts'
import { templates } from './templates.ts'
import { ActorName, GraphPath, NodeName, tool } from './tool.ts'
import { BeforeAndAfter, turns } from './turns.ts'

const { findings: Findings, changes: Changes, names: Names, different: Different } = PatchReport.shape

const Verified = z.object({
  actor_name: z.string(),
  asset_path: z.string(),
  seed: z.number().int().nullable(),
  fresh: z.boolean().describe('Cleaned before, and generated since: not a cached result'),
  generated: z.boolean(),
  error: z.string().nullable(),
  note: z.string(),
  duration_ms: z.number(),
  instances: z.number().int(),
  outputs: z.number().int().describe('Data that reached Output'),
  spawners: z.array(Spawned),
  nodes: z.array(NodeMeasure).describe('Empty: the editor does not show what its nodes made'),
  bounds: Bounds.nullable().describe('Around all points'),
  ends_at: z
    .object({ node_name: z.string(), reason: z.string() })
    .nullable()
    .describe('Where data ends; null: nowhere'),
  compared: z
    .object({
      at: z.string(),
      instances_before: z.number().int(),
      duration_ms_before: z.number(),
      changed: z.array(
        z.object({ node_name: z.string(), before: z.number().int().nullable(), after: z.number().int().nullable() }),
      ),
      nodes_before: z.array(NodeMeasure),
    })
    .nullable()
    .describe('With the last verified run of this component; null: this is the first'),
})
const Value = z.union([z.boolean(), z.number(), z.string(), z.array(z.number()).max(16)])
const Target = {
  pcg_graph_path: GraphPath,
  actor_name: ActorName.optional().describe(
    'An actor whose component runs the graph. Without it the built-in editor runs it in a volume of its own',
  ),
}
const Field = {
  node_name: NodeName.optional().describe('The node of the setting; without it `name` is a parameter of the graph'),
  name: z.string().min(1).max(256),
}
const Run = z.object({
  error: z.string().nullable(),
  instances: z.number().int(),
  points: z.number().int().describe('Of all nodes'),
  ms: z.number(),
  bounds: Bounds.nullable(),
  assertions: z.array(AssertionResult),
  picture: z.string().nullable().describe('PNG in base64; over MCP `image 1` and on; null: not drawn'),
})
const Cell = z.object({
  column: z.number().int(),
  row: z.number().int(),
  bounds: Bounds,
  instances: z.number().int(),
  points: z.number().int(),
  ms: z.number(),
  bytes: z.number().describe('Memory of the output of all nodes'),
  nodes: z.array(NodeMeasure),
  error: z.string().nullable(),
  ms_before: z.number().nullable().describe('In the profile before; null: this is the first'),
  instances_before: z.number().int().nullable(),
})
const Picture = z.number().int().min(32).max(512)

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
    page: true,
    input: z.strictObject({
      pcg_graph_path: GraphPath,
      steps: z.array(PatchStep).min(1).max(5000),
      dry_run: z.boolean().default(false),
      picture: Picture.nullable()
        .default(256)
        .describe('Side in pixels of the pictures before and after; null: none. Only the built-in editor draws them'),
      actor_name: Target.actor_name,
    }),
    output: z.object({
      asset_path: z.string(),
      applied: z.boolean(),
      batch_id: z.string().nullable().describe('One undo of this batch takes the whole patch back; null in a dry run'),
      names: Names,
      changes: Changes,
      findings: Findings,
      different: Different,
      diff: z.string().describe('The changes as text, a line each'),
      before_and_after: BeforeAndAfter.nullable().describe('Null in a dry run'),
    }),
  }),
  ...turns,
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
  ...leasing,
  verify_pcg_component: tool({
    title: 'Verify PCG component',
    effect: 'destructive',
    idempotent: true,
    about:
      'Cleans a component, generates it, waits, and reads back what is there: instances per spawner, points, time, ' +
      'memory and bounds per node, whether it is fresh, the node at which data ends, and what differs from the last ' +
      'verified run. Use it after each change instead of trusting `generated`.',
    input: z.strictObject({ actor_name: ActorName }),
    output: Verified,
  }),
  test_pcg_graph: tool({
    title: 'Test PCG graph',
    effect: 'destructive',
    idempotent: true,
    about:
      'Runs the assertions that are stored with a graph (patch_pcg_graph stores them by the step `tests`): count, ' +
      'inside, no overlap, deterministic, within. With actor_name its component is generated afresh.',
    input: z.strictObject(Target),
    output: z.object({
      asset_path: z.string(),
      passed: z.boolean(),
      results: z.array(AssertionResult),
      instances: z.number().int(),
      ms: z.number(),
      tests: GraphTests,
    }),
  }),
  ab_test_pcg_graph: tool({
    title: 'A/B test PCG graph',
    effect: 'destructive',
    idempotent: true,
    about:
      'Runs a graph with two values of one parameter or setting and compares both; afterwards the value is the one ' +
      'from before. Without `a` the first is the present value.',
    input: z.strictObject({ ...Target, ...Field, a: Value.optional(), b: Value, picture: Picture.default(160) }),
    output: z.object({
      asset_path: z.string(),
      a: Run,
      b: Run,
      instances_delta: z.number().int(),
      points_delta: z.number().int(),
      ms_delta: z.number(),
      reverted: z.boolean(),
    }),
  }),
  sweep_pcg_graph: tool({
    title: 'Sweep PCG graph',
    effect: 'destructive',
    idempotent: true,
    about:
      'Runs a graph for every combination of seeds and values, and returns counts, time, assertions and a picture of ' +
      'each. The built-in editor uses all cores and changes nothing; a real one runs them one by one and puts the ' +
      'values back.',
    input: z.strictObject({
      ...Target,
      seeds: z.array(z.number().int()).max(64).default([]).describe('Empty: the present seed'),
      values: z
        .array(z.strictObject({ ...Field, values: z.array(Value).min(1).max(32) }))
        .max(3)
        .default([]),
      picture: Picture.nullable().default(96).describe('Side in pixels; null: no pictures'),
    }),
    output: z.object({
      asset_path: z.string(),
      threads: z.number().int(),
      ms: z.number(),
      runs: z.array(
        Run.extend({
          seed: z.number().int().nullable(),
          values: z.array(z.object({ node_name: z.string().nullable(), name: z.string(), value: Value })),
        }),
      ),
    }),
  }),
  profile_pcg_component: tool({
    title: 'Profile PCG component',
    effect: 'destructive',
    idempotent: true,
    about:
      'What each node of a component costs, and each node in each cell of a partitioned one: time, points, memory, ' +
      'beside the last run, and how time grows with the size of the component. Generates it afresh.',
    input: z.strictObject({
      actor_name: ActorName,
      sizes: z
        .array(z.number().min(0.05).max(8))
        .max(6)
        .default([0.25, 0.5, 1, 2])
        .describe('Factors of the ground area for the growth; empty: none. Only the built-in editor runs them'),
      cell_size: z
        .number()
        .min(100)
        .max(1e6)
        .nullable()
        .default(null)
        .describe('Side of a grid cell in cm; null: 25600 for a partitioned component, else no cells'),
    }),
    output: z.object({
      ...Verified.pick({ actor_name: true, asset_path: true, duration_ms: true, nodes: true, compared: true }).shape,
      cell_size: z.number().nullable(),
      cells: z
        .array(Cell)
        .describe('Each cell of the grid generated alone, at most 64; empty: not partitioned, or not run'),
      growth: z.array(
        z.object({
          node_name: z.string(),
          runs: z.array(z.object({ size: z.number(), points: z.number().int(), ms: z.number() })),
          exponent: z
            .number()
            .nullable()
            .describe('1: time grows as the area, 2: as its square; null: too fast to tell, or not run'),
        }),
      ),
    }),
  }),
} as const
