// The embedded editor and Unreal over its double, hosted: what a toolset does must be the same on both.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { CallContext, HostedEditor } from '../contract/index.ts'
import { openEmbeddedEditor } from '../embedded/index.ts'
import { type DoubleOptions, NO_PYTHON, startDouble } from '../unreal/double.fixture.ts'
import { openUnrealEditor } from '../unreal/index.ts'
import { createHosted } from './hosted.ts'

export const EDITOR_KINDS = ['embedded', 'unreal'] as const
export type EditorKind = (typeof EDITOR_KINDS)[number]
export const cannotRun = (kind: EditorKind): boolean => kind === 'unreal' && NO_PYTHON !== null
export const AGENT: CallContext = { actor: 'agent', source: 'mcp' }

type Toolsets = 'tools' | 'inspection' | 'authoring'
export type TestEditor = {
  readonly hosted: HostedEditor
  readonly sidecarDir: string
  /** The answer of a tool, or a failed test. */
  call(toolset: Toolsets, name: string, args: object, context?: CallContext): Promise<Readonly<Record<string, unknown>>>
  dispose(): Promise<void>
}

/** `meshes`: static meshes that the real editor has. */
export async function startEditor(
  kind: EditorKind,
  { meshes = [], ...options }: DoubleOptions & { readonly meshes?: readonly string[] } = {},
): Promise<TestEditor> {
  const directory = await mkdtemp(path.join(tmpdir(), 'pcg-hosted-'))
  const double = kind === 'unreal' ? await startDouble({ remoteControl: {}, ...options }) : undefined
  for (const mesh of meshes) await double?.order({ do: 'asset', class: 'StaticMesh', path: mesh })
  const sidecarDir = path.join(directory, 'layouts')
  const hosted = createHosted({
    editor: double
      ? openUnrealEditor({ driver: 'remote-control', url: double.remoteControl, project: double.project })
      : await openEmbeddedEditor({ directory: path.join(directory, 'project') }),
    sidecarDir,
    queueMax: 32,
    callTimeoutMs: 120_000,
  })
  await hosted.connect()
  return {
    hosted,
    sidecarDir,
    async call(toolset, name, args, context = AGENT) {
      const answer = await hosted[toolset].call(name, args, context)
      if (!answer.ok) throw new Error(`${name}: ${answer.code} ${answer.message}`)
      return answer.result
    },
    async dispose() {
      await hosted.close()
      await double?.dispose()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
