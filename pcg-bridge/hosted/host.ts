// What a gateway composes with: opens editors from their records, and finds those that run on this machine.
import path from 'node:path'
import type { EditorHost, EditorSpec } from '../contract/index.ts'
import type { Editor } from '../editor/editor.ts'
import { embeddedEditor } from '../embedded/index.ts'
import { isLoopback } from '../unreal/http.ts'
import { discoverEditors, openUnrealEditor } from '../unreal/index.ts'
import { createHosted, type HostedOptions } from './hosted.ts'
import { compareGraphs, documentOf, readState, restoreCalls } from './snapshot.ts'

export type HostOptions = Pick<HostedOptions, 'queueMax' | 'callTimeoutMs'> & {
  /** Holds the projects of embedded editors, and layouts. */
  readonly dataDir: string
}

/** The first editor's project has a name of its own; further ones are named after their records. */
function projectDir(dataDir: string, name: string): string {
  return name === 'pcg' ? path.join(dataDir, 'pcg-project') : path.join(dataDir, 'pcg-projects', name)
}

/** The project folder of another machine cannot be read: the person who entered its address vouches for it. */
function elsewhere(url: string | null): boolean {
  return url !== null && url.startsWith('http') && !isLoopback(new URL(url).hostname)
}

export function createEditorHost({ dataDir, queueMax, callTimeoutMs }: HostOptions): EditorHost {
  function editorOf({ name, driver, url, token, autoConnect, project = null }: EditorSpec): Editor {
    if (driver === 'embedded') return embeddedEditor({ directory: projectDir(dataDir, name) })
    return openUnrealEditor({
      driver,
      autoConnect,
      acceptUnproven: elsewhere(url),
      callTimeoutMs,
      ...(project === null ? {} : { project }),
      ...(url === null ? {} : { url }),
      ...(token === null ? {} : { token }),
    })
  }

  return {
    async open(spec) {
      const hosted = createHosted({
        editor: editorOf(spec),
        sidecarDir: spec.sidecarDir ?? path.join(dataDir, 'pcg-sidecars', spec.name),
        queueMax,
        callTimeoutMs,
      })
      // A real editor connects in the background; the embedded one as soon as its files are read.
      if (spec.autoConnect && spec.driver === 'embedded') await hosted.connect().catch(() => undefined)
      return hosted
    },
    discover: (ports) => discoverEditors({ ports }),
    compare(graph, before, after) {
      const [then, now] = [readState(before), readState(after)]
      return { entries: compareGraphs(then, now), restore: restoreCalls(graph, then, now) }
    },
    document: (graph, state) => documentOf(graph, readState(state)),
  }
}
