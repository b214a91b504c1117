// What a gateway composes with: editors opened from their records, and those that run on this machine found.
import path from 'node:path'
import type { EditorStatus } from './editor.ts'
import { embeddedWire } from './embedded-wire.ts'
import { createHosted, type HostedEditor } from './hosted.ts'
import { compareGraphs, type Difference, type RestoreCall, readState, restoreCalls } from './snapshot.ts'
import { discoverEditors, type FoundEditor } from './unreal/index.ts'
import { unrealWire } from './unreal-wire.ts'

export type EditorSpec = {
  readonly name: string
  readonly driver: EditorStatus['driver']
  /** Null: where this driver's editors are by default. */
  readonly url: string | null
  readonly token: string | null
  readonly autoConnect: boolean
  /** Where layouts are kept; null for the host's own folder. */
  readonly sidecarDir: string | null
}
export type EditorHost = {
  /** Never fails for an editor that cannot be reached: that is its state. */
  open(spec: EditorSpec): Promise<HostedEditor>
  discover(ports: readonly number[]): Promise<readonly FoundEditor[]>
  /** What differs from `before` to `after`, and the calls that lead back. */
  compare(
    graph: string,
    before: unknown,
    after: unknown,
  ): { readonly entries: readonly Difference[]; readonly restore: readonly RestoreCall[] }
}
export type HostOptions = {
  /** Projects of embedded editors and layouts live below it. */
  readonly dataDir: string
  readonly queueMax: number
  readonly callTimeoutMs: number
}

/** The first editor's project has a name of its own; further ones are named after their records. */
function projectDir(dataDir: string, name: string): string {
  return name === 'pcg' ? path.join(dataDir, 'pcg-project') : path.join(dataDir, 'pcg-projects', name)
}

export function createEditorHost({ dataDir, queueMax, callTimeoutMs }: HostOptions): EditorHost {
  const limits = { queueMax, callTimeoutMs }
  return {
    async open(spec) {
      const wire =
        spec.driver === 'embedded'
          ? embeddedWire({ name: spec.name, directory: projectDir(dataDir, spec.name), ...limits })
          : unrealWire({ spec: { ...spec, driver: spec.driver }, ...limits })
      const hosted = createHosted({
        name: spec.name,
        wire,
        sidecarDir: spec.sidecarDir ?? path.join(dataDir, 'pcg-sidecars', spec.name),
      })
      // A real editor is waited for in the background; the built-in one is there as soon as its files are read.
      if (spec.autoConnect && spec.driver === 'embedded') await hosted.connect().catch(() => undefined)
      return hosted
    },
    discover: (ports) => discoverEditors({ ports }),
    compare(graph, before, after) {
      const [then, now] = [readState(before), readState(after)]
      return { entries: compareGraphs(then, now), restore: restoreCalls(graph, then, now) }
    },
  }
}
