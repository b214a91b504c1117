// Where the nodes, comments, reroutes and bookmarks of a graph are. Contract 7.9.
import { z } from 'zod'

const Coordinate = z.number().min(-1e9).max(1e9)
const Colour = z.string().max(32)
const Size = z.number().min(0).max(1e6)
const NodeKey = z.string().min(1).max(256)
export const GraphLayout = z.strictObject({
  nodes: z
    .record(
      NodeKey,
      z.strictObject({
        x: Coordinate,
        y: Coordinate,
        w: Size.optional(),
        h: Size.optional(),
        collapsed: z.boolean().optional(),
        color: Colour.optional(),
      }),
    )
    .default({}),
  comments: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(64),
        x: Coordinate,
        y: Coordinate,
        w: Size,
        h: Size,
        text: z.string().max(4096),
        color: Colour.optional(),
        nodes: z.array(NodeKey).max(10_000).default([]),
      }),
    )
    .default([]),
  reroutes: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(64),
        edge: z.string().min(1).max(1100),
        x: Coordinate,
        y: Coordinate,
      }),
    )
    .default([]),
  bookmarks: z
    .array(
      z.strictObject({
        slot: z.number().int().min(1).max(9),
        x: Coordinate,
        y: Coordinate,
        zoom: z.number().positive().max(100),
      }),
    )
    .max(9)
    .default([]),
})
export type GraphLayout = z.infer<typeof GraphLayout>
export const StoredLayout = GraphLayout.extend({ graph: z.string(), revision: z.number().int() })
export type StoredLayout = z.infer<typeof StoredLayout>

/** The part of a comment that an editor keeps. */
export const CommentBox = z.object({
  id: z.string(),
  x: z.number(),
  y: z.number(),
  w: z.number(),
  h: z.number(),
  text: z.string(),
})
export type CommentBox = z.infer<typeof CommentBox>
