// One JSON-RPC request of a POST, from its message to its answer: cancelled by its client, with progress where requested.
import type { RpcId } from '../mcp/json-rpc.ts'
import type { Post } from './post.ts'
import type { OnProgress } from './progress.ts'
import type { InFlight } from './sessions.ts'

const MOST_END_USER = 256

export class McpRequest implements InFlight {
  readonly post: Post
  readonly id: RpcId
  readonly onProgress: OnProgress | undefined
  unanswered = false
  private cancelled = false
  private stop: (() => void) | undefined

  constructor(post: Post, id: RpcId, onProgress: OnProgress | undefined) {
    this.post = post
    this.id = id
    this.onProgress = onProgress
  }

  /** It may be cancelled before its work has registered how. */
  readonly cancel = (): void => {
    this.cancelled = true
    this.stop?.()
  }

  readonly onCancel = (stop: () => void): void => {
    this.stop = stop
    if (this.cancelled) stop()
  }
}

/** The end user that a client names in a header. */
export function endUserOf({ request: { headers } }: Post): string | null {
  const given = headers['x-end-user-id']
  return typeof given === 'string' && given !== '' && given.length <= MOST_END_USER ? given : null
}
