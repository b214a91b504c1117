// The opt-in PCG bridge of the headless server, as a backend of the gateway.
import path from 'node:path'
import type { Loaded, LocalBackend } from '#gateway'

type Settings = Loaded['settings']

export async function localBackends({
  PCG_ENABLED,
  PCG_QUEUE_MAX,
  PCG_CALL_TIMEOUT_MS,
  DATA_DIR,
}: Settings): Promise<readonly LocalBackend[]> {
  if (!PCG_ENABLED || DATA_DIR === null) return []
  const { createPcgBridge, openEmbeddedEditor } = await import('#pcg-bridge')
  const editor = await openEmbeddedEditor({ directory: path.join(DATA_DIR, 'pcg-project') })
  const bridge = createPcgBridge({ editor, queueMax: PCG_QUEUE_MAX, callTimeoutMs: PCG_CALL_TIMEOUT_MS })
  return [
    {
      name: 'pcg',
      description: 'Procedural content graphs in the embedded editor',
      tools: bridge.tools,
      async call(tool, args, { actor, requestId, onCancel, onProgress }) {
        const stop = new AbortController()
        onCancel(() => stop.abort())
        const answer = await bridge.call(tool, args, {
          actor,
          source: 'mcp',
          requestId,
          signal: stop.signal,
          onProgress: ({ progress, total, message }) => onProgress(progress, total, message),
        })
        if (answer.ok) return answer
        return { ...answer, busy: answer.code === 'EDITOR_BUSY', unavailable: answer.code === 'EDITOR_UNAVAILABLE' }
      },
      close: () => bridge.close(),
    },
  ]
}
