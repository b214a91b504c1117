// What a PCG tool is: a value from which MCP tools, forms, typed calls and the suites are derived.
import { z } from 'zod'
import type { HostedTool } from '../contract/index.ts'

/** The specification's three classes. */
export type Effect = 'read' | 'additive' | 'destructive'

export type PcgTool = {
  readonly title: string
  readonly effect: Effect
  /** A repeat of the same call changes nothing further and raises no error. */
  readonly idempotent: boolean
  /** Prose for a model that decides whether and how to call it. */
  readonly about: string
  /** Its result is shown by the page of turns, in clients that show pages. */
  readonly page?: true
  readonly input: z.ZodObject
  readonly output: z.ZodObject
}

/** Keeps the literal types of a tool while checking it. */
export function tool<const T extends PcgTool>(definition: T): T {
  return definition
}

/** The MCP hints of a class. A tool that only reads is always idempotent. */
export function annotationsOf(definition: PcgTool): HostedTool['annotations'] {
  return {
    readOnlyHint: definition.effect === 'read',
    destructiveHint: definition.effect === 'destructive',
    idempotentHint: definition.idempotent || definition.effect === 'read',
    openWorldHint: false,
  }
}

export const GraphPath = z
  .string()
  .min(1)
  .max(512)
  .describe('Content path of a PCG graph asset: /Game/PCG/Forest, or /Game/PCG/Forest.Forest')
export const NodeName = z.string().min(1).max(256)
export const ActorName = z
  .string()
  .min(1)
  .max(256)
  .describe('Label or internal name of an actor in the level that is open in the editor')
export const Vector = z.array(z.number()).length(3)
export const Saved = {
  saved: z.boolean().describe('This call wrote the asset to disk'),
  save_error: z.string().nullable().describe('Why the save failed; null when it did not'),
}
export const GraphIdentity = {
  graph_name: z.string(),
  asset_path: z.string().describe('Content path without the asset suffix'),
}
