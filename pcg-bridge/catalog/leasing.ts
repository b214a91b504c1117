// Tools with which agents share one project. Part of the third toolset.
import { z } from 'zod'
import { GraphPath, tool } from './tool.ts'

const Held = { asset_path: z.string(), holder: z.string(), expires_at: z.string() }

export const leasing = {
  lease_pcg_graph: tool({
    title: 'Lease PCG graph',
    effect: 'additive',
    idempotent: true,
    about:
      'Holds a graph, so that other agents cannot write to it until it is released or expires. Your edits renew it ' +
      'for two minutes. With wait_ms it waits while another holds it.',
    input: z.strictObject({
      pcg_graph_path: GraphPath,
      seconds: z.number().int().min(1).max(900).default(120),
      wait_ms: z.number().int().min(0).max(30_000).default(0),
    }),
    output: z.object(Held),
  }),
  release_pcg_graph: tool({
    title: 'Release PCG graph',
    effect: 'additive',
    idempotent: true,
    about:
      'Ends your lease of a graph, and your turn: in a real editor its edits so far are one entry of the undo history. ' +
      'Call it when you are done with the graph.',
    input: z.strictObject({ pcg_graph_path: GraphPath }),
    output: z.object({ asset_path: z.string(), released: z.boolean(), already_released: z.boolean() }),
  }),
} as const
