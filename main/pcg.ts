// The PCG bridge of the desktop: who opens its editors.
import type { EditorHost, Loaded } from '#gateway'
import { createEditorHost } from '#pcg-bridge'

type Settings = Pick<Loaded['settings'], 'PCG_ENABLED' | 'PCG_QUEUE_MAX' | 'PCG_CALL_TIMEOUT_MS' | 'DATA_DIR'>

export function editorHost({ PCG_ENABLED, PCG_QUEUE_MAX, PCG_CALL_TIMEOUT_MS, DATA_DIR }: Settings): EditorHost | null {
  if (!PCG_ENABLED || DATA_DIR === null) return null
  return createEditorHost({ dataDir: DATA_DIR, queueMax: PCG_QUEUE_MAX, callTimeoutMs: PCG_CALL_TIMEOUT_MS })
}
