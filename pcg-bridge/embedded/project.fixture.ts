// A project on disk and the editor that has it open, fresh for each test.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import {
  type Args,
  CATALOG,
  INSPECTION,
  type InspectionName,
  type InspectionOutput,
  type Output,
  type ToolName,
} from '../catalog/index.ts'
import type { CallContext, EditorEvent } from '../contract/index.ts'
import type { Editor } from '../editor/editor.ts'
import { openEmbeddedEditor } from './index.ts'
import type { ProjectOptions } from './project.ts'

export let directory = ''
export let editor: Editor
export let events: EditorEvent[] = []

export async function reopen(options: Partial<ProjectOptions> = {}): Promise<void> {
  await editor?.close()
  editor = await openEmbeddedEditor({ directory, ...options })
  events = []
  editor.subscribe((event) => events.push(event))
}

/** Of the file that asks for it: each test has a project of its own. */
export function aProjectEachTest(): void {
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'pcg-project-'))
    await reopen()
  })
  afterEach(async () => {
    await editor.close()
    await rm(directory, { recursive: true, force: true })
  })
}

export async function call<K extends ToolName>(
  name: K,
  args: Args<K>,
  who: Partial<CallContext> = {},
): Promise<Output<K>> {
  // The schema is that of the tool called: the compiler cannot pair them over a union of names.
  const input = CATALOG[name].input.parse(args) as never
  return editor.tools[name](input, { actor: 'ann', source: 'mcp', ...who })
}

export async function look<K extends InspectionName>(
  name: K,
  args: Record<string, unknown>,
): Promise<InspectionOutput<K>> {
  const input = INSPECTION[name].input.parse(args) as never // as above
  const answer: unknown = await editor.inspection[name]?.(input)
  return INSPECTION[name].output.strict().parse(answer) as InspectionOutput<K>
}

export const graph = '/Game/PCG/Wood'
export const at = { pcg_graph_path: graph }
export const info = () => call('get_pcg_graph_info', at)

export async function settled(actor_name: string): Promise<void> {
  while ((await call('get_pcg_component_info', { actor_name })).is_generating)
    await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Input → sampler → Output, on a volume. */
export async function sampled(properties: Record<string, unknown> = {}): Promise<{ volume: string; sampler: string }> {
  await call('create_pcg_graph', { name: 'Wood' })
  const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGSurfaceSamplerSettings' })
  await call('set_pcg_node_properties', { ...at, node_name, properties })
  await call('connect_pcg_nodes', { ...at, from_node: 'Input', to_node: node_name })
  await call('connect_pcg_nodes', { ...at, from_node: node_name, to_node: 'Output' })
  const { actor_name } = await call('spawn_pcg_volume', { extent: [1000, 1000, 500], pcg_graph_path: graph })
  return { volume: actor_name, sampler: node_name }
}

export async function generate(actor_name: string): Promise<void> {
  await call('generate_pcg_component', { actor_name })
  await settled(actor_name)
}
export const content = (...names: string[]): string => path.join(directory, 'Content', ...names)
