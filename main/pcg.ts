// The PCG bridge of the desktop: the embedded editor as a backend of the gateway.
import path from 'node:path'
import type { Loaded, LocalBackend } from '#gateway'
import { openEmbeddedBackend } from '#pcg-bridge'

type Settings = Pick<Loaded['settings'], 'PCG_ENABLED' | 'PCG_QUEUE_MAX' | 'PCG_CALL_TIMEOUT_MS' | 'DATA_DIR'>

export async function localBackends(settings: Settings): Promise<readonly LocalBackend[]> {
  if (!settings.PCG_ENABLED || settings.DATA_DIR === null) return []
  const bridge = await openEmbeddedBackend({
    name: 'pcg',
    projectDir: path.join(settings.DATA_DIR, 'pcg-project'),
    queueMax: settings.PCG_QUEUE_MAX,
    callTimeoutMs: settings.PCG_CALL_TIMEOUT_MS,
  })
  return [
    {
      ...bridge,
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
    },
  ]
}
