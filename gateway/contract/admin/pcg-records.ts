// Editors, their calls and snapshots as records; what the editors themselves state comes from their contract. Contract 7.9.
import { z } from 'zod'
import { EDITOR_DRIVERS, EditorState, GraphDocument, LEVEL_RESOLUTION, PatchStep, PCG_CODES } from '#pcg-contract'
import { BackendName } from '../names.ts'
import { Id, Iso, MADE_FIELDS } from '../page.ts'

export { Change as PcgChange, ChangeList as PcgChangeList, StoredLayout as PcgLayout } from '#pcg-contract'

/** Each toolset of an editor is a backend of its own, named after it. The first has the name of the editor. */
export const EDITOR_SUFFIXES = { tools: '', inspection: '-inspect', authoring: '-author' } as const
export const editorBackends = (name: string): readonly string[] =>
  Object.values(EDITOR_SUFFIXES).map((suffix) => `${name}${suffix}`)

export const PcgEditor = z.object({
  name: z.string(),
  driver: z.enum(EDITOR_DRIVERS),
  url: z.string().nullable(),
  ...EditorState.shape,
  autoConnect: z.boolean(),
  sidecarDir: z.string().nullable(),
  projectDir: z.string().nullable(),
  tokenSet: z.boolean(),
  ...MADE_FIELDS,
  warnings: z.array(z.string()).optional(),
})
export type PcgEditor = z.infer<typeof PcgEditor>

const Refusal = z.looseObject({ code: z.string(), gate: z.string(), request_id: z.string(), tool: z.string() })
export const PcgCallResult = z.object({
  ok: z.boolean(),
  result: z.record(z.string(), z.unknown()).nullable(),
  error: z.object({ code: z.enum(PCG_CODES), message: z.string() }).nullable(),
  refusal: Refusal.nullable(),
  requestId: z.string(),
  durationMs: z.number(),
  changeId: Id.nullable(),
})
export type PcgCallResult = z.infer<typeof PcgCallResult>

export const PcgSnapshot = z.object({
  id: Id,
  graph: z.string(),
  label: z.string().nullable(),
  createdAt: Iso,
  createdBy: z.string(),
  nodeCount: z.number().int(),
  edgeCount: z.number().int(),
})
export type PcgSnapshot = z.infer<typeof PcgSnapshot>

export const Graph = z.string().min(1).max(512)
const EditorUrl = z.string().min(1).max(2048)
const settings = {
  driver: z.enum(EDITOR_DRIVERS),
  url: EditorUrl.nullable().optional(),
  token: z.string().min(1).max(8192).nullable().optional(),
  sidecarDir: z.string().min(1).max(1024).nullable().optional(),
  projectDir: z
    .string()
    .min(1)
    .max(1024)
    .nullable()
    .optional()
    .describe('folder of the Unreal project: the editor of another project is refused'),
}
export const EditorInput = z.strictObject({
  // Room for the suffix of a toolset.
  name: BackendName.max(55),
  ...settings,
  autoConnect: z.boolean().default(true),
})
export type EditorInput = z.infer<typeof EditorInput>
export const EditorPatch = z.strictObject({
  ...settings,
  driver: settings.driver.optional(),
  autoConnect: z.boolean().optional(),
  keepCredential: z.boolean().optional().describe('sends the stored token to another address; for admins'),
  revision: z.number().int().optional(),
})
export type EditorPatch = z.infer<typeof EditorPatch>

export const GraphCopyInput = z.strictObject({
  graph: Graph,
  to: z.string().min(1).max(64).describe('name of the editor that receives it'),
  path: Graph.optional().describe('its path there; default: the same'),
  replace: z.boolean().default(false).describe('replaces the nodes of a graph that is there'),
})
export type GraphCopyInput = z.infer<typeof GraphCopyInput>

export const GraphDocuments = z
  .array(GraphDocument)
  .min(1)
  .max(100)
  .readonly()
  .describe('the graph, then the graphs it embeds')
export const GraphImportInput = z.strictObject({
  documents: GraphDocuments,
  path: Graph.optional().describe('its path here; default: that of the document'),
  replace: z.boolean().default(false).describe('replaces the nodes of a graph that is there'),
})
export type GraphImportInput = z.infer<typeof GraphImportInput>

export const GraphPatchInput = z.strictObject({
  graph: Graph,
  steps: z.array(PatchStep).min(1).max(5000),
  dryRun: z.boolean().default(false).describe('changes nothing: only reports'),
  batchId: z.string().min(1).max(64).optional().describe('undone together with the calls of this batch'),
  label: z.string().min(1).max(120).optional().describe('in the history; default: Patch'),
})
export type GraphPatchInput = z.infer<typeof GraphPatchInput>

export const LevelReadInput = z.strictObject({
  from: z.string().min(1).max(64).describe('name of the real editor'),
  resolution: z
    .number()
    .int()
    .min(LEVEL_RESOLUTION.least)
    .max(LEVEL_RESOLUTION.most)
    .default(LEVEL_RESOLUTION.usual)
    .describe('heights along the longer side of the landscapes'),
  replace: z.boolean().default(false).describe('removes other actors without a PCG component, too'),
})
export type LevelReadInput = z.infer<typeof LevelReadInput>
