// What a turn of an agent changed, shown and taken back: the differences of the graph, counts and pictures of before and after.
import { z } from 'zod'
import { ActorName, GraphPath, tool } from './tool.ts'

const BatchId = z.string().min(1).max(200)
const Drawn = z.string().nullable().describe('PNG in base64; over MCP the image of the result, as `image 1`')
const Instances = z.number().int().nullable()

export const BeforeAndAfter = z.object({
  actor_name: z.string().nullable().describe('Whose component it is; null: a volume of the built-in editor'),
  instances_before: Instances,
  instances_after: Instances,
  instances_delta: Instances,
  picture_graph: Drawn,
  picture_before: Drawn,
  picture_after: Drawn,
  error: z.string().nullable().describe('Why a count or a picture is missing'),
})

export const turns = {
  show_pcg_turn: tool({
    title: 'Show PCG turn',
    effect: 'read',
    idempotent: true,
    about:
      'Call it at the end of each turn: shows the person what your edits changed in a graph, instance counts and ' +
      'pictures from one camera before and after, with a button that undoes the turn. In a real editor, generate first.',
    page: true,
    input: z.strictObject({
      pcg_graph_path: GraphPath.optional().describe('Without it: the graph that you edited last'),
      actor_name: ActorName.optional().describe('Without it: the first actor whose component runs the graph'),
      picture: z
        .number()
        .int()
        .min(32)
        .max(512)
        .default(256)
        .describe('Side in pixels; of a real editor always 480 × 270'),
    }),
    output: z.object({
      asset_path: z.string(),
      batch_ids: z.array(z.string()).describe('What undo_pcg_turn takes back, newest first'),
      diff: z.string().describe('The differences of the graph, a line each'),
      change_count: z.number().int(),
      before_and_after: BeforeAndAfter,
    }),
  }),
  undo_pcg_turn: tool({
    title: 'Undo PCG turn',
    effect: 'destructive',
    idempotent: false,
    about: 'Takes your own edits back: the batches that show_pcg_turn or patch_pcg_graph named, newest first.',
    input: z.strictObject({ batch_ids: z.array(BatchId).min(1).max(100) }),
    output: z.object({ undone: z.array(z.string()), error: z.string().nullable() }),
  }),
} as const
