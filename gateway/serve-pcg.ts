// The opt-in PCG bridge of the headless server: who opens its editors.
import type { EditorHost, Loaded } from '#gateway'

type Settings = Loaded['settings']

export async function editorHost({
  PCG_ENABLED,
  PCG_QUEUE_MAX,
  PCG_CALL_TIMEOUT_MS,
  DATA_DIR,
}: Settings): Promise<EditorHost | null> {
  if (!PCG_ENABLED || DATA_DIR === null) return null
  const { createEditorHost } = await import('#pcg-bridge')
  return createEditorHost({ dataDir: DATA_DIR, queueMax: PCG_QUEUE_MAX, callTimeoutMs: PCG_CALL_TIMEOUT_MS })
}
