// The editors of procedural content: their records opened, their routes mounted, their queue measured.
import { tmpdir } from 'node:os'
import type { EditorHost } from '#pcg-contract'
import type { MountTable } from '../admin/handlers.ts'
import { editorHandlers } from '../admin/pcg.ts'
import type { Sessions } from '../auth/sessions.ts'
import { EDITORS } from '../contract/index.ts'
import { createEditorCalls } from '../editors/calls.ts'
import { createEditors } from '../editors/editors.ts'
import { createEditorGraphs } from '../editors/graphs.ts'
import { createEditorTransfers } from '../editors/transfers.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

/** Returns what closes them. */
export async function mountEditors(
  mount: MountTable,
  base: Foundation,
  { registry, run }: Pick<Calls, 'registry' | 'run'>,
  host: EditorHost,
  sessions: Pick<Sessions, 'stands' | 'onEnd'>,
): Promise<() => Promise<void>> {
  const { settings, metrics } = base
  const editors = createEditors({
    ...base,
    registry,
    host,
    dataDir: settings.DATA_DIR ?? tmpdir(),
    discoverPorts: settings.PCG_DISCOVER_PORTS,
  })
  await editors.start()
  metrics.beforeRender(() =>
    metrics.replace(
      'mcp_pcg_queue',
      editors.waiting().map(([editor, waiting]) => [{ editor }, waiting] as const),
    ),
  )
  const editorGraphs = createEditorGraphs({ ...base, editors, host })
  const editorCalls = createEditorCalls({ editors, registry, run })
  const editorTransfers = createEditorTransfers({ ...base, editors })
  const handlers = editorHandlers({ ...base, editors, editorCalls, editorGraphs, editorTransfers, sessions })
  mount(EDITORS.pcg, { ...editors, ...editorGraphs }, handlers)
  return editors.close
}
