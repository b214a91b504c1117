// A question to a kept result is a call too.
import { withoutHandles } from '../outcome/kept/seal.ts'
import type { ResultCall } from '../pipeline/run-result.ts'
import { startSpan } from '../telemetry/trace.ts'
import { type Post, programOf } from './post.ts'
import { randomHex } from './span-ids.ts'

export function resultCall(
  post: Post,
  calledAs: string,
  { handle, ...args }: Readonly<Record<string, unknown>>,
  method: string | null = null,
): ResultCall {
  const { request, surface, session, caller, bytes } = post
  return {
    requestId: request.id,
    span: startSpan(request.context.trace, randomHex),
    surface: surface.kind,
    bundle: surface.bundle,
    sessionHash: session?.hash ?? null,
    program: programOf(post),
    caller,
    calledAs,
    // The handle decrypts the result, so no record of the call holds all of it.
    args: typeof handle === 'string' ? { handle: withoutHandles(handle), ...args } : args,
    requestBytes: bytes,
    method,
  }
}
