// A long list leaves compressed where its client accepts that: schemas repeat their words, and are a tenth of their size then.
import { acceptedEncoding } from '../http/accept-encoding.ts'
import type { RpcId } from '../mcp/json-rpc.ts'
import type { Json } from '../mcp/json-text.ts'
import type { MemoryBudget } from '../net/memory-budget.ts'
import { sendBytes } from './large-answers.ts'
import type { Post } from './post.ts'

const LONGEST_ID = 1_024

/** Undefined where the result is not kept compressed, or its client does not accept that. */
export function compressedList(
  { request, forms, stream }: Post,
  id: RpcId,
  result: Json,
): ((post: Post, room: MemoryBudget) => Promise<void>) | undefined {
  if (typeof result === 'string' || result.packed === undefined || !forms.json || stream) return undefined
  if (typeof id === 'string' && id.length > LONGEST_ID) return undefined
  const encoding = acceptedEncoding(request.headers['accept-encoding'])
  if (encoding === undefined) return undefined
  const { before, packed, after } = result
  return async (post, room) => {
    // The id comes last: all that stands before it is the same in every answer, and compressed once.
    const tail = `${after},"id":${JSON.stringify(id)}}`
    const bytes = await packed.around(encoding, `{"jsonrpc":"2.0","result":${before}`, tail)
    post.reply.header('content-encoding', encoding).header('vary', 'accept-encoding')
    sendBytes(post, bytes, room)
  }
}
