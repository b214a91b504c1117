// An answer that was not made for this call: found room for, and under the number of the call it is given to.

import type { Account } from '../../net/memory-budget.ts'
import { failed } from '../../outcome/failed.ts'
import type { CallToolResult, From, Outcome } from '../../outcome/outcome.ts'
import { callUri } from '../../outcome/shape.ts'
import { NO_ROOM_NOW } from '../7-dispatch/send-http.ts'
import type { ToolCall } from '../call.ts'

/** Beside what else is known of where it came from. */
export const from = (outcome: Outcome, cache: NonNullable<From['cache']>): Outcome => ({
  ...outcome,
  from: { ...outcome.from, cache },
})

/** Undefined when there is room for so much; large ones wait for their turn, as if they had come from the backend. */
export async function roomFor(bytes: number, account: Account): Promise<Outcome | undefined> {
  if (!account.take(bytes)) return failed('response_too_large', NO_ROOM_NOW, true)
  await account.turn()
  return undefined
}

/** What has no text and no kind is named after the call it came by. */
export function underOwnName(result: CallToolResult, given: string, { requestId }: ToolCall): CallToolResult {
  const uri = callUri(given)
  const isNamed = (resource: unknown): resource is { readonly uri: string } =>
    typeof resource === 'object' && resource !== null && 'uri' in resource && resource.uri === uri
  if (given === requestId || !result.content.some(({ resource }) => isNamed(resource))) return result
  const content = result.content.map((block) =>
    isNamed(block.resource) ? { ...block, resource: { ...block.resource, uri: callUri(requestId) } } : block,
  )
  return { ...result, content }
}
