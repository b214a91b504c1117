// A long list leaves compressed where its client accepts that: schemas repeat their words, and are a tenth of their size then.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { acceptedEncoding, type Encoding } from '../http/accept-encoding.ts'
import type { MemoryBudget } from '../net/memory-budget.ts'
import { sendBytes } from './large-answers.ts'
import type { Post } from './post.ts'

const SMALLEST = 64 * 1024
/** Higher levels take several times as long for a tenth less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }

const compress: Readonly<Record<Encoding, (text: string) => Promise<Buffer>>> = {
  br: (text) => promisify(brotliCompress)(text, BROTLI),
  gzip: (text) => promisify(gzip)(text),
}

export function encodingFor({ request, forms, stream }: Post, text: string): Encoding | undefined {
  if (text.length < SMALLEST || !forms.json || stream) return undefined
  return acceptedEncoding(request.headers['accept-encoding'])
}

/** Compressed in another thread. */
export async function sendCompressed(post: Post, text: string, encoding: Encoding, room: MemoryBudget): Promise<void> {
  const bytes = await compress[encoding](text)
  post.reply.header('content-encoding', encoding).header('vary', 'accept-encoding')
  sendBytes(post, bytes, room)
}
